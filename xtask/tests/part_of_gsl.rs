//! A part of the table of exceptions: twenty functions of the GNU Scientific Library, all of which must be analysed.

use std::process::Command;

#[test]
fn twenty_functions_of_gsl_are_analysed() {
    let arguments = ["table", "exceptions", "--part", "20", "--time-per-function", "5s"];
    let output = Command::new(env!("CARGO_BIN_EXE_xtask")).args(arguments).output().expect("xtask runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    let row =
        printed.lines().find(|line| line.starts_with("| default")).unwrap_or_else(|| panic!("no row:\n{printed}"));
    assert_eq!(row.split('|').nth(2).map(str::trim), Some("20"), "{row}");
    // The second table's only row, behind its heading and the line below that.
    let row = printed.lines().skip_while(|line| !line.starts_with("| pairs |")).nth(2).unwrap_or_default();
    let decided: f64 = share(row).unwrap_or_else(|| panic!("no share:\n{printed}"));
    // Short as the time is: on a machine many times slower than any still more than the first search alone decides.
    assert!(decided > 10.0, "{row}");
}

/// The share of pairs decided, in a row of the second table.
fn share(row: &str) -> Option<f64> {
    row.split('|').nth(2)?.trim().strip_suffix('%')?.trim().parse().ok()
}

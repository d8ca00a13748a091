//! `cargo xtask corpus smt-conditions`: conditions over the floats that `labrys diff --dump-queries` and `labrys exceptions
//! --dump-queries` write on the examples.
//!
//! Conditions on underflow compute with a wider exponent range, which Bitwuzla's wheel refuses: they are left out, so that the table
//! compares solvers and not their languages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::regressions::files;
use super::scan::tokens;

/// Where the files go, in the folder of the workspace.
const FOLDER: &str = "target/corpus/smt/conditions";

/// Examples by the folder of their conditions: `diff`'s under their own names, as the first table had them.
const EXAMPLES: [(&str, &[&str]); 12] = [
    ("carbongas", &["diff", "examples/carbongas.c"]),
    ("jetengine", &["diff", "examples/jetengine.c"]),
    ("odometer", &["diff", "examples/odometer.c"]),
    ("turbine1", &["diff", "examples/turbine1.c"]),
    ("turbine3", &["diff", "examples/turbine3.c"]),
    ("exceptions-average", &["exceptions", "examples/average.c", "-f", "average"]),
    ("exceptions-average3", &["exceptions", "examples/average.c", "-f", "average3"]),
    ("exceptions-carbongas", &["exceptions", "examples/carbongas.c"]),
    ("exceptions-jetengine", &["exceptions", "examples/jetengine.c"]),
    ("exceptions-knu", &["exceptions", "examples/knu.c"]),
    ("exceptions-turbine1", &["exceptions", "examples/turbine1.c"]),
    ("exceptions-turbine3", &["exceptions", "examples/turbine3.c"]),
];

/// Files of one example at most, spread evenly over what it writes.
const MOST: usize = 20;

/// Runs labrys on the examples and keeps the conditions.
pub fn run(root: &Path) -> Result<bool> {
    for (example, arguments) in EXAMPLES {
        let dumped = tempfile::tempdir()?;
        let output = Command::new(crate::labrys(root))
            .current_dir(root)
            .args(arguments)
            .args(["--format", "json", "--max-work", "1000", "--time", "120s", "--dump-queries"])
            .arg(dumped.path())
            .output()
            .context("cannot run target/release/labrys: build it with cargo build --release")?;
        if !matches!(output.status.code(), Some(0 | 1)) {
            bail!("labrys on {example}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
        }
        // `diff` numbers its conditions; its other queries are parts of these.
        let prefix = if arguments[0] == "diff" { "condition-" } else { "float-" };
        keep(root, example, dumped.path(), prefix)?;
    }
    Ok(true)
}

/// Keeps a part of the conditions that were written for one example: of the files that begin with `prefix`.
fn keep(root: &Path, example: &str, dumped: &Path, prefix: &str) -> Result<()> {
    let mut conditions: Vec<PathBuf> = Vec::new();
    for path in files(dumped)? {
        let is_condition = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix));
        if is_condition && has_common_formats(&fs::read_to_string(&path)?) {
            conditions.push(path);
        }
    }
    let folder = root.join(FOLDER).join(example);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let step = conditions.len().div_ceil(MOST).max(1);
    for path in conditions.iter().step_by(step) {
        fs::copy(path, folder.join(path.file_name().context("a file without a name")?))?;
    }
    println!("{} files in {FOLDER}/{example}, of {}", conditions.len().div_ceil(step), conditions.len());
    Ok(())
}

/// Whether every format is binary16, binary32, binary64 or binary128.
fn has_common_formats(text: &str) -> bool {
    let words: Vec<&str> = tokens(text).collect();
    words.windows(3).all(|window| {
        !matches!(window[0], "FloatingPoint" | "to_fp" | "to_fp_unsigned")
            || matches!(window[1..], ["5", "11"] | ["8", "24"] | ["11", "53"] | ["15", "113"])
    })
}

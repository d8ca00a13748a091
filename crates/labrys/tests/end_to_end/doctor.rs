//! `labrys doctor`.

use crate::harness::Bench;

#[test]
fn what_is_there_is_named_with_version_and_place() {
    let run = Bench::new(&[]).labrys(&["doctor"]);
    run.expect_code(0);
    let row = run.stdout.lines().find(|line| line.contains("clang-22")).unwrap_or_default();
    if !(row.contains("found") && row.contains("clang 22") && row.contains('/')) {
        run.fail("no row for clang-22");
    }
    assert!(run.stderr.is_empty() && !run.stdout.contains('\u{1b}'), "{}{}", run.stdout, run.stderr);
}

#[test]
fn what_is_missing_is_named_with_the_way_to_get_it() {
    let run = Bench::new(&[]).with_env("PATH", "/nowhere").labrys(&["doctor"]);
    run.expect_code(1);
    for words in ["apt-get install clang-22", "apt-get install flang-22", "rustup.rs", "cannot run without clang-22"] {
        if !run.stdout.contains(words) {
            run.fail(&format!("`{words}` is missing"));
        }
    }
}

//! Nothing stays in the temporary folder, however a run ends.

use std::path::Path;
use std::process::Command;

use crate::harness::Bench;

const SOURCE: &str = "double f(double x) { return x > 1 ? 1 / x : x * x; }\n";

/// A bench whose runs have the empty folder `tmp` for temporary files.
fn bench() -> Bench {
    let bench = Bench::new(&[("f.c", SOURCE), ("broken.c", "double f(double x) { return x +; }\n")]);
    std::fs::create_dir(bench.path().join("tmp")).expect("a folder");
    let folder = bench.path().join("tmp").display().to_string();
    bench.with_env("TMPDIR", &folder)
}

fn left_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    entries.filter_map(Result::ok).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Bitcode with one byte damaged, two times so that clang crashes when it reads it.
fn damaged(bench: &Bench) -> Vec<Vec<u8>> {
    bench.program("clang-22", &["-g", "-O0", "-c", "-emit-llvm", "-o", "f.bc", "f.c"]).expect_code(0);
    let whole = std::fs::read(bench.path().join("f.bc")).expect("bitcode");
    let aside = tempfile::tempdir().expect("a temporary folder");
    let mut found = Vec::new();
    let mut crashing = 0;
    for at in (whole.len() * 2 / 3..whole.len()).step_by(7).chain((0..whole.len()).step_by(11)) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        let file = aside.path().join("damaged.bc");
        std::fs::write(&file, &bytes).expect("a file");
        let mut clang = Command::new("clang-22");
        clang.args(["-x", "ir", "-c", "-emit-llvm", "-w", "-Xclang", "-disable-llvm-passes", "-o", "/dev/null"]);
        clang.arg(&file).env("TMPDIR", aside.path()).output().expect("clang-22 runs");
        let crashes = left_in(aside.path()).len() > 1;
        for name in left_in(aside.path()) {
            std::fs::remove_file(aside.path().join(name)).expect("a file");
        }
        crashing += usize::from(crashes);
        // And a few that clang refuses or accepts.
        if crashes || found.len() - crashing < 3 {
            found.push(bytes);
        }
        if crashing == 2 {
            return found;
        }
    }
    panic!("clang crashes on no damaged file");
}

/// Clang left `f-604bcd.sh` and `.bc` behind, its reports of a crash.
#[test]
fn damaged_bitcode_leaves_nothing() {
    let bench = bench();
    for bytes in damaged(&bench) {
        std::fs::write(bench.path().join("d.bc"), bytes).expect("a file");
        let run = bench.labrys(&["diff", "d.bc", "-f", "f", "--max-work", "200"]);
        let left = left_in(&bench.path().join("tmp"));
        if !left.is_empty() {
            run.fail(&format!("left behind: {left:?}"));
        }
    }
}

#[test]
fn runs_that_fail_or_are_ended_leave_nothing() {
    let bench = bench();
    let labrys = env!("CARGO_BIN_EXE_labrys");
    let endless = "diff f.c -f f --max-work 100000000";
    for command in [
        format!("{labrys} diff f.c -f f --max-work 200"),
        format!("{labrys} diff broken.c -f f"),
        format!("{labrys} {endless} --time 1s"),
        // One interrupt, as of a key: without --foreground there are two, and the second ends the program at once.
        format!("timeout --foreground -s INT 2 {labrys} {endless}"),
    ] {
        let run = bench.program("sh", &["-c", &command]);
        let left = left_in(&bench.path().join("tmp"));
        if !left.is_empty() {
            run.fail(&format!("left behind: {left:?}"));
        }
    }
}

/// A run that is killed removes nothing; the next one does.
#[test]
fn what_a_killed_run_left_is_removed_by_the_next() {
    let bench = bench();
    let labrys = env!("CARGO_BIN_EXE_labrys");
    let tmp = bench.path().join("tmp");
    bench.program("timeout", &["-s", "KILL", "2", labrys, "diff", "f.c", "-f", "f", "--max-work", "100000000"]);
    assert!(!left_in(&tmp).is_empty(), "nothing was left: the run had no folder, or had ended");
    let run = bench.labrys(&["diff", "f.c", "-f", "f", "--max-work", "200"]);
    let left = left_in(&tmp);
    if !left.is_empty() {
        run.fail(&format!("left behind: {left:?}"));
    }
}

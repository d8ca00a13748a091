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

/// `labrys 0.1.0 (commit 4e928cc0a1b2, LLVM 22.1.8)`: the commit is git's own word for what was built.
#[test]
fn the_version_names_commit_and_llvm() {
    let run = Bench::new(&[]).labrys(&["--version"]);
    run.expect_code(0);
    let inside = run
        .stdout
        .trim()
        .strip_prefix(concat!("labrys ", env!("CARGO_PKG_VERSION"), " ("))
        .and_then(|rest| rest.strip_suffix(')'));
    let Some((commit, llvm)) = inside.and_then(|inside| inside.strip_prefix("commit ")?.split_once(", LLVM ")) else {
        run.fail("another form");
    };
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let known = std::process::Command::new("git").args(["-C", root, "cat-file", "-t", commit]).output().expect("git");
    assert_eq!((commit.len(), String::from_utf8_lossy(&known.stdout).trim()), (12, "commit"), "{commit}");
    let numbers: Vec<u32> = llvm.split('.').filter_map(|number| number.parse().ok()).collect();
    assert!(numbers.len() == 3 && numbers[0] == 22, "{llvm}");
}

#[test]
fn shells_complete_commands_and_options_but_nothing_internal() {
    for (shell, word) in [("bash", "complete -F"), ("zsh", "#compdef labrys"), ("fish", "complete -c labrys")] {
        let run = Bench::new(&[]).labrys(&["completions", shell]);
        run.expect_code(0);
        for words in [word, "exceptions", "loop-bound"] {
            if !run.stdout.contains(words) {
                run.fail(&format!("`{words}` is missing"));
            }
        }
        if run.stdout.contains("__worker") || run.stdout.contains("__manual") {
            run.fail("internal commands are offered");
        }
    }
    Bench::new(&[]).labrys(&["completions", "tcsh"]).expect_code(2);
}

#[test]
fn each_command_has_a_manual_page() {
    let bench = Bench::new(&[]);
    bench.labrys(&["__manual", "."]).expect_code(0);
    for page in [
        "labrys",
        "labrys-diff",
        "labrys-exceptions",
        "labrys-accuracy",
        "labrys-verify",
        "labrys-cover",
        "labrys-solve",
        "labrys-test",
    ] {
        let text = std::fs::read_to_string(bench.path().join(format!("{page}.1"))).expect("a page");
        assert!(text.contains(&format!(".TH {page} 1")) && text.contains(".SH OPTIONS"), "{page}");
    }
    bench.labrys(&["__manual", "nowhere"]).expect_code(2);
}

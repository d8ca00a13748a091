//! A finding as files: its input as `.ktest`, and a C file that runs the program on it.

use labrys_program::Language;
use labrys_testcase::{ExpectedEnding, Ktest, RegressionTest, TestInput, regression_file};

use super::building::BuiltProgram;
use super::request::Request;
use crate::run::recipe::Artifact;
use crate::whole::commands::TestBuild;

/// What the program's own `main` is called in a file of tests.
const MAIN: &str = "labrys_program_main";

/// Flags with which a native run shows what goes wrong.
const SANITIZERS: &str = "-g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer";

/// `ID.ktest`, and `ID.c` where the program is entered at `main`.
pub(super) fn artifacts(request: &Request, built: &BuiltProgram, id: &str, input: &TestInput) -> Vec<Artifact> {
    let ktest = Artifact { name: format!("{id}.ktest"), contents: Ktest::of("program", input).to_bytes() };
    let mut files = vec![ktest];
    if built.is_entered_at_main() && is_built_by_one_driver(request) {
        let test = RegressionTest {
            name: id.to_owned(),
            input: input.clone(),
            ending: ExpectedEnding::Error,
            outputs: Vec::new(),
        };
        let commands = test_build(request, built, SANITIZERS).commands(&format!("{id}.c"), id);
        let text = regression_file(&[test], &commands);
        files.push(Artifact { name: format!("{id}.c"), contents: text.into_bytes() });
    }
    files
}

/// Whether a C or C++ compiler builds the program with a file of tests: no other language gives its `main` another name.
pub(super) fn is_built_by_one_driver(request: &Request) -> bool {
    let is_other = |source: &std::path::PathBuf| matches!(Language::of(source), Ok(Language::Fortran | Language::Rust));
    !request.sources.iter().any(is_other)
}

/// How the program is built for a file of tests.
pub(super) fn test_build(request: &Request, built: &BuiltProgram, extra: &str) -> TestBuild {
    TestBuild {
        compiler: built.driver.clone(),
        flags: request.flags.clone(),
        sources: request.sources.clone(),
        includes_source: false,
        main: MAIN,
        extra: extra.to_owned(),
        headers: None,
    }
}

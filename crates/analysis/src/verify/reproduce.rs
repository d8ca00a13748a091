//! A finding as files: its input as `.ktest`, and a C file that runs the program on it.

use labrys_report::ViolationClass;
use labrys_testcase::{ExpectedEnding, Ktest, RegressionTest, TestInput, regression_file};

use super::building::BuiltProgram;
use super::request::Request;
use super::tested::Way;
use crate::run::recipe::Artifact;
use crate::whole::commands::TestBuild;

/// What the program's own `main` is called in a file of tests.
const MAIN: &str = "labrys_program_main";

/// `ID.ktest`, and `ID.c` where a C file can run the program; `kind` is what the finding is.
pub(super) fn artifacts(
    request: &Request,
    built: &BuiltProgram,
    (id, kind): (&str, Option<ViolationClass>),
    input: &TestInput,
) -> Vec<Artifact> {
    let ktest = Artifact { name: format!("{id}.ktest"), contents: Ktest::of("program", input).to_bytes() };
    let mut files = vec![ktest];
    if built.test_obstacle().is_none() {
        let test = RegressionTest {
            name: id.to_owned(),
            input: input.clone(),
            ending: ExpectedEnding::Error,
            outputs: Vec::new(),
        };
        let flags = kind.map_or(Way::Address, Way::of).flags(request);
        let commands = test_build(request, built, &flags).commands(&format!("{id}.c"), id);
        let text = regression_file(&[test], &commands);
        files.push(Artifact { name: format!("{id}.c"), contents: text.into_bytes() });
    }
    files
}

/// How the program is built for a file of tests.
pub(super) fn test_build(request: &Request, built: &BuiltProgram, extra: &str) -> TestBuild {
    TestBuild {
        compiler: built.driver.clone(),
        linker: built.linker.clone(),
        flags: request.flags.clone(),
        sources: request.sources.clone(),
        includes_source: false,
        main: MAIN,
        extra: extra.to_owned(),
        headers: None,
    }
}

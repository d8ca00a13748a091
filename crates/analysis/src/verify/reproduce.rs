//! A finding as files: its input as `.ktest`, and a C file that runs the program on it.

use labrys_program::Language;
use labrys_report::ViolationDetails;
use labrys_testcase::{ExpectedEnding, Ktest, RegressionTest, TestInput, regression_file};

use super::building::BuiltProgram;
use super::request::Request;
use super::tested::Way;
use crate::run::recipe::Artifact;
use crate::whole::commands::{PROGRAM_MAIN, TestBuild};
use crate::whole::harness::ASIDE;

/// `ID.ktest`, and `ID.c` where a C file can show the finding.
pub(super) fn artifacts(
    request: &Request,
    built: &BuiltProgram,
    (id, details): (&str, &ViolationDetails),
    input: &TestInput,
) -> Vec<Artifact> {
    let ktest = Artifact { name: format!("{id}.ktest"), contents: Ktest::of("program", input).to_bytes() };
    let mut files = vec![ktest];
    if built.finding_obstacle(details).is_none() {
        let test = RegressionTest {
            name: id.to_owned(),
            input: input.clone(),
            ending: ExpectedEnding::Error,
            outputs: Vec::new(),
        };
        let commands = way_build(request, built, Way::of(details.kind)).commands(&format!("{id}.c"), id);
        let text = regression_file(&[test], &commands) + &appended(built);
        files.push(Artifact { name: format!("{id}.c"), contents: text.into_bytes() });
    }
    files
}

/// What follows in a file of tests: the `main` around a function that is no `main`.
pub(super) fn appended(built: &BuiltProgram) -> String {
    let calling = built.calling.as_ref();
    calling.map(|calling| format!("\n{}", calling.text(PROGRAM_MAIN, Language::C))).unwrap_or_default()
}

/// How the program is built so that a run shows an error.
pub(super) fn way_build(request: &Request, built: &BuiltProgram, way: Way) -> TestBuild {
    let build = test_build(request, built, &way.flags(request));
    match way {
        // gcc has no sanitizer of memory.
        Way::Memory if !build.compiler.contains("clang") => {
            TestBuild { compiler: Language::C.default_compiler().to_owned(), ..build }
        }
        _ => build,
    }
}

/// How the program is built for a file of tests.
pub(super) fn test_build(request: &Request, built: &BuiltProgram, extra: &str) -> TestBuild {
    let (sources, includes_source) = match &built.calling {
        Some(calling) => calling.sources(&request.sources),
        None => (request.sources.clone(), false),
    };
    TestBuild {
        compiler: built.driver.clone(),
        linker: built.linker.clone(),
        flags: request.flags.clone(),
        sources,
        includes_source,
        main: if built.calling.is_some() { ASIDE } else { PROGRAM_MAIN },
        extra: extra.to_owned(),
        own: built.own.clone(),
        headers: None,
    }
}

//! A finding as files: its input as `.ktest`, and a C file that runs the program on it.

use labrys_native::Sanitizers;
use labrys_program::Language;
use labrys_report::{Finding, Value, ViolationDetails};
use labrys_testcase::{ExpectedEnding, FileComment, Ktest, RegressionTest, TestInput, regression_file};

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
    finding: &Finding,
    (input, sanitizers): (&TestInput, Sanitizers),
) -> Vec<Artifact> {
    let Some(details) = finding.violation() else { return Vec::new() };
    let id = &finding.id;
    let ktest = Artifact { name: format!("{id}.ktest"), contents: Ktest::of("program", input).to_bytes() };
    let mut files = vec![ktest];
    if built.finding_obstacle(details).is_none() {
        let test = RegressionTest {
            name: id.to_owned(),
            input: input.clone(),
            ending: ExpectedEnding::Error,
            outputs: Vec::new(),
        };
        let way = Way::of(details.kind);
        let build = compiled_for(request, built, (way, &way.flags_of(sanitizers)));
        let commands = build.commands(&format!("{id}.c"), id);
        let comment = FileComment { about: &about(finding, details), commands: &commands, executable: id };
        let text = regression_file(&[test], comment) + &appended(built);
        files.push(Artifact { name: format!("{id}.c"), contents: text.into_bytes() });
    }
    files
}

/// Inputs that a comment shows; the tables below it have all.
const SHOWN: usize = 40;

/// What a finding is, where, and on which inputs.
fn about(finding: &Finding, details: &ViolationDetails) -> Vec<String> {
    let place = details.place.words().map(|place| format!(" at {place}")).unwrap_or_default();
    let mut lines = vec![format!("{}{place}, on this input:", finding.summary)];
    let scalars: Vec<&Value> = finding.inputs.iter().flat_map(Value::scalars).collect();
    let shown = |value: &&Value| {
        let number =
            value.hex.as_deref().filter(|_| value.type_name.contains("float") || value.type_name.contains("double"));
        let number = number.or(value.decimal.as_deref()).unwrap_or_default();
        let (name, function) = value.origin();
        format!("  {name} = {number}{}", function.map(|function| format!(" ({function})")).unwrap_or_default())
    };
    lines.extend(scalars.iter().take(SHOWN).map(shown));
    match scalars.len() {
        0 => lines.push("  none: it asks for nothing".to_owned()),
        count if count > SHOWN => lines.push(format!("  and {} more", count - SHOWN)),
        _ => {}
    }
    lines
}

/// What follows in a file of tests: the `main` around a function that is no `main`.
pub(super) fn appended(built: &BuiltProgram) -> String {
    let calling = built.calling.as_ref();
    calling.map(|calling| format!("\n{}", calling.text(PROGRAM_MAIN, Language::C))).unwrap_or_default()
}

/// How the program is built so that a run shows an error.
pub(super) fn way_build(request: &Request, built: &BuiltProgram, way: Way) -> TestBuild {
    compiled_for(request, built, (way, &way.flags(request)))
}

/// How the program is built with flags of a way.
fn compiled_for(request: &Request, built: &BuiltProgram, (way, flags): (Way, &str)) -> TestBuild {
    let build = test_build(request, built, flags);
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

//! Tests of the paths that came to their ends.

use std::fs;
use std::path::Path;

use labrys_executor::Outcome;
use labrys_native::Ending;
use labrys_report::write_whole;
use labrys_testcase::{Ktest, RegressionTest, SuiteMetadata, TestInput, regression_file, suite_inputs, test_xml};
use sha2::{Digest, Sha256};

use super::replaying::Replayer;
use super::reproduce::commands;
use super::request::{Request, TestFormat};
use super::witness::now;

/// Writes the tests that were asked for; notes on them.
pub(super) fn write(request: &Request, outcome: &Outcome, replayer: &mut Replayer<'_>) -> Vec<String> {
    let Some(wanted) = &request.tests else { return Vec::new() };
    let mut notes = Vec::new();
    let files: Vec<(String, Vec<u8>)> = match wanted.format {
        TestFormat::Ktest => {
            numbered(outcome, |number| format!("test{number:06}.ktest"), |input| Ktest::of("program", input).to_bytes())
        }
        TestFormat::TestComp => {
            let mut files = numbered(
                outcome,
                |number| format!("test-{number}.xml"),
                |input| test_xml(&suite_inputs(input)).into_bytes(),
            );
            files.push(("metadata.xml".to_owned(), metadata(request).to_xml().into_bytes()));
            files
        }
        TestFormat::C => {
            let tests = observed(outcome, replayer);
            if tests.len() < outcome.tests.len() {
                notes.push(format!(
                    "{} of {} tests are not in tests.c: they did not end by themselves when they were run natively",
                    outcome.tests.len() - tests.len(),
                    outcome.tests.len()
                ));
            }
            let text = regression_file(&tests, &commands(request, replayer.built(), "tests.c", "tests", "-g"));
            vec![("tests.c".to_owned(), text.into_bytes())]
        }
    };
    for (name, contents) in files {
        if let Err(error) = write_whole(&wanted.folder.join(name), &contents) {
            notes.push(format!("tests are missing: {error}"));
            break;
        }
    }
    notes
}

fn numbered(
    outcome: &Outcome,
    name: impl Fn(usize) -> String,
    contents: impl Fn(&TestInput) -> Vec<u8>,
) -> Vec<(String, Vec<u8>)> {
    outcome.tests.iter().enumerate().map(|(index, input)| (name(index + 1), contents(input))).collect()
}

/// The tests with the exit codes that native runs show.
fn observed(outcome: &Outcome, replayer: &mut Replayer<'_>) -> Vec<RegressionTest> {
    let mut tests = Vec::new();
    for (index, input) in outcome.tests.iter().enumerate() {
        if let Ok(replay) = replayer.run_wide(input)
            && let Ending::Exited(code) = replay.ending
        {
            let name = format!("test{:06}", index + 1);
            tests.push(RegressionTest { name, input: input.clone(), exit_code: Some(code), outputs: replay.outputs });
        }
    }
    tests
}

fn metadata(request: &Request) -> SuiteMetadata {
    let file = request.sources.first().map(|source| source.display().to_string()).unwrap_or_default();
    SuiteMetadata {
        producer: format!("labrys {}", env!("CARGO_PKG_VERSION")),
        specification: request.properties.first().map(|of| of.specification().to_owned()).unwrap_or_default(),
        program_hash: request.sources.first().map(|source| sha256(source)).unwrap_or_default(),
        program_file: file,
        entry_function: request.entry.clone(),
        creation_time: now(),
    }
}

/// The SHA-256 of a file in hexadecimal; empty where it cannot be read.
pub(super) fn sha256(file: &Path) -> String {
    let Ok(bytes) = fs::read(file) else { return String::new() };
    Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

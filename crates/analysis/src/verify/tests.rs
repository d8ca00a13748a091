//! Tests of the paths that came to their ends.

use labrys_executor::Outcome;
use labrys_native::Ending;
use labrys_testcase::{ExpectedEnding, RegressionTest};

use super::replaying::{Replayer, Shown};
use super::reproduce::{appended, test_build};
use super::request::Request;
use crate::whole::commands::TestBuild;
use crate::whole::suite::{Suite, TestFormat, metadata};

/// Writes the tests that were asked for; notes on them.
pub(super) fn write(request: &Request, outcome: &Outcome, replayer: &mut Replayer<'_>) -> Vec<String> {
    let Some(wanted) = &request.tests else { return Vec::new() };
    let mut notes = Vec::new();
    if let (TestFormat::C | TestFormat::Kind(_), Some(why)) = (wanted.format, replayer.built().test_obstacle()) {
        return vec![format!("there are no tests: {why}")];
    }
    let tests = match wanted.format {
        TestFormat::Ktest | TestFormat::TestComp => as_found(outcome),
        TestFormat::C | TestFormat::Kind(_) => {
            let tests = observed(outcome, replayer);
            if tests.len() < outcome.tests.len() {
                notes.push(format!(
                    "{} of {} tests are not in tests.c: they did not end by themselves when they were run natively",
                    outcome.tests.len() - tests.len(),
                    outcome.tests.len()
                ));
            }
            tests
        }
    };
    let specification = request.properties.first().map(|of| of.specification().to_owned()).unwrap_or_default();
    let suite = Suite {
        tests,
        metadata: metadata(&request.sources, specification, &request.entry),
        build: TestBuild { headers: Some("include"), ..test_build(request, replayer.built(), "-g") },
        calls: None,
        appended: &appended(replayer.built()),
    };
    notes.extend(suite.write(wanted));
    notes
}

fn name(index: usize) -> String {
    format!("test{:06}", index + 1)
}

fn as_found(outcome: &Outcome) -> Vec<RegressionTest> {
    let test = |(index, input): (usize, labrys_testcase::TestInput)| RegressionTest {
        name: name(index),
        input,
        ending: ExpectedEnding::Error,
        outputs: Vec::new(),
    };
    outcome.tests.iter().enumerate().map(test).collect()
}

/// The tests with the exit codes that native runs show.
fn observed(outcome: &Outcome, replayer: &mut Replayer<'_>) -> Vec<RegressionTest> {
    let mut tests = Vec::new();
    for (index, input) in outcome.tests.iter().enumerate() {
        if let Ok(Shown { replay, .. }) = replayer.run_wide(&input)
            && let Ending::Exited(code) = replay.ending
        {
            tests.push(RegressionTest {
                name: name(index),
                input,
                ending: ExpectedEnding::Exit(code),
                outputs: replay.outputs,
            });
        }
    }
    tests
}

//! Native runs of tests, and what they cover.

use std::path::{Path, PathBuf};

use labrys_executor::Features;
use labrys_native::{Ending, Replay, ReplayBuild, ReplayLimits};
use labrys_testcase::TestInput;

use super::counted::counted;
use super::measured::{Measured, measure};
use super::request::Request;
use super::subject::SubjectProgram;
use crate::run::clock::Clock;
use crate::{AnalysisError, Progress};

/// The longest that building and measuring may take where the user sets no limit.
const LONGEST: std::time::Duration = std::time::Duration::from_secs(600);

/// A test that was run natively.
pub(super) struct Ran {
    pub(super) input: TestInput,
    pub(super) replay: Replay,
}

impl Ran {
    /// Whether the program came to its end by itself.
    pub(super) fn ended(&self) -> bool {
        matches!(self.replay.ending, Ending::Exited(_))
    }
}

/// What native runs came to.
pub(super) struct Runs {
    pub(super) tests: Vec<Ran>,
    pub(super) measured: Measured,
    /// What went wrong, in sentences.
    pub(super) notes: Vec<String>,
}

/// Builds the program so that its runs measure what they cover.
pub(super) fn build(
    request: &Request,
    subject: &SubjectProgram,
    folder: &Path,
    clock: &Clock,
) -> Result<ReplayBuild, AnalysisError> {
    let deadline = clock.deadline(LONGEST);
    Ok(ReplayBuild::compile_measured(&subject.spec, request.launcher.clone(), (folder, deadline))?)
}

/// Runs the program natively on each input, and measures what they cover together.
pub(super) fn run(
    request: &Request,
    (subject, build): (&SubjectProgram, &ReplayBuild),
    inputs: &[TestInput],
    folder: &Path,
    (clock, progress): (&Clock, &dyn Progress),
) -> Result<Runs, AnalysisError> {
    let limits = ReplayLimits {
        time: request.run_time,
        memory_mib: if request.memory_mib == 0 { 4096 } else { request.memory_mib },
        deadline: clock.limit(),
    };
    let (mut tests, mut profiles, mut notes) = (Vec::new(), Vec::<PathBuf>::new(), Vec::new());
    let (mut killed, mut refused) = (0, 0);
    let begun = std::time::Instant::now();
    for (index, input) in inputs.iter().enumerate() {
        if clock.stop_confirming(progress, begun).is_some() {
            notes.push(format!(
                "{} inputs that were found were not run natively: no time was left",
                inputs.len() - index
            ));
            break;
        }
        let profile = folder.join(format!("run-{index}.profraw"));
        let replay = build.run_measured(input, &profile, limits)?;
        match replay.ending {
            Ending::TimedOut | Ending::OutOfMemory => killed += 1,
            // The executor's inputs are all that the program asks for, and satisfy what it assumes.
            Ending::AssumptionFailed(_)
            | Ending::InputsExhausted { .. }
            | Ending::InputSize { .. }
            | Ending::Damaged(_) => {
                refused += 1;
            }
            Ending::Error(_) | Ending::Exited(_) | Ending::Signal(_) => {
                profiles.extend(Some(profile).filter(|profile| profile.is_file()));
                tests.push(Ran { input: input.clone(), replay });
            }
        }
    }
    if killed > 0 {
        notes.push(format!(
            "{killed} inputs that were found are no tests: native runs on them did not end in their time and memory"
        ));
    }
    if refused > 0 {
        notes.push(format!(
            "{refused} inputs that were found are no tests: the program asked for others when it was run natively"
        ));
    }
    let silent = tests.len() - profiles.len();
    if silent > 0 {
        notes.push(format!("{silent} native runs ended without leaving what they covered"));
    }
    // Measuring is short, and without it all was for nothing.
    let deadline = std::time::Instant::now() + LONGEST;
    let merged = match profiles.is_empty() {
        true => None,
        false => {
            let merged = folder.join("runs.profdata");
            subject.tools.merge(&profiles, &merged, deadline)?;
            Some(merged)
        }
    };
    let measured = match subject.counts_itself() {
        false => measure(&subject.tools, (build.executable(), merged.as_deref()), deadline)?,
        true => {
            let text = merged.map(|merged| subject.tools.counts(&merged, deadline)).transpose()?.unwrap_or_default();
            let program = &subject.whole.program;
            let (measured, others) = counted(program, &Features::of(program), &subject.scope, &text);
            notes.extend(others.iter().map(|name| {
                format!("{name} is not measured: its native code is of another graph than the one that was executed")
            }));
            measured
        }
    };
    Ok(Runs { tests, measured, notes })
}

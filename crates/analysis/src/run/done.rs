//! A finished run: its report, and the files that go with it.

use labrys_report::{Analysis, Report, Status, Target, Timing};

use super::clock::Clock;
use super::options::RunOptions;
use super::recipe::Artifact;
use super::repeat::processor;

/// A finished run.
pub struct Done {
    /// The report.
    pub report: Report,
    /// Reproducers and whatever they need, for the output folder.
    pub artifacts: Vec<Artifact>,
}

impl Done {
    /// A run whose time was over before anything could be run: `what` it was that was made then, with its verb.
    pub fn cut_short(mut report: Report, what: &str) -> Done {
        report.status = Status::Limit;
        report.notes.push(format!("the time limit ended the run while {what} made"));
        Done { report, artifacts: Vec::new() }
    }
}

/// A report that says what was asked of which `file`, on which machine, and how long it took; nothing was found in it yet.
pub fn empty_report(run: &RunOptions, analysis: Analysis, file: String, clock: &Clock) -> Report {
    let function = run.function.clone().unwrap_or_default();
    Report {
        command: run.command.clone(),
        seed: run.seed,
        analysis,
        target: Target { file, function, ..Target::default() },
        processor: processor(),
        timing: Timing {
            wall_s: clock.elapsed().as_secs_f64(),
            more: [("waited_for_processors_s".to_owned(), clock.lost().as_secs_f64())].into(),
        },
        ..Report::default()
    }
}

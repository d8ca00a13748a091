//! Blame for the findings of a library run: a stage behind the comparison of all functions.
//!
//! What a function's findings came to is kept as its comparison is. A part of a run blames the findings of its functions, and the merge finds them again: of
//! those that stand for a cause which several functions share, the function that shows it worst of all shows it worst in its part, too.

use std::path::{Path, PathBuf};
use std::time::Duration;

use labrys_program::LibraryFunction;
use labrys_report::{Blame, Cause, Finding};
use serde::{Deserialize, Serialize};

use super::units::{OfLibrary, Shelf, Shelves};
use super::{Answered, Blaming, enter_answered};
use crate::AnalysisError;
use crate::diff::compare::Policy;
use crate::diff::library::{FunctionResult, Versions};
use crate::diff::request::Request;
use crate::diff::{observers, shared};
use crate::library::campaign::PartDone;
use crate::library::extended;
use crate::library::functions::{Functions, Piece};
use crate::library::schedule::Task;
use crate::run::clock::{Clock, share_among};
use crate::run::progress::Progress;

/// How long the trials of one finding may take where the user says nothing of time; for the findings of a function together.
const FINDING_TIME: Duration = Duration::from_secs(40);

/// What the stage works on.
pub struct Stage<'a> {
    /// What was asked for.
    pub request: &'a Request,
    /// The builds.
    pub versions: &'a Versions,
    /// The functions.
    pub functions: &'a Functions<'a>,
    /// A piece for each, as they were compared.
    pub pieces: &'a [Piece],
    /// Where drivers lie, and what is made to be tried.
    pub folder: &'a Path,
}

/// What is found out of a finding.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Blamed {
    id: String,
    blame: Option<Blame>,
    unblamed: Option<String>,
    /// What differs first.
    #[serde(default)]
    cause: Option<Cause>,
}

impl Blamed {
    fn new(finding: &Finding, Answered { cause, answer }: Answered) -> Blamed {
        let (blame, unblamed) = match answer {
            Ok(blame) => (Some(blame), None),
            Err(why) => (None, Some(why)),
        };
        Blamed { id: finding.id.clone(), blame, unblamed, cause }
    }

    fn unknown(finding: &Finding, why: &str) -> Blamed {
        let cause = finding.difference().and_then(|details| details.cause.clone());
        Blamed::new(finding, Answered { cause, answer: Err(why.to_owned()) })
    }

    fn answered(self) -> Answered {
        Answered { cause: self.cause, answer: self.blame.ok_or_else(|| self.unblamed.unwrap_or_default()) }
    }
}

fn found(result: &FunctionResult) -> &[Finding] {
    result.compared.as_ref().map_or(&[], |compared| &compared.findings)
}

impl Stage<'_> {
    /// Leaves each cause that several functions share with one of them, and enters into all findings what is to blame, or why that is not known.
    ///
    /// # Errors
    ///
    /// Where results cannot be kept.
    pub fn blame_all(&self, results: &mut [FunctionResult]) -> Result<(), AnalysisError> {
        let all: Vec<usize> = (0..self.pieces.len()).collect();
        self.blame(&all, results).map(drop)
    }

    /// The same for the functions of a part of a run, if all of them were compared, to be found again by the merge; what the part came to.
    ///
    /// # Errors
    ///
    /// Where results cannot be kept.
    pub fn blame_part(&self, part: PartDone) -> Result<PartDone, AnalysisError> {
        let schedule = self.functions.schedule;
        let Some(own) = self.functions.own(self.pieces)?.filter(|_| part.is_whole()) else { return Ok(part) };
        let mut tasks: Vec<Task> = self.pieces.iter().map(|piece| piece.task.clone()).collect();
        let kept: Vec<Option<FunctionResult>> = schedule.all_kept(&tasks, &own)?;
        let mut results: Vec<FunctionResult> = kept.into_iter().flatten().collect();
        if results.len() != own.len() {
            return Ok(part);
        }
        let blamed = self.blame(&own, &mut results)?;
        let done = part.done + blamed.iter().filter(|(_, is_done)| *is_done).count();
        let all: Vec<usize> = own.into_iter().chain(tasks.len()..tasks.len() + blamed.len()).collect();
        tasks.extend(blamed.into_iter().map(|(task, _)| task));
        Ok(schedule.note_part(&tasks, &all, Some(done))?.unwrap_or(part))
    }

    /// Blames the findings of these functions, given by their places, with their results; the tasks that this was, and whether each is done.
    fn blame(&self, of: &[usize], results: &mut [FunctionResult]) -> Result<Vec<(Task, bool)>, AnalysisError> {
        // By the findings that a function had before others' were taken for the same: that is so in every part.
        let task = |(place, result): (&usize, &FunctionResult)| {
            let ids: Vec<&str> = found(result).iter().map(|finding| finding.id.as_str()).collect();
            let compared = &self.pieces[*place].task;
            Task {
                name: format!("{}, blamed", compared.name),
                fingerprint: extended(&compared.fingerprint, &format!("{ids:?}")),
            }
        };
        let tasks: Vec<Task> = of.iter().zip(results.iter()).map(task).collect();
        shared::merge(results);
        let function = |index: usize| self.functions.chosen[self.pieces[of[index]].function];
        let mut asked: Vec<usize> = (0..of.len()).filter(|index| !found(&results[*index]).is_empty()).collect();
        // Functions of one source share what is made to be tried.
        asked.sort_by_key(|index| function(*index).unit);
        let shelves = Shelves::new(self.folder, asked.iter().map(|index| function(*index).unit));
        let schedule = self.functions.schedule;
        let most = results.iter().map(|result| found(result).len()).max().unwrap_or(1);
        let clock = schedule.clock;
        let time = |left: usize, workers: usize| match clock.left() {
            Some(time) => share_among(time, left, workers),
            None => FINDING_TIME * u32::try_from(most).unwrap_or(1),
        };
        let read_only: &[FunctionResult] = results;
        let all_of = |index: usize, why: &str| -> Vec<Blamed> {
            found(&read_only[index]).iter().map(|finding| Blamed::unknown(finding, why)).collect()
        };
        let work = |index: usize, clock: &Clock, progress: &dyn Progress| -> Result<Vec<Blamed>, String> {
            let findings: Vec<&Finding> = found(&read_only[index]).iter().collect();
            let shelf = shelves.of(function(index).unit);
            let trials = self.folder.join(format!("blame-{index}"));
            let work = Workplace { drivers: self.folder, trials, shelf: &shelf, locates: false };
            let answers = of_function(self.request, self.versions, function(index), &findings, work, clock, progress);
            let answers = answers.map_err(|error| error.to_string())?;
            Ok(findings.iter().zip(answers).map(|(finding, of)| Blamed::new(finding, of)).collect())
        };
        let failed = |index: usize, why: String| all_of(index, &why);
        let mut done = schedule.run(&tasks, &asked, (clock, &time), &work, &failed)?;
        let ended: Vec<(Task, bool)> =
            asked.iter().map(|index| (tasks[*index].clone(), done[*index].is_some())).collect();
        let left_out = |index: usize| all_of(index, "the time limit of the run left no time for trials");
        let blamed: Vec<Vec<Blamed>> =
            asked.iter().map(|index| done[*index].take().unwrap_or_else(|| left_out(*index))).collect();
        for (index, mut blamed) in asked.into_iter().zip(blamed) {
            let compared = results[index].compared.iter_mut();
            for finding in compared.flat_map(|compared| &mut compared.findings) {
                if let Some(at) = blamed.iter().position(|of| of.id == finding.id) {
                    enter_answered(finding, blamed.swap_remove(at).answered());
                }
            }
        }
        Ok(ended)
    }
}

/// Where builds are made to be tried.
pub struct Workplace<'a> {
    /// Where drivers lie.
    pub drivers: &'a Path,
    /// Where builds are made; removed when all is done.
    pub trials: PathBuf,
    /// Objects that were made before.
    pub shelf: &'a Shelf,
    /// Whether what differs first is looked for again.
    pub locates: bool,
}

/// What is found out of findings of one function of a library, in their order.
///
/// # Errors
///
/// Where the function can no longer be driven, or its workers do not start.
pub fn of_function(
    request: &Request,
    versions: &Versions,
    of: &LibraryFunction,
    findings: &[&Finding],
    Workplace { drivers, trials: folder, shelf, locates }: Workplace<'_>,
    clock: &Clock,
    progress: &dyn Progress,
) -> Result<Vec<Answered>, AnalysisError> {
    std::fs::create_dir_all(&folder).map_err(|error| AnalysisError::Usage(format!("{}: {error}", folder.display())))?;
    let prepared = versions.prepared(of, drivers).map_err(AnalysisError::Usage)?;
    let (inputs, outputs) = (prepared.signature.input_layout(), prepared.signature.output_layout());
    let asked = super::asked(&prepared, &inputs, findings)?;
    let mut observers = observers::start(request, &prepared)?;
    observers.set_clocks(clock, clock);
    let library = &versions.all[0].library;
    let maker = OfLibrary { library, of, prepared: &prepared, shelf, clock };
    let policy =
        Policy { watched: request.run.watched, ulps: request.ulps, traces: request.compare_traces, results: true };
    let (inputs, outputs, folder) = (&inputs, &outputs, folder.as_path());
    let blaming = Blaming {
        request,
        prepared: &prepared,
        policy,
        inputs,
        outputs,
        maker: &maker,
        folder,
        locates,
        clock,
        progress,
    };
    let answers = blaming.answers(&asked, &mut observers);
    drop(observers);
    let _ = std::fs::remove_dir_all(folder);
    answers
}

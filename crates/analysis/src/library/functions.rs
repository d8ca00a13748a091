//! The chosen functions of a library, worked through by a schedule.

use std::collections::BTreeMap;

use labrys_program::{Fingerprints, LibraryFunction};
use labrys_report::{FunctionSummary, Status};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::build::{Library, summary};
use super::schedule::{Schedule, Task};
use crate::run::clock::Clock;
use crate::{AnalysisError, Progress};

/// Remarks listed that several functions share.
const SHARED_NOTES: usize = 12;

/// What the analysis of one function comes to.
pub trait FunctionOutcome: Serialize + DeserializeOwned + Send {
    /// That of a function that was not analysed: its summary says why.
    fn unanalysed(summary: FunctionSummary) -> Self;
}

/// That of a function that cannot be analysed.
pub fn failed<R: FunctionOutcome>(of: &LibraryFunction, why: String) -> R {
    R::unanalysed(FunctionSummary { failure: Some(why), ..summary(of) })
}

/// The analysis of one function: its clock, and who may interrupt it; or why there is none.
pub type Analyse<'w, R> = dyn Fn(&LibraryFunction, &Clock, &dyn Progress) -> Result<R, String> + Sync + 'w;

/// The functions of a run.
pub struct Functions<'a> {
    /// The library that they are of.
    pub library: &'a Library,
    /// When they are analysed.
    pub schedule: &'a Schedule<'a>,
    /// Those that match the patterns.
    pub chosen: Vec<&'a LibraryFunction>,
}

impl<'a> Functions<'a> {
    /// Those that match the patterns.
    pub fn new(library: &'a Library, schedule: &'a Schedule<'a>) -> Functions<'a> {
        Functions { library, schedule, chosen: library.chosen().collect() }
    }

    /// A task for each: its code, and that of what runs first. Kept under the analysis' name and its own.
    pub fn tasks(&self, analysis: &str) -> Vec<Task> {
        let fingerprints = Fingerprints::new(&self.library.program);
        let task = |of: &&LibraryFunction| Task {
            name: format!("{analysis}{}", of.name),
            fingerprint: self.library.fingerprint(&fingerprints, Some(of)),
        };
        self.chosen.iter().map(task).collect()
    }

    /// Analyses each, until `phase` is over where others come after it; results in the order of functions.
    ///
    /// # Errors
    ///
    /// Where results cannot be kept.
    pub fn analyse<R: FunctionOutcome>(
        &self,
        tasks: &[Task],
        phase: &Clock,
        analyse: &Analyse<'_, R>,
    ) -> Result<Vec<R>, AnalysisError> {
        let work = |index: usize, clock: &Clock, progress: &dyn Progress| analyse(self.chosen[index], clock, progress);
        let failed = |index: usize, why| failed(self.chosen[index], why);
        let size = |index: usize| self.library.size(self.chosen[index]);
        let results = self.schedule.run_functions(tasks, &size, phase, &work, &failed)?;
        let of_all = self.chosen.iter().zip(results);
        let why = match self.schedule.progress.interrupted() {
            true => "the run was interrupted before its turn was over",
            false => "the time limit of the run",
        };
        Ok(of_all.map(|(of, result)| result.unwrap_or_else(|| not_done(of, why))).collect())
    }
}

/// That of a function whose turn did not come, or was not over when the run ended.
fn not_done<R: FunctionOutcome>(of: &LibraryFunction, why: &str) -> R {
    R::unanalysed(FunctionSummary { failure: Some(why.to_owned()), status: Status::Limit, ..summary(of) })
}

/// What several functions' analyses remarked in the same words, most frequent first; among equals in the order of `notes`.
pub fn shared_notes<'n>(notes: impl IntoIterator<Item = &'n String>) -> Vec<String> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (place, note) in notes.into_iter().enumerate() {
        counts.entry(note).or_insert((place, 0)).1 += 1;
    }
    let mut counts: Vec<(&str, (usize, usize))> = counts.into_iter().filter(|(_, (_, count))| *count > 1).collect();
    counts.sort_by_key(|(_, (place, count))| (std::cmp::Reverse(*count), *place));
    counts.into_iter().take(SHARED_NOTES).map(|(note, (_, count))| format!("in {count} functions: {note}")).collect()
}

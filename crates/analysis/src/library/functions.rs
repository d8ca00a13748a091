//! The chosen functions of a library, worked through by a schedule.

use std::collections::BTreeMap;

use indexmap::IndexSet;
use labrys_program::{Fingerprints, LibraryFunction};
use labrys_report::{FunctionSummary, Status};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::build::{Library, summary};
use super::campaign::{Missing, PartDone};
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
    let of = summary(of);
    // Reports say of which function it is, as many errors do.
    let without_name = why.strip_prefix(&format!("{}: ", of.function)).map(str::to_owned);
    R::unanalysed(FunctionSummary { failure: Some(without_name.unwrap_or(why)), status: Status::Failed, ..of })
}

/// The analysis that a piece is (its place among the pieces), of its function: its clock, and who may interrupt it; or why there is none.
pub type Analyse<'w, R> = dyn Fn(usize, &LibraryFunction, &Clock, &dyn Progress) -> Result<R, String> + Sync + 'w;

/// Something to do of a function: its whole analysis, or a part of it.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The function's place among those of the run.
    pub function: usize,
    /// Under what its result is kept.
    pub task: Task,
    /// How large it is, where nobody knows how long it takes.
    pub size: usize,
}

/// What the pieces of a run came to.
pub enum Worked<R> {
    /// Their results, in their order.
    All(Vec<R>),
    /// This process did a part of them, which is kept.
    Part(PartDone),
}

/// The functions of a run.
pub struct Functions<'a> {
    /// The library that they are of.
    pub library: &'a Library,
    /// When they are analysed.
    pub schedule: &'a Schedule<'a>,
    /// Those that match the patterns.
    pub chosen: Vec<&'a LibraryFunction>,
    /// Whether a part of a run has more to do behind their analysis, and is not finished with it.
    pub is_followed: bool,
}

impl<'a> Functions<'a> {
    /// Those that match the patterns.
    pub fn new(library: &'a Library, schedule: &'a Schedule<'a>) -> Functions<'a> {
        Functions { library, schedule, chosen: library.chosen().collect(), is_followed: false }
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

    /// A piece for each function: all of it. `tasks` are theirs.
    pub fn whole(&self, tasks: Vec<Task>) -> Vec<Piece> {
        let piece =
            |(function, task): (usize, Task)| Piece { function, task, size: self.library.size(self.chosen[function]) };
        tasks.into_iter().enumerate().map(piece).collect()
    }

    /// The pieces of the part that is done here, by their places; `None` of a whole run.
    ///
    /// # Errors
    ///
    /// Where the folder of an earlier run cannot be read.
    pub fn own(&self, pieces: &[Piece]) -> Result<Option<Vec<usize>>, AnalysisError> {
        let Some(shard) = self.schedule.shard(false) else { return Ok(None) };
        let tasks: Vec<Task> = pieces.iter().map(|piece| piece.task.clone()).collect();
        let sizes: Vec<usize> = pieces.iter().map(|piece| piece.size).collect();
        self.schedule.own(&tasks, &sizes, shard).map(Some)
    }

    /// Does each piece, until `phase` is over where others come after it; results in the order of pieces. Where this is a part of a run, only those
    /// that are its own.
    ///
    /// # Errors
    ///
    /// Where results cannot be kept, or others' lack some.
    pub fn analyse<R: FunctionOutcome>(
        &self,
        pieces: &[Piece],
        phase: &Clock,
        analyse: &Analyse<'_, R>,
    ) -> Result<Worked<R>, AnalysisError> {
        let schedule = self.schedule;
        let of = |index: usize| self.chosen[pieces[index].function];
        let work = |index: usize, clock: &Clock, progress: &dyn Progress| analyse(index, of(index), clock, progress);
        let failed = |index: usize, why| failed(of(index), why);
        let size = |index: usize| pieces[index].size;
        let tasks: Vec<Task> = pieces.iter().map(|piece| piece.task.clone()).collect();
        if let Some(own) = self.own(pieces)? {
            let lost = AnalysisError::Internal("a part of a run without a folder");
            let begun = schedule.note_part(&tasks, &own, None)?.ok_or(lost)?;
            let results: Vec<Option<R>> = schedule.run_functions((&tasks, &own), &size, phase, &work, &failed)?;
            let done = results.iter().flatten().count();
            if !self.is_followed {
                schedule.note_part(&tasks, &own, Some(done))?;
            }
            return Ok(Worked::Part(PartDone { done, ..begun }));
        }
        let all: Vec<usize> = (0..pieces.len()).collect();
        let results = schedule.run_functions((&tasks, &all), &size, phase, &work, &failed)?;
        let lacking = results.iter().zip(&tasks).filter(|(result, _)| result.is_none());
        schedule
            .must_have(&lacking.map(|(_, task)| task.name.trim()).collect::<Vec<_>>(), schedule.campaign.missing)?;
        let why = match (schedule.progress.interrupted(), schedule.campaign.missing) {
            (true, _) => "the run was interrupted before its turn was over",
            (false, Missing::Leave) => "no shard has its result",
            (false, _) => "the time limit of the run",
        };
        let done = |(index, result): (usize, Option<R>)| result.unwrap_or_else(|| not_done(of(index), why));
        Ok(Worked::All(results.into_iter().enumerate().map(done).collect()))
    }
}

/// That of a function whose turn did not come, or was not over when the run ended.
fn not_done<R: FunctionOutcome>(of: &LibraryFunction, why: &str) -> R {
    R::unanalysed(FunctionSummary { failure: Some(why.to_owned()), status: Status::Limit, ..summary(of) })
}

/// What several functions' analyses remarked in the same words, most frequent first; among equals in the order of `notes`, which are those of each
/// function. One that is there twice for a function counts once.
pub fn shared_notes<'n>(notes: impl IntoIterator<Item = &'n [String]>) -> Vec<String> {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let distinct = notes.into_iter().flat_map(|of_one| of_one.iter().collect::<IndexSet<_>>());
    for (place, note) in distinct.enumerate() {
        counts.entry(note).or_insert((place, 0)).1 += 1;
    }
    let mut counts: Vec<(&str, (usize, usize))> = counts.into_iter().filter(|(_, (_, count))| *count > 1).collect();
    counts.sort_by_key(|(_, (place, count))| (std::cmp::Reverse(*count), *place));
    counts.into_iter().take(SHARED_NOTES).map(|(note, (_, count))| format!("in {count} functions: {note}")).collect()
}

#[cfg(test)]
mod tests {
    use super::shared_notes;

    /// What diff said of one function twice stood for two.
    #[test]
    fn a_remark_is_counted_once_for_a_function() {
        let [first, second] = [["a", "a", "b"], ["b", "c", "c"]].map(|notes| notes.map(str::to_owned));
        assert_eq!(shared_notes([&first[..], &second[..]]), ["in 2 functions: b"]);
    }
}

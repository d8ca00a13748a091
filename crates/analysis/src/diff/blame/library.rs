//! Blame for the findings of a library run: a stage behind the comparison of all functions.
//!
//! Findings of one source are one task, so that what is made to be tried serves all functions of the source. What a task came to is kept as the functions' results are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use labrys_program::LibraryFunction;
use labrys_report::{Blame, Finding};
use serde::{Deserialize, Serialize};

use super::units::{OfLibrary, Shelf};
use super::{Answer, Blaming, enter};
use crate::AnalysisError;
use crate::diff::compare::Policy;
use crate::diff::library::{FunctionResult, Versions};
use crate::diff::observers;
use crate::diff::request::Request;
use crate::library::extended;
use crate::library::schedule::{Schedule, Task};
use crate::run::clock::{Clock, share_among};
use crate::run::progress::Progress;

/// How long the trials of one finding may take where the user says nothing of time; for the findings of a source together.
const FINDING_TIME: Duration = Duration::from_secs(40);

/// What the stage works on.
pub struct Stage<'a> {
    /// What was asked for.
    pub request: &'a Request,
    /// The builds.
    pub versions: &'a Versions,
    /// The functions, as they were compared.
    pub functions: &'a [&'a LibraryFunction],
    /// Their tasks.
    pub tasks: &'a [Task],
    /// How tasks are worked through.
    pub schedule: &'a Schedule<'a>,
    /// Where drivers lie, and what is made to be tried.
    pub folder: &'a Path,
}

/// What is found out of a finding.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Blamed {
    id: String,
    blame: Option<Blame>,
    unblamed: Option<String>,
}

impl Blamed {
    fn new(id: &str, answer: Answer) -> Blamed {
        let (blame, unblamed) = match answer {
            Ok(blame) => (Some(blame), None),
            Err(why) => (None, Some(why)),
        };
        Blamed { id: id.to_owned(), blame, unblamed }
    }

    fn answer(self) -> Answer {
        self.blame.ok_or_else(|| self.unblamed.unwrap_or_default())
    }
}

/// Enters into the functions' findings what is to blame, or why that is not known.
///
/// # Errors
///
/// Where results cannot be kept.
pub fn blame_library(stage: &Stage<'_>, results: &mut [FunctionResult]) -> Result<(), AnalysisError> {
    let mut by_unit: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for (index, of) in stage.functions.iter().enumerate().filter(|(index, _)| !found(&results[*index]).is_empty()) {
        by_unit.entry(of.unit).or_default().push(index);
    }
    let groups: Vec<Vec<usize>> = by_unit.into_values().collect();
    let task = |group: &Vec<usize>| {
        let (mut fingerprint, mut name) = (Default::default(), "blame".to_owned());
        for index in group {
            let ids: Vec<&str> = found(&results[*index]).iter().map(|finding| finding.id.as_str()).collect();
            fingerprint = extended(&fingerprint, &format!("{:?} {ids:?}", stage.tasks[*index].fingerprint));
            name.push_str(&format!(" {}", stage.functions[*index].name));
        }
        Task { name, fingerprint }
    };
    let tasks: Vec<Task> = groups.iter().map(task).collect();
    let findings = |group: &[usize]| -> usize { group.iter().map(|index| found(&results[*index]).len()).sum() };
    let most = groups.iter().map(|group| findings(group)).max().unwrap_or(1);
    let clock = stage.schedule.clock;
    let time = |left: usize, workers: usize| match clock.left() {
        Some(time) => share_among(time, left, workers),
        None => FINDING_TIME * u32::try_from(most).unwrap_or(1),
    };
    let order: Vec<usize> = (0..tasks.len()).collect();
    let read_only: &[FunctionResult] = results;
    let work = |index: usize, clock: &Clock, progress: &dyn Progress| -> Result<Vec<Blamed>, String> {
        Ok(stage.of_source(index, &groups[index], read_only, clock, progress))
    };
    let all_of = |index: usize, why: &str| -> Vec<Blamed> {
        let ids = groups[index].iter().flat_map(|of| found(&read_only[*of]));
        ids.map(|finding| Blamed::new(&finding.id, Err(why.to_owned()))).collect()
    };
    let failed = |index: usize, why: String| all_of(index, &why);
    let done = stage.schedule.run(&tasks, &order, (clock, &time), &work, &failed)?;
    let done: Vec<Vec<Blamed>> = done
        .into_iter()
        .enumerate()
        .map(|(index, done)| done.unwrap_or_else(|| all_of(index, "the time limit of the run left no time for trials")))
        .collect();
    for (group, blamed) in groups.iter().zip(done) {
        let mut blamed = blamed.into_iter();
        for index in group {
            let compared = results[*index].compared.iter_mut();
            for finding in compared.flat_map(|compared| &mut compared.findings) {
                // They stand in the order in which they were asked for.
                if let Some(of) = blamed.next().filter(|of| of.id == finding.id) {
                    enter(finding, of.answer());
                }
            }
        }
    }
    Ok(())
}

fn found(result: &FunctionResult) -> &[Finding] {
    result.compared.as_ref().map_or(&[], |compared| &compared.findings)
}

impl Stage<'_> {
    /// What is found out of the findings of a source's functions, in their order.
    fn of_source(
        &self,
        number: usize,
        functions: &[usize],
        results: &[FunctionResult],
        clock: &Clock,
        progress: &dyn Progress,
    ) -> Vec<Blamed> {
        let shelf = Shelf::new(self.folder.join(format!("blame-unit-{number}")));
        let mut all = Vec::new();
        for (done, index) in functions.iter().enumerate() {
            let findings: Vec<&Finding> = found(&results[*index]).iter().collect();
            let share = clock.part_left(u32::try_from(100 / (functions.len() - done)).unwrap_or(100));
            let work = Workplace {
                drivers: self.folder,
                trials: self.folder.join(format!("blame-{number}-{done}")),
                shelf: &shelf,
            };
            let answers =
                of_function(self.request, self.versions, self.functions[*index], &findings, work, &share, progress);
            let answers = answers.unwrap_or_else(|error| {
                let why = error.to_string();
                findings.iter().map(|_| Err(why.clone())).collect()
            });
            all.extend(findings.iter().zip(answers).map(|(finding, answer)| Blamed::new(&finding.id, answer)));
        }
        all
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
    Workplace { drivers, trials: folder, shelf }: Workplace<'_>,
    clock: &Clock,
    progress: &dyn Progress,
) -> Result<Vec<Answer>, AnalysisError> {
    std::fs::create_dir_all(&folder).map_err(|error| AnalysisError::Usage(format!("{}: {error}", folder.display())))?;
    let prepared = versions.prepared(of, drivers).map_err(AnalysisError::Usage)?;
    let (inputs, outputs) = (prepared.signature.input_layout(), prepared.signature.output_layout());
    let asked = super::later::asked(&prepared, &inputs, findings)?;
    let mut observers = observers::start(request, &prepared)?;
    observers.set_clocks(clock, clock);
    let library = &versions.all[0].library;
    let maker = OfLibrary { library, of, prepared: &prepared, shelf, clock };
    let policy = Policy { watched: request.run.watched, ulps: request.ulps, traces: request.compare_traces };
    let (inputs, outputs, folder) = (&inputs, &outputs, folder.as_path());
    let blaming =
        Blaming { request, prepared: &prepared, policy, inputs, outputs, maker: &maker, folder, clock, progress };
    let answers = blaming.answers(&asked, &mut observers);
    drop(observers);
    let _ = std::fs::remove_dir_all(folder);
    answers
}

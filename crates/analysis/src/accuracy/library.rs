//! A run over a library: each matching function is analysed, several at a time, resumably.

use labrys_native::Driver;
use labrys_program::LibraryFunction;
use labrys_report::{ErrorOperations, Finding, FunctionSummary};

use super::function::{self, FunctionResult};
use super::reference::{ReferenceFiles, must_fit};
use super::request::Request;
use super::write_up;
use crate::callers::{ASKING_PART, Asked, Asks, Caller, Question, Stage, answer};
use crate::inputs::domain::Domain;
use crate::library::campaign::Outcome;
use crate::library::functions::{FunctionOutcome, Functions, Worked};
use crate::library::one_build::BuiltLibrary;
use crate::run::clock::Clock;
use crate::run::options::RunOptions;
use crate::target::unit::Unit;
use crate::{AnalysisError, Progress};

/// Analyses the functions of a library.
///
/// # Errors
///
/// Where results cannot be kept, or a reference fits no function or cannot be built.
pub fn run(request: &Request, built: &BuiltLibrary<'_>) -> Result<Outcome, AnalysisError> {
    let BuiltLibrary { library, schedule, .. } = built;
    let functions = Functions::new(library, schedule);
    must_fit(request, &library.chosen().map(|of| of.name.as_str()).collect::<Vec<_>>())?;
    let references = ReferenceFiles::build(request, schedule.clock)?;
    schedule.progress.phase("analysing");
    let analyse = |_: usize, of: &LibraryFunction, clock: &Clock, progress: &dyn Progress| {
        built.of_function(of, |unit, driver| function::analyse(request, &references, unit, driver, clock, progress))
    };
    let tasks = functions.tasks("accuracy ");
    let pieces = functions.whole(tasks.clone());
    let phase = match Stage::<Askable<'_>>::may_ask(&functions) {
        true => schedule.clock.share(100 - 100 / ASKING_PART),
        false => *schedule.clock,
    };
    let mut results = match functions.analyse(&pieces, &phase, &analyse)? {
        Worked::All(results) => results,
        Worked::Part(part) => return Ok(Outcome::Part(part)),
    };
    let asks = Askable { request, built, references: &references };
    let stage = Stage { asks: &asks, functions: &functions, tasks: &tasks, clock: schedule.clock };
    stage.enter(&mut results.iter_mut().map(|result| &mut result.findings[..]).collect::<Vec<_>>())?;
    Ok(write_up::of_library(request, built, results).into())
}

/// The functions of a library, ready to be asked what they show of errors that were found in functions which they call.
struct Askable<'a> {
    request: &'a Request,
    built: &'a BuiltLibrary<'a>,
    references: &'a ReferenceFiles,
}

impl Asks for Askable<'_> {
    /// The same operation, at a known place, makes most of an error of the same kind that is half as large at least, in bits.
    fn shows(&self, finding: &Finding, seen: &Finding) -> bool {
        let (Some(details), Some(other)) = (finding.accuracy(), seen.accuracy()) else { return false };
        let (Some(cause), Some(of_other)) = (details.causes.first(), other.causes.first()) else { return false };
        let is_as_large = match (details.error.bits, other.error.bits) {
            (Some(bits), Some(other)) => other >= bits / 2.0,
            (bits, other) => bits.is_none() && other.is_none(),
        };
        let is_same =
            cause.place.line.is_some() && cause.place == of_other.place && cause.operator == of_other.operator;
        is_same && is_as_large && finding.severity == seen.severity
    }

    fn ask(
        &self,
        of: &LibraryFunction,
        question: &Question,
        clock: &Clock,
        progress: &dyn Progress,
    ) -> Result<Asked, String> {
        let Askable { request, built, references } = *self;
        let ask = |unit: &Unit, driver: &Driver| {
            let usage = |why: String| AnalysisError::Usage(why);
            let analysed = unit.analysed.as_deref().map_err(|why| usage(why.clone()))?;
            let domain = Domain::new(&request.run.domain(), &unit.signature)?;
            let (signature, init) = (&unit.signature, unit.init.as_deref());
            let caller = Caller { run: &request.run, analysed, signature, init, domain: &domain, clock, progress };
            let run = |given: Vec<String>| {
                let run = RunOptions { given, ..request.run.clone() };
                let request = Request { run, proves_bounds: false, compare_random: false, ..request.clone() };
                let result = function::analyse(&request, references, unit, driver, clock, progress);
                result.map(|result| result.findings).map_err(|error| error.to_string())
            };
            answer(&caller, question, &|finding, seen| self.shows(finding, seen), &run).map_err(usage)
        };
        built.of_function(of, ask)
    }
}

impl FunctionOutcome for FunctionResult {
    fn unanalysed(summary: FunctionSummary) -> FunctionResult {
        FunctionResult {
            summary,
            findings: Vec::new(),
            notes: Vec::new(),
            bounds: Vec::new(),
            certificates: Vec::new(),
            operations: ErrorOperations::default(),
            contradictions: Vec::new(),
            inputs: 0,
            random_inputs: None,
            seconds: 0.0,
            first_large: None,
        }
    }
}

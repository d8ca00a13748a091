//! A run over a library: each matching function is analysed, then the public ones are asked for what was found in others.
//!
//! What was analysed once is found again under the same function, the same code that it can reach and the same options;
//! so an undisturbed run and one that was killed and started again come to the same findings.

use std::sync::Arc;
use std::time::Duration;

use labrys_native::Driver;
use labrys_program::{FunctionId, LibraryFunction};
use labrys_report::FunctionSummary;
use labrys_symex::{Site, static_sites_in};
use rustc_hash::FxHashSet;

use super::caller_goal::Assignment;
use super::function::{self, FunctionResult};
use super::pairs::{Focus, PairKey};
use super::questions::{Question, questions};
use super::request::Request;
use super::work::Work;
use super::{answers, merge, parts, write_up};
use crate::callers::{ASKING_PART, Callers, share_of_each};
use crate::library::build::Library;
use crate::library::campaign::{Outcome, PartDone};
use crate::library::extended;
use crate::library::functions::{FunctionOutcome, Functions, Piece, Worked, failed};
use crate::library::one_build::BuiltLibrary;
use crate::library::schedule::{DEFAULT_FUNCTION_TIME, Schedule, Task};
use crate::run::clock::Clock;
use crate::run::record::{from_here, place_of_location};
use crate::target::unit::Unit;
use crate::{AnalysisError, Progress};

/// Analyses the functions of a library.
///
/// # Errors
///
/// Where results cannot be kept.
pub fn run(request: &Request, built: &BuiltLibrary<'_>) -> Result<Outcome, AnalysisError> {
    match Run::new(request, built).all(&built.schedule)? {
        Worked::All(results) => {
            let Library { program, names, build, .. } = &built.library;
            let merged = merge::merge(program, names, &build.functions, request.run.watched, results);
            Ok(write_up::of_library(request, built, merged).into())
        }
        Worked::Part(part) => Ok(Outcome::Part(part)),
    }
}

/// The analyses of a library's functions.
struct Run<'a> {
    request: &'a Request,
    built: &'a BuiltLibrary<'a>,
    library: &'a Library,
    functions: Functions<'a>,
    /// Those that are analysed by themselves.
    driven: FxHashSet<FunctionId>,
    /// Their names and files.
    driven_names: FxHashSet<(String, String)>,
}

impl<'a> Run<'a> {
    fn new(request: &'a Request, built: &'a BuiltLibrary<'a>) -> Run<'a> {
        let library = &built.library;
        let functions = Functions::new(library, &built.schedule);
        let is_driven = |of: &&&LibraryFunction| of.signature.is_ok() && of.binding.is_some();
        let all = || functions.chosen.iter().filter(is_driven);
        let driven = all().map(|of| of.function).collect();
        let driven_names = all().map(|of| (of.source_name.clone(), from_here(of.file.clone()))).collect();
        Run { request, built, library, functions, driven, driven_names }
    }

    /// Analyses all functions, and asks the public ones for what was found in others; results in the order of functions.
    fn all(&self, schedule: &Schedule<'_>) -> Result<Worked<FunctionResult>, AnalysisError> {
        schedule.progress.phase("analysing");
        let tasks = self.functions.tasks("");
        let phase = if self.may_ask() { schedule.clock.share(100 - 100 / ASKING_PART) } else { *schedule.clock };
        let parts: Vec<Vec<Vec<PairKey>>> = self.functions.chosen.iter().map(|of| self.parts(of)).collect();
        let (pieces, focuses) = self.pieces(&tasks, &parts);
        let analyse = |index: usize, of: &LibraryFunction, clock: &Clock, progress: &dyn Progress| {
            let assignment = Assignment { focus: focuses[index].clone(), ..Assignment::default() };
            self.analyse(of, &assignment, clock, progress)
        };
        let mut of_pieces = match self.functions.analyse(&pieces, &phase, &analyse)? {
            Worked::All(results) => results.into_iter(),
            part @ Worked::Part(_) => return Ok(part),
        };
        let of_function = |parts: &Vec<Vec<PairKey>>| {
            let of_parts: Vec<FunctionResult> = of_pieces.by_ref().take(parts.len().max(1)).collect();
            parts::together(parts, of_parts)
        };
        let mut results: Vec<FunctionResult> = parts.iter().map(of_function).collect();
        match self.ask_callers(schedule, &tasks, &mut results)? {
            Some(part) => Ok(Worked::Part(part)),
            None => Ok(Worked::All(results)),
        }
    }

    /// The parts of a function's pairs; one or none where they are decided together.
    fn parts(&self, of: &LibraryFunction) -> Vec<Vec<PairKey>> {
        let Some(most) = self.request.split.filter(|_| self.driven.contains(&of.function)) else { return Vec::new() };
        let (program, names) = (&self.library.program, Arc::clone(&self.library.names));
        let watched = self.request.run.watched;
        parts::parts(program, of.function, (names, &self.focus(of)), watched, most as usize)
    }

    /// What there is to do: each function, or each part of its pairs; and what is decided there.
    fn pieces(&self, tasks: &[Task], parts: &[Vec<Vec<PairKey>>]) -> (Vec<Piece>, Vec<Focus>) {
        let (mut pieces, mut focuses) = (Vec::new(), Vec::new());
        for (whole, of_parts) in self.functions.whole(tasks.to_vec()).into_iter().zip(parts) {
            let count = of_parts.len();
            if count < 2 {
                focuses.push(Focus::Functions(self.focus(self.functions.chosen[whole.function])));
                pieces.push(whole);
                continue;
            }
            for (number, part) in of_parts.iter().enumerate() {
                let Task { name, fingerprint } = &whole.task;
                let name = format!("{name}, part {} of {count}", number + 1);
                let task = Task { name, fingerprint: extended(fingerprint, &parts::words(part)) };
                focuses.push(Focus::Part(part.iter().cloned().collect()));
                pieces.push(Piece { task, size: whole.size.div_ceil(count), function: whole.function });
            }
        }
        (pieces, focuses)
    }

    /// Asks public functions for what was found in others, and enters what they answer. Where only a part of them is asked here, what that came to.
    fn ask_callers(
        &self,
        schedule: &Schedule<'_>,
        of_functions: &[Task],
        results: &mut [FunctionResult],
    ) -> Result<Option<PartDone>, AnalysisError> {
        let callers = Callers::new(&self.library.program, &self.library.graph);
        let mut questions = questions(&self.library.graph, &callers, &self.functions.chosen, results);
        let (number, of_question) = self.time_of_questions(schedule, questions.len());
        questions.truncate(number);
        let shard = schedule.shard(true);
        if questions.is_empty() && shard.is_none() {
            return Ok(None);
        }
        schedule.progress.phase("asking callers");
        let task = |question: &Question| {
            let Task { name, fingerprint } = &of_functions[question.job];
            let name = format!("{name}, asked for others' findings");
            Task { name, fingerprint: extended(fingerprint, &question.words()) }
        };
        let tasks: Vec<Task> = questions.iter().map(task).collect();
        let order: Vec<usize> = (0..tasks.len()).collect();
        let work = |index: usize, clock: &Clock, progress: &dyn Progress| {
            let question = &questions[index];
            let set = |pairs: &[PairKey]| pairs.iter().cloned().collect();
            let focus = Focus::Asked { sought: set(&question.sought), noticed: set(&question.noticed) };
            let assignment = Assignment { focus, goal: question.goal.clone() };
            self.analyse(self.functions.chosen[question.job], &assignment, clock, progress)
        };
        let failed = |index: usize, why| failed(self.functions.chosen[questions[index].job], why);
        let time = |_: usize, _: usize| of_question;
        if let Some(shard) = shard {
            let own = schedule.own(&tasks, &vec![1; tasks.len()], shard)?;
            schedule.note_part(&tasks, &own, None)?;
            let answers: Vec<Option<FunctionResult>> =
                schedule.run(&tasks, &own, (schedule.clock, &time), &work, &failed)?;
            return schedule.note_part(&tasks, &own, Some(answers.iter().flatten().count()));
        }
        let missing = schedule.campaign.missing_answers;
        let answers: Vec<Option<FunctionResult>> = match schedule.only_gathers(missing) {
            true => schedule.all_kept(&tasks, &order)?,
            false => schedule.run(&tasks, &order, (schedule.clock, &time), &work, &failed)?,
        };
        let lacking = answers.iter().zip(&tasks).filter(|(answer, _)| answer.is_none());
        schedule.must_have(&lacking.map(|(_, task)| task.name.as_str()).collect::<Vec<_>>(), missing)?;
        for (question, answer) in questions.iter().zip(answers) {
            if let Some(answer) = answer.filter(|answer| answer.summary.failure.is_none()) {
                answers::enter(&mut results[question.job], question, answer);
            }
        }
        Ok(None)
    }

    /// One function's analysis; or why there is none.
    fn analyse(
        &self,
        of: &LibraryFunction,
        assignment: &Assignment,
        clock: &Clock,
        progress: &dyn Progress,
    ) -> Result<FunctionResult, String> {
        let analyse =
            |unit: &Unit, driver: &Driver| function::analyse(self.request, unit, assignment, driver, clock, progress);
        self.built.of_function(of, analyse)
    }

    /// Whether some function may be asked for what is found in others: otherwise no time need be kept back.
    fn may_ask(&self) -> bool {
        let calls_others = |of: &&&LibraryFunction| {
            let is_other = |id: &FunctionId| *id != of.function && self.driven.contains(id);
            self.library.graph.reachable(of.function).iter().any(is_other)
        };
        self.functions.chosen.iter().filter(|of| of.is_public && of.binding.is_some()).any(|of| calls_others(&of))
    }

    /// Of so many questions how many may be asked, and how long each may take: all together a part of what the functions may take.
    fn time_of_questions(&self, schedule: &Schedule<'_>, questions: usize) -> (usize, Duration) {
        let workers = self.request.schedule.jobs.max(1);
        let longest = self.request.schedule.function_time.unwrap_or(DEFAULT_FUNCTION_TIME);
        let all = match schedule.clock.left() {
            // The run's own limit ends everything: a little is kept back for the report.
            Some(left) if schedule.shares_time() => left.mul_f64(0.95 * workers as f64),
            _ => longest.mul_f64(self.functions.chosen.len() as f64 / f64::from(ASKING_PART)),
        };
        share_of_each(all, longest, questions)
    }

    /// The function itself, and those that it calls, or that are inlined, and that have no analysis of their own in this run.
    fn focus(&self, of: &LibraryFunction) -> FxHashSet<String> {
        let own = std::iter::once(of.source_name.clone());
        let mut called = self.library.graph.reachable(of.function);
        called.retain(|id| *id != of.function && !self.driven.contains(id));
        let name = |id: &FunctionId| {
            let ir = self.library.program.functions.get(id.index())?;
            self.library.names.get(&ir.name).map(str::to_owned)
        };
        let mut focus: FxHashSet<String> = own.chain(called.iter().filter_map(name)).collect();
        let program = &self.library.program;
        called.push(of.function);
        let is_inlined = |site: &Site| {
            let location = site.location.and_then(|id| program.locations.get(id.index()));
            location.is_some_and(|location| location.inlined_at.is_some())
        };
        for site in static_sites_in(program, &called).iter().filter(|site| is_inlined(site)) {
            let name = self.library.names.of_site(program, site);
            let file = place_of_location(program, site.location).file.unwrap_or_default();
            let place = (name, file);
            if !self.driven_names.contains(&place) {
                focus.insert(place.0);
            }
        }
        focus
    }
}

impl FunctionOutcome for FunctionResult {
    fn unanalysed(summary: FunctionSummary) -> FunctionResult {
        let (sites, findings) = (Vec::new(), Vec::new());
        FunctionResult {
            summary,
            sites,
            findings,
            notes: Vec::new(),
            contradictions: Vec::new(),
            work: Work::default(),
        }
    }
}

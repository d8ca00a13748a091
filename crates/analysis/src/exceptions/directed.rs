//! The way to a call: inputs of a caller on which it calls another function with arguments near those on which that one was seen to
//! raise something.
//!
//! Paths of the caller are followed to the call and no further, so that the called function's own loops cost nothing. For each
//! path the float solver is asked for inputs that take it and pass these arguments, bit for bit; if it has none, for
//! arguments nearby, and at last for one argument at a time: callers compute several from one, and an exception needs few of
//! them. What it answers is run like any other candidate: only what is observed counts, and nothing is proved here.

use std::sync::Arc;
use std::time::Duration;

use labrys_program::FunctionId;
use labrys_solver::FloatOutcome;
use labrys_solver::elementary::check_with_calls;
use labrys_symex::{Exploration, Feasibility, OpenSites, Options};
use labrys_term::{Op, Store, TermId};
use rustc_hash::FxHashSet;

use super::caller_goal::{CallerGoal, WantedCall};
use super::exact::{Exact, ExactSteps};
use super::search::ExceptionSearch;
use crate::AnalysisError;
use crate::callers::{Nearness, Together, passes};
use crate::run::clock::Stop;
use crate::solving::{floats, paths};
use crate::target::unit::Unit;

/// The longest that following paths to the calls may take where the user sets no limit.
const EXPLORATION_LIMIT: Duration = Duration::from_secs(20);
/// Of the time for all of this, the hundredths for following paths.
const EXPLORING_SHARE: u32 = 40;
/// Calls to one function, each with its own arguments, that are asked about on one path.
const MOST_CALLS: usize = 24;
/// Questions to the solver in all.
const MOST_QUESTIONS: usize = 400;
/// Work of one question in the engines' units.
const WORK: u64 = 1_000;
/// Wall-clock time of one question, a backstop.
const WALL: Duration = Duration::from_millis(300);
/// Rounds of refinement of elementary functions.
const REFINEMENTS: usize = 4;

/// What is asked about all paths, one after the other.
const ROUNDS: [(Nearness, Together); 5] = [
    (Nearness::Same, Together::All),
    (Nearness::Close(1), Together::All),
    (Nearness::Wide(4), Together::All),
    (Nearness::Same, Together::Each),
    (Nearness::Close(1), Together::Each),
];

/// Looks for inputs that lead to the calls which a caller's goal wants.
pub struct DirectedSearch<'a> {
    /// How to ask, and until when.
    pub exact: &'a Exact<'a>,
    /// The caller.
    pub unit: &'a Unit,
    /// What is looked for.
    pub goal: &'a CallerGoal,
}

impl DirectedSearch<'_> {
    /// Asks about all wanted calls.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running.
    pub fn run(&self, search: &mut ExceptionSearch<'_>) -> Result<(ExactSteps, Option<Stop>), AnalysisError> {
        let mut steps = ExactSteps::default();
        let mut store = Store::new();
        let Some(exploration) = self.explore(&mut store, search) else { return Ok((steps, None)) };
        let constraints = floats::constraints(&self.exact.request.run, self.exact.domain, &mut store);
        let mut oracle = paths::oracle(self.exact.domain, &mut store).with_libm_ulps(self.exact.request.libm_ulps);
        exploration.library_calls.iter().for_each(|call| oracle.learn(call));
        let mut asked: FxHashSet<(TermId, TermId)> = FxHashSet::default();
        for (nearness, together) in ROUNDS {
            for arrival in &exploration.arrivals {
                let is_open = |call: &&WantedCall| {
                    call.function == arrival.function && call.pairs.iter().any(|pair| search.judge.pairs.is_open(pair))
                };
                let calls: Vec<&WantedCall> = self.goal.calls.iter().filter(is_open).take(MOST_CALLS).collect();
                for call in calls {
                    for passed in passes(&mut store, arrival, &call.arguments, nearness, together) {
                        if steps.queries >= MOST_QUESTIONS {
                            return Ok((steps, Some(Stop::Work)));
                        }
                        if let Some(stop) = self.exact.clock.stop(self.exact.progress) {
                            return Ok((steps, Some(stop)));
                        }
                        let is_new = asked.insert((arrival.path, passed));
                        if !is_new || oracle.rules_out(&mut store, arrival.path, passed) {
                            continue;
                        }
                        let mut query = constraints.clone();
                        query.extend([arrival.path, passed].into_iter().filter(|term| !is_true(&store, *term)));
                        let found = self.input(&mut store, &exploration, &query, &mut steps);
                        if let Some(stop) = search.follow(found.as_slice(), self.exact.clock)? {
                            return Ok((steps, Some(stop)));
                        }
                    }
                }
            }
        }
        Ok((steps, None))
    }

    /// The paths to the wanted calls.
    fn explore(&self, store: &mut Store, search: &ExceptionSearch<'_>) -> Option<Exploration> {
        let analysed = self.unit.analysed.as_ref().ok()?;
        let program = &analysed.program;
        let calls = &self.goal.calls;
        let open = calls.iter().filter(|call| call.pairs.iter().any(|pair| search.judge.pairs.is_open(pair)));
        let mut until: Vec<FunctionId> = open.map(|call| call.function).collect();
        until.sort_unstable();
        until.dedup();
        if until.is_empty() {
            return None;
        }
        let symbols: FxHashSet<&str> =
            until.iter().filter_map(|id| program.functions.get(id.index())).map(|of| of.name.as_str()).collect();
        let sites = search.judge.pairs.open_sites().into_iter().filter(|site| symbols.contains(site.function.as_str()));
        let request = self.exact.request;
        let time = self.exact.clock.part_left(EXPLORING_SHARE);
        let options = Options {
            init: self.unit.init.as_deref().and_then(|symbol| program.function(symbol)),
            wanted: Some(Arc::new(OpenSites::new(sites))),
            until: until.clone(),
            ..paths::options(&request.run, time.deadline(EXPLORATION_LIMIT))
        };
        let mut oracle = paths::oracle(self.exact.domain, store);
        Some(paths::follow(analysed, &self.unit.signature, store, &options, &mut oracle))
    }

    /// An input that satisfies a query, if the solver finds one.
    fn input(
        &self,
        store: &mut Store,
        exploration: &Exploration,
        query: &[TermId],
        steps: &mut ExactSteps,
    ) -> Option<Vec<u8>> {
        let limits = floats::limits(WORK, WALL, self.exact.clock);
        let mut solver = floats::solver(&self.exact.request.run, floats::engines_for(store, query));
        let calls = floats::calls(exploration);
        let ulps = self.exact.request.libm_ulps;
        steps.queries += 1;
        match check_with_calls(store, query, &calls, ulps, &mut *solver, &limits, REFINEMENTS) {
            FloatOutcome::Sat(model) => {
                steps.sat += 1;
                Some(self.exact.domain.record_of(store, &model))
            }
            FloatOutcome::Unsat(_) => {
                steps.unsat += 1;
                None
            }
            FloatOutcome::Unknown(_) => {
                steps.unknown += 1;
                None
            }
        }
    }
}

fn is_true(store: &Store, term: TermId) -> bool {
    store.node(term).op == Op::BoolConst(true)
}

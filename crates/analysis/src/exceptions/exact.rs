//! The exact step: what is open goes to the float solver, bit for bit. A model is an input to run; a pair none of whose
//! executions has one is unreachable, if every path was followed.
//!
//! **Claim.** A pair proved here cannot occur on any input of the search domain, by the IR read strictly: the paths' conditions
//! cover all inputs (every path returned, or left the function), each execution of the site is on one of them, and for each
//! the conjunction of its path with the operation's exception condition has no model. Where paths were cut by the loop
//! bound the claim is about executions within it. libm's functions are taken to be within ±k ulps of the correctly rounded
//! value and to raise what their thresholds say.

use std::time::{Duration, Instant};

use labrys_elementary::{Function, Sense};
use labrys_fuzz::InputClass;
use labrys_interp::Stop as PathStop;
use labrys_program::ScalarType;
use labrys_solver::elementary::{CallTerm, check_with_calls};
use labrys_solver::{EngineChoice, FloatOutcome, FloatSolver, Limits, Log, Portfolio, PortfolioConfig};
use labrys_symex::{Exploration, SiteExecution, StopReason, float_condition_near, leaf_variable};
use labrys_term::{Model, Op, Store, TermId, Value};
use rustc_hash::FxHashMap;

use super::hunt::Hunt;
use super::pairs::{PairKey, Proof};
use super::request::Request;
use crate::clock::{Clock, Stop};
use crate::domain::Domain;
use crate::{AnalysisError, Progress};

/// Work of one query: conflicts of the bit-blaster.
const CONFLICTS: u64 = 2_000;
/// Wall-clock time of one query, a backstop.
const WALL: Duration = Duration::from_secs(2);
/// Rounds of refinement of elementary functions in one query.
const ROUNDS: usize = 6;
/// Formulas with more products, quotients and roots than this are searched only: their circuits have a million clauses.
const MOST_PRODUCTS: usize = 24;
/// A pair with more executions than this is not proved path by path.
const MOST_EXECUTIONS: usize = 400;

/// What the exact step came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactSteps {
    /// Questions asked.
    pub queries: usize,
    /// Questions with a model.
    pub sat: usize,
    /// Questions without.
    pub unsat: usize,
    /// Questions left open.
    pub unknown: usize,
}

/// How far the exploration's paths cover all executions.
pub enum Coverage {
    /// Every path was followed to its end.
    Everything,
    /// All but those that leave a loop's bound.
    WithinBound(u32),
    /// Paths were left for this reason.
    Partly(String),
}

impl Coverage {
    /// What an exploration covers.
    pub fn of(exploration: &Exploration, loop_bound: u32) -> Coverage {
        let mut cut = false;
        for path in &exploration.paths {
            match &path.why {
                // Where a path ends because no open site lies ahead, nothing that is asked about is left out.
                StopReason::Returned | StopReason::NothingOpen => {}
                // The code itself ends there: nothing is executed afterwards.
                StopReason::Stopped(PathStop::Exit(_) | PathStop::AssertionFailed(_)) => {}
                StopReason::Stopped(PathStop::LoopBound) => cut = true,
                why => return Coverage::Partly(why.to_string()),
            }
        }
        if cut { Coverage::WithinBound(loop_bound) } else { Coverage::Everything }
    }
}

/// Everything that asking needs.
pub struct Exact<'a> {
    /// What the user asks.
    pub request: &'a Request,
    /// The search domain.
    pub domain: &'a Domain,
    /// When to stop.
    pub clock: &'a Clock,
    /// Who listens.
    pub progress: &'a dyn Progress,
}

/// How one question ended.
enum Answer {
    Impossible,
    Input(Vec<u8>),
    Open(String),
}

impl Exact<'_> {
    /// Asks about all open pairs.
    ///
    /// # Errors
    ///
    /// Where the worker cannot be kept running.
    pub fn run(
        &self,
        store: &mut Store,
        exploration: &Exploration,
        hunt: &mut Hunt<'_>,
    ) -> Result<(ExactSteps, Option<Stop>), AnalysisError> {
        let mut steps = ExactSteps::default();
        let coverage = Coverage::of(exploration, self.request.run.loop_bound);
        let constraints = self.constraints(store);
        let calls = calls(exploration);
        let mut of_site: FxHashMap<_, Vec<&SiteExecution>> = FxHashMap::default();
        for execution in &exploration.executions {
            if let Some(key) = hunt.pairs.key_of(&execution.site) {
                of_site.entry(key.clone()).or_default().push(execution);
            }
        }
        for pair in hunt.pairs.open() {
            if let Some(stop) = self.clock.stop(self.progress) {
                return Ok((steps, Some(stop)));
            }
            let executions = of_site.get(&pair.0).map_or(&[][..], Vec::as_slice);
            if let Some(stop) =
                self.pair(store, &pair, executions, &constraints, &calls, &coverage, hunt, &mut steps)?
            {
                return Ok((steps, Some(stop)));
            }
        }
        Ok((steps, None))
    }

    #[allow(clippy::too_many_arguments)]
    fn pair(
        &self,
        store: &mut Store,
        pair: &PairKey,
        executions: &[&SiteExecution],
        constraints: &[TermId],
        calls: &[CallTerm],
        coverage: &Coverage,
        hunt: &mut Hunt<'_>,
        steps: &mut ExactSteps,
    ) -> Result<Option<Stop>, AnalysisError> {
        let mut open: Option<String> = None;
        if executions.len() > MOST_EXECUTIONS {
            hunt.pairs.leave(pair, format!("{} executions on the explored paths", executions.len()));
            return Ok(None);
        }
        for execution in executions {
            if let Some(stop) = self.clock.stop(self.progress) {
                return Ok(Some(stop));
            }
            if !execution.site.operator.possible().contains(pair.1) {
                continue;
            }
            match self.question(store, execution, pair, constraints, calls, steps) {
                Answer::Impossible => {}
                Answer::Open(why) => open = Some(why),
                Answer::Input(record) => {
                    // Where no more inputs may be run, proofs go on.
                    if let Some(stop) = hunt.follow(&[record], self.clock)?.filter(|stop| *stop != Stop::Work) {
                        return Ok(Some(stop));
                    }
                    if !hunt.pairs.is_open(pair) {
                        return Ok(None);
                    }
                    open = Some("the float solver's input does not raise it on native code".to_owned());
                }
            }
        }
        match (open, coverage) {
            (Some(why), _) => hunt.pairs.leave(pair, why),
            (None, Coverage::Partly(why)) => hunt.pairs.leave(pair, format!("not every path was followed: {why}")),
            (None, Coverage::Everything) => hunt.pairs.prove(pair, self.proof(calls, None)),
            (None, Coverage::WithinBound(bound)) => hunt.pairs.prove(pair, self.proof(calls, Some(*bound))),
        }
        Ok(None)
    }

    fn proof(&self, calls: &[CallTerm], loop_bound: Option<u32>) -> Proof {
        let mut assumptions = vec![
            "the IR is read strictly; rounding to nearest, nothing flushed".to_owned(),
            "inputs are within the search domain".to_owned(),
        ];
        if !calls.is_empty() {
            assumptions.push(format!(
                "libm's functions are within {} ulps of the correctly rounded value",
                self.request.libm_ulps
            ));
        }
        Proof { engine: "portfolio", assumptions, loop_bound }
    }

    fn question(
        &self,
        store: &mut Store,
        execution: &SiteExecution,
        pair: &PairKey,
        constraints: &[TermId],
        calls: &[CallTerm],
        steps: &mut ExactSteps,
    ) -> Answer {
        if execution.reached_by_poison {
            return Answer::Open("poison or undefined values may reach it".to_owned());
        }
        let condition = match float_condition_near(store, execution, pair.1, self.request.libm_ulps, Sense::May) {
            None => return Answer::Impossible,
            Some(Err(error)) => return Answer::Open(error.to_string()),
            Some(Ok(condition)) => condition,
        };
        steps.queries += 1;
        let query = [constraints, &[condition]].concat();
        let left = self.clock.limit().map_or(WALL, |limit| limit.saturating_duration_since(Instant::now()).min(WALL));
        let limits = Limits { work: CONFLICTS, wall: left, ..Limits::default() };
        let mut solver = self.solver(store, &query);
        let ulps = self.request.libm_ulps;
        let outcome = check_with_calls(store, &query, calls, ulps, &mut *solver, &limits, ROUNDS);
        match outcome {
            FloatOutcome::Unsat(_) => {
                steps.unsat += 1;
                Answer::Impossible
            }
            FloatOutcome::Sat(model) => {
                steps.sat += 1;
                Answer::Input(self.record(store, &model))
            }
            FloatOutcome::Unknown(why) => {
                steps.unknown += 1;
                Answer::Open(format!("the float solver: {why}"))
            }
        }
    }

    fn solver(&self, store: &Store, query: &[TermId]) -> Box<dyn FloatSolver> {
        let large = |op: &Op| matches!(op, Op::FpMul | Op::FpDiv | Op::FpFma | Op::FpSqrt | Op::FpRem | Op::FpFmod);
        let products = store.reachable(query).into_iter().filter(|&term| large(&store.node(term).op)).count();
        let engines = if products > MOST_PRODUCTS { EngineChoice::Search } else { EngineChoice::Portfolio };
        let config =
            PortfolioConfig { engines, seed: self.request.run.seed, reproducible: true, ..PortfolioConfig::default() };
        Box::new(Log::new(Portfolio::new(config), self.request.run.dump_queries.clone()))
    }

    /// Ranges, assumptions and the search domain over the inputs' Float terms.
    fn constraints(&self, store: &mut Store) -> Vec<TermId> {
        let inputs = &self.domain.inputs;
        let mut constraints: Vec<TermId> =
            self.domain.assumptions.iter().map(|assumption| assumption.term(inputs, store)).collect();
        if self.request.run.inputs == InputClass::Finite {
            for leaf in inputs.leaves.iter().filter(|leaf| matches!(leaf.scalar, ScalarType::Float(_))) {
                let variable = leaf_variable(store, leaf);
                for class in [Op::FpIsNan, Op::FpIsInfinite] {
                    let is = store.mk(class, &[variable]);
                    constraints.push(store.not(is));
                }
            }
        }
        constraints
    }

    /// The input that a model describes; what it leaves open is zero.
    fn record(&self, store: &mut Store, model: &Model) -> Vec<u8> {
        let mut record = self.domain.space.origin();
        for leaf in &self.domain.inputs.leaves {
            let variable = leaf_variable(store, leaf);
            let bits = match store.as_variable(variable).and_then(|variable| model.get(variable)) {
                Some(Value::Float(value)) => value.to_u128(),
                Some(Value::BitVec { bits, .. }) => num_traits::ToPrimitive::to_u128(bits),
                Some(Value::Bool(value)) => Some(u128::from(*value)),
                _ => None,
            };
            if let Some(bits) = bits {
                leaf.write(&mut record, bits);
            }
        }
        record
    }
}

/// The calls of libm whose results are variables.
fn calls(exploration: &Exploration) -> Vec<CallTerm> {
    let of = |call: &labrys_symex::LibraryCall| {
        let function = Function::named(call.name)?;
        Some(CallTerm { variable: call.variable, function, operands: call.operands.clone() })
    };
    exploration.library_calls.iter().filter_map(of).collect()
}

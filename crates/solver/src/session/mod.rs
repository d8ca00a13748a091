//! Incremental use: assertions on levels, checks under assumptions, values and cores afterwards.
//!
//! A session serves one store. Answers are the solver's; a core is a subset of what was checked that the solver has
//! proved unsatisfiable by itself.

use std::time::{Duration, Instant};

use labrys_term::{EvalError, Evaluator, Model, Store, TermId, Value};

use crate::{Core, FloatOutcome, FloatSolver, Limits, Why};

/// What the last check found.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Satisfiable.
    Sat,
    /// Unsatisfiable.
    Unsat,
    /// Not decided.
    Unknown(Why),
}

/// Assertions and the last answer about them.
///
/// ```
/// use labrys_solver::{Answer, Limits, Portfolio, PortfolioConfig, Session};
/// use labrys_term::{Op, Sort, Store, Value};
///
/// let mut store = Store::new();
/// let x = store.variable("x", Sort::BitVec(8));
/// let one = store.bv_const(8, 1u8);
/// let next = store.mk(Op::BvAdd, &[x, one]);
/// let wraps = store.mk(Op::BvUlt, &[next, x]);
/// let small = store.mk(Op::BvUle, &[x, one]);
///
/// let mut session = Session::new(Box::new(Portfolio::new(PortfolioConfig::default())));
/// session.assert(wraps);
/// assert_eq!(session.check(&store, &[], &Limits::default()), Answer::Sat);
/// assert_eq!(session.value(&store, x), Some(Value::bit_vector(8, 255u8)));
/// assert_eq!(session.check(&store, &[small], &Limits::default()), Answer::Unsat);
/// assert_eq!(session.failed_assumptions(), Some(vec![0]));
/// ```
pub struct Session {
    solver: Box<dyn FloatSolver>,
    assertions: Vec<TermId>,
    /// How many assertions there were when each level was opened.
    levels: Vec<usize>,
    last: Option<Last>,
}

/// What was checked last, and the answer.
struct Last {
    /// Assertions, then assumptions.
    terms: Vec<TermId>,
    /// How many of them are assertions.
    asserted: usize,
    outcome: FloatOutcome,
    took: Duration,
}

impl Session {
    /// A session without assertions.
    pub fn new(solver: Box<dyn FloatSolver>) -> Session {
        Session { solver, assertions: Vec::new(), levels: Vec::new(), last: None }
    }

    /// Asserts a Bool term on the innermost level.
    pub fn assert(&mut self, term: TermId) {
        self.assertions.push(term);
        self.last = None;
    }

    /// All assertions, the oldest first.
    pub fn assertions(&self) -> &[TermId] {
        &self.assertions
    }

    /// Opens a level.
    pub fn push(&mut self) {
        self.levels.push(self.assertions.len());
        self.last = None;
    }

    /// Closes the innermost level with its assertions; false, and nothing happens, if none is open.
    pub fn pop(&mut self) -> bool {
        let Some(kept) = self.levels.pop() else { return false };
        self.assertions.truncate(kept);
        self.last = None;
        true
    }

    /// How many levels are open.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Forgets assertions and levels.
    pub fn reset(&mut self) {
        self.assertions.clear();
        self.levels.clear();
        self.last = None;
    }

    /// Decides the conjunction of the assertions and `assumptions`, which are Bool terms.
    pub fn check(&mut self, store: &Store, assumptions: &[TermId], limits: &Limits) -> Answer {
        let terms = [&self.assertions, assumptions].concat();
        let begun = Instant::now();
        let outcome = self.solver.check_once(store, &terms, limits);
        let answer = match &outcome {
            FloatOutcome::Sat(_) => Answer::Sat,
            FloatOutcome::Unsat(_) => Answer::Unsat,
            FloatOutcome::Unknown(why) => Answer::Unknown(why.clone()),
        };
        self.last = Some(Last { terms, asserted: self.assertions.len(), outcome, took: begun.elapsed() });
        answer
    }

    /// What the last check did: names and counts, in a fixed order.
    pub fn statistics(&self) -> Vec<(String, String)> {
        self.solver.statistics()
    }

    /// The model of the last check, if that was satisfiable and nothing has changed since.
    pub fn model(&self) -> Option<&Model> {
        match self.last.as_ref()?.outcome {
            FloatOutcome::Sat(ref model) => Some(model),
            _ => None,
        }
    }

    /// A term's value in the model of the last check. Variables that nothing constrains are zero, and so is what the
    /// theories leave open and the model does not say. `None` if there is no model.
    pub fn value(&mut self, store: &Store, term: TermId) -> Option<Value> {
        let FloatOutcome::Sat(model) = &mut self.last.as_mut()?.outcome else { return None };
        model.complete(store, &[term]);
        loop {
            let open = match Evaluator::new(store, model).value(term) {
                Ok(value) => return Some(value),
                Err(EvalError::Open(open)) => open,
                Err(_) => return None,
            };
            // Said once, so that every term sees the same value.
            let node = store.node(open);
            let arguments: Vec<Value> =
                node.args.iter().map(|&arg| Evaluator::new(store, model).value(arg).ok()).collect::<Option<_>>()?;
            let arguments_seen: Vec<&Value> = arguments.iter().collect();
            if model.open(&node.op, &arguments_seen).is_some() {
                return None;
            }
            model.set_open(node.op.clone(), arguments, Value::zero(&node.sort));
        }
    }

    /// Which assumptions of the last check, by their places, already contradict the assertions; `None` if it was not
    /// unsatisfiable.
    pub fn failed_assumptions(&self) -> Option<Vec<usize>> {
        let last = self.last.as_ref()?;
        let core = last.core()?;
        Some(core.iter().filter_map(|&index| index.checked_sub(last.asserted)).collect())
    }

    /// Which assertions of the last check, by their places, are part of the contradiction.
    pub fn core(&self) -> Option<Vec<usize>> {
        let last = self.last.as_ref()?;
        let core = last.core()?;
        Some(core.iter().copied().filter(|&index| index < last.asserted).collect())
    }

    /// Makes the core smaller: each of the terms at `candidates` (places among the assertions, then the assumptions) is
    /// left out if the others contradict each other without it. Ends when `limits.wall` is used up; one check may take
    /// twice what the last one took, and a second.
    pub fn shrink_core(&mut self, store: &Store, candidates: &[usize], limits: &Limits) {
        let Some(last) = &mut self.last else { return };
        let Some(core) = last.core() else { return };
        let mut core = core.to_vec();
        let deadline = Instant::now() + limits.wall;
        for candidate in candidates {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let Some(place) = core.iter().position(|index| index == candidate) else { continue };
            let mut rest = core.clone();
            rest.remove(place);
            let terms: Vec<TermId> = rest.iter().map(|&index| last.terms[index]).collect();
            let limits = Limits { wall: left.min(last.took * 2 + Duration::from_secs(1)), ..*limits };
            if let FloatOutcome::Unsat(Core(kept)) = self.solver.check_once(store, &terms, &limits) {
                core = kept.iter().filter_map(|&index| rest.get(index).copied()).collect();
            }
        }
        last.outcome = FloatOutcome::Unsat(Core(core));
    }
}

impl Last {
    fn core(&self) -> Option<&[usize]> {
        match &self.outcome {
            FloatOutcome::Unsat(Core(core)) => Some(core),
            _ => None,
        }
    }
}

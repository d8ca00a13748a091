//! Incremental use: assertions on levels, checks under assumptions, values and cores afterwards.
//!
//! A session serves one store. Answers are the solver's; a core is a subset of what was checked that the solver has
//! proved unsatisfiable by itself.
//!
//! The first check is the portfolio's. From the second on the query is one of many that are alike: the bit-blaster, which
//! keeps what it has written and learnt, is asked first, for a while, and the portfolio after it. The while is as long as
//! the portfolio has lately needed where the blaster had given up, so that at most half of the time is lost either way.
//! Where answers are certified, every check is the portfolio's, by itself.

#[cfg(test)]
mod tests;
mod warm;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use labrys_term::{EvalError, Evaluator, Model, Store, TermId, Value};

use crate::domain::Facts;
use crate::{Certificate, Core, EngineChoice, FloatOutcome, FloatSolver, Limits, Portfolio, PortfolioConfig, Why};
use warm::Warm;

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
/// let mut session = Session::new(Portfolio::new(PortfolioConfig::default()));
/// session.assert(&store, wraps);
/// assert_eq!(session.check(&store, &[], &Limits::default()), Answer::Sat);
/// assert_eq!(session.value(&store, x), Some(Value::bit_vector(8, 255u8)));
/// assert_eq!(session.check(&store, &[small], &Limits::default()), Answer::Unsat);
/// assert_eq!(session.failed_assumptions(), Some(vec![0]));
/// ```
pub struct Session {
    portfolio: Portfolio,
    /// The bit-blaster, from the second check on.
    warm: Option<Warm>,
    /// How long the bit-blaster is asked alone.
    patience: Duration,
    /// How many checks there were.
    checks: u64,
    /// Whether the bit-blaster answered the last one.
    by_warm: bool,
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

/// How long the bit-blaster is asked alone at first.
const FIRST_PATIENCE: Duration = Duration::from_millis(500);

/// Of a check's time at most one part in so many is the bit-blaster's alone.
const PATIENT_SHARE: u32 = 4;

/// The bit-blaster with assertions on levels: `levels` says how many there were when each was opened.
fn replayed(store: &Store, seed: u64, assertions: &[TermId], levels: &[usize]) -> Warm {
    let mut warm = Warm::new(seed);
    let mut levels = levels.iter().peekable();
    for (place, &term) in assertions.iter().enumerate() {
        while levels.next_if(|begin| **begin <= place).is_some() {
            warm.push();
        }
        warm.assert(store, term);
    }
    levels.for_each(|_| warm.push());
    warm
}

impl Session {
    /// A session without assertions.
    pub fn new(portfolio: Portfolio) -> Session {
        Session {
            portfolio,
            warm: None,
            patience: FIRST_PATIENCE,
            checks: 0,
            by_warm: false,
            assertions: Vec::new(),
            levels: Vec::new(),
            last: None,
        }
    }

    /// Asserts a Bool term of the session's store on the innermost level.
    pub fn assert(&mut self, store: &Store, term: TermId) {
        if let Some(warm) = &mut self.warm {
            warm.assert(store, term);
        }
        self.assertions.push(term);
        self.last = None;
    }

    /// All assertions, the oldest first.
    pub fn assertions(&self) -> &[TermId] {
        &self.assertions
    }

    /// Opens a level.
    pub fn push(&mut self) {
        if let Some(warm) = &mut self.warm {
            warm.push();
        }
        self.levels.push(self.assertions.len());
        self.last = None;
    }

    /// Closes the innermost level with its assertions; false, and nothing happens, if none is open.
    pub fn pop(&mut self) -> bool {
        let Some(kept) = self.levels.pop() else { return false };
        if let Some(warm) = &mut self.warm {
            warm.pop();
        }
        self.assertions.truncate(kept);
        self.last = None;
        true
    }

    /// How many levels are open.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Forgets assertions and levels; another store may follow.
    pub fn reset(&mut self) {
        self.warm = None;
        self.checks = 0;
        self.assertions.clear();
        self.levels.clear();
        self.last = None;
    }

    /// Forgets what it has written and learnt for earlier checks; assertions and levels stay. A model has whatever variables checks were
    /// ever about, which costs more and more where each is about others.
    pub fn renew(&mut self) {
        self.warm = None;
        self.last = None;
    }

    /// Decides the conjunction of the assertions and `assumptions`, which are Bool terms.
    pub fn check(&mut self, store: &Store, assumptions: &[TermId], limits: &Limits) -> Answer {
        let terms = [&self.assertions, assumptions].concat();
        let begun = Instant::now();
        let outcome = self.decide(store, &terms, limits);
        let answer = match &outcome {
            FloatOutcome::Sat(_) => Answer::Sat,
            FloatOutcome::Unsat(_) => Answer::Unsat,
            FloatOutcome::Unknown(why) => Answer::Unknown(why.clone()),
        };
        self.last = Some(Last { terms, asserted: self.assertions.len(), outcome, took: begun.elapsed() });
        answer
    }

    /// Decides `terms`, of which the first are the assertions.
    fn decide(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> FloatOutcome {
        self.checks += 1;
        self.by_warm = false;
        let blasts = matches!(self.portfolio.config().engines, EngineChoice::Portfolio | EngineChoice::BitBlast);
        if self.checks == 1 || !blasts || self.portfolio.config().certify.is_some() {
            return self.portfolio.check_once(store, terms, limits);
        }
        let begun = Instant::now();
        let patience = self.patience.min(limits.wall / PATIENT_SHARE);
        let budget = self.portfolio.budget(&Limits { wall: patience, ..*limits });
        let asserted = self.assertions.len();
        let warm = self
            .warm
            .get_or_insert_with(|| replayed(store, self.portfolio.config().seed, &self.assertions, &self.levels));
        let outcome = warm.check(store, terms, asserted, &budget);
        if !matches!(outcome, FloatOutcome::Unknown(_)) {
            self.by_warm = true;
            return outcome;
        }
        let left = limits.wall.saturating_sub(begun.elapsed());
        let begun = Instant::now();
        let outcome = self.portfolio.check_once(store, terms, &Limits { wall: left, ..*limits });
        self.patience = begun.elapsed().clamp(FIRST_PATIENCE, self.patience * 2);
        outcome
    }

    /// What the last answer rests on: see [`Portfolio::certificate`].
    pub fn certificate(&self) -> Option<Certificate> {
        self.portfolio.certificate()
    }

    /// Has the next check's proof left in files: see [`Portfolio::keep_proof`].
    pub fn keep_proof(&mut self, stem: PathBuf) {
        self.portfolio.keep_proof(stem);
    }

    /// What the last check did: names and values, in a fixed order.
    pub fn statistics(&self) -> Vec<(String, String)> {
        match &self.warm {
            Some(warm) if self.by_warm => {
                let decided = [("decided by".to_owned(), "incremental bitblast".to_owned())];
                decided.into_iter().chain(warm.statistics()).collect()
            }
            _ => self.portfolio.statistics(),
        }
    }

    /// What propagation alone knows of the assertions and `assumptions`: see [`Portfolio::domains`].
    ///
    /// # Errors
    ///
    /// What part of the query the engines do not read.
    pub fn domains(&self, store: &Store, assumptions: &[TermId], limits: &Limits) -> Result<Option<Facts>, Why> {
        self.portfolio.domains(store, &[&self.assertions, assumptions].concat(), limits)
    }

    /// Lets other random choices follow.
    pub fn set_seed(&mut self, seed: u64) {
        let config = PortfolioConfig { seed, ..self.portfolio.config().clone() };
        self.portfolio = Portfolio::new(config);
        self.warm = None;
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
            if let FloatOutcome::Unsat(Core(kept)) = self.portfolio.check_once(store, &terms, &limits) {
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

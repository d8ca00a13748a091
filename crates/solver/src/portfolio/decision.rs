//! The solver, and the steps of one decision.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use labrys_term::{Evaluator, Model, Store, TermId};

use super::certificate::Certificate;
use super::config::PortfolioConfig;
use super::import::Import;
use super::race::{self, Subject};
use super::statistics::Statistics;
use crate::domain::Facts;
use crate::interval::{Propagation, propagate};
use crate::prepare::{PrepareConfig, Prepared, prepare};
use crate::{Budget, Core, FloatOutcome, FloatSolver, Limits, Query, Verdict, Why, told};

/// An answer, and what it took.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The answer.
    pub outcome: FloatOutcome,
    /// What the answer rests on, where that was asked for and it is not unknown.
    pub certificate: Option<Certificate>,
    /// What was done to find it.
    pub statistics: Statistics,
}

/// The solver over the floats: every `labrys` analysis' exact engine.
///
/// ```
/// use labrys_float::{Float, Format, RoundingMode};
/// use labrys_solver::{FloatOutcome, FloatSolver, Limits, Portfolio, PortfolioConfig};
/// use labrys_term::{Op, Sort, Store};
///
/// // 0 < x and x + 10¹² = 10¹², over the doubles.
/// let mut store = Store::new();
/// let x = store.variable("x", Sort::Float(Format::BINARY64));
/// let [zero, large] = [0.0, 1e12].map(|value| store.float_const(Float::from_f64(value)));
/// let mode = store.rounding_mode(RoundingMode::NearestEven);
/// let sum = store.mk(Op::FpAdd, &[mode, x, large]);
/// let terms = [store.mk(Op::FpLt, &[zero, x]), store.mk(Op::FpEq, &[sum, large])];
///
/// let outcome = Portfolio::new(PortfolioConfig::default()).check_once(&store, &terms, &Limits::default());
/// assert!(matches!(outcome, FloatOutcome::Sat(_)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Portfolio {
    pub(super) config: PortfolioConfig,
    /// Of the last query.
    statistics: Statistics,
    /// Of the last query.
    certificate: Option<Certificate>,
    /// Where the next query's proof is left.
    keep: Option<PathBuf>,
}

impl Portfolio {
    /// A solver.
    pub fn new(config: PortfolioConfig) -> Portfolio {
        Portfolio { config, ..Portfolio::default() }
    }

    /// How it decides.
    pub fn config(&self) -> &PortfolioConfig {
        &self.config
    }

    /// What the last answer rests on, where answers are certified and it was not unknown.
    pub fn certificate(&self) -> Option<Certificate> {
        self.certificate
    }

    /// Has the next query's proof, if it comes to one, left in `stem`.lrat, and its clauses in `stem`.cnf; where answers are
    /// certified.
    pub fn keep_proof(&mut self, stem: PathBuf) {
        self.keep = Some(stem);
    }

    /// Decides the conjunction of `terms`, and tells what that took.
    pub fn decide(&self, store: &Store, terms: &[TermId], limits: &Limits) -> Decision {
        let mut statistics = Statistics::default();
        let outcome = match self.witness(store, terms, limits, &mut statistics) {
            Ok(outcome) => outcome,
            Err(why) => FloatOutcome::Unknown(why),
        };
        Decision { outcome, certificate: None, statistics }
    }

    /// The answer over the original terms.
    fn witness(
        &self,
        store: &Store,
        terms: &[TermId],
        limits: &Limits,
        statistics: &mut Statistics,
    ) -> Result<FloatOutcome, Why> {
        let budget = self.budget(limits);
        let mut import = Import::default();
        let copies = import.copy(store, terms);
        let config = PrepareConfig { until: budget.deadline, ..PrepareConfig::default() };
        let prepared = statistics.phase("prepare", || prepare(&mut import.store, &copies, &config));
        if let Some(what) = &prepared.unsupported {
            return Err(Why::Unsupported(what.clone()));
        }
        let store_of_copies = Arc::new(std::mem::take(&mut import.store));
        match self.verdict(&store_of_copies, &prepared, &budget, statistics) {
            Verdict::Unsat => Ok(FloatOutcome::Unsat(Core((0..terms.len()).collect()))),
            Verdict::Unknown(why) => Err(why),
            Verdict::Sat(model) => statistics.phase("evaluate", || {
                let of_copies = prepared.reconstruction.model(&store_of_copies, model);
                evaluated(store, terms, import.model_of_originals(&of_copies))
            }),
        }
    }

    fn verdict(
        &self,
        store: &Arc<Store>,
        prepared: &Prepared,
        budget: &Budget,
        statistics: &mut Statistics,
    ) -> Verdict {
        match prepared.decided {
            Some(true) => return Verdict::Sat(Model::new()),
            Some(false) => return Verdict::Unsat,
            None => {}
        }
        let nothing = Facts::default();
        let query = Query { store, assertions: &prepared.assertions, facts: &nothing };
        let narrowed = statistics.phase("propagate", || propagate(&query, budget, &self.config.interval));
        match narrowed {
            Propagation::Contradiction => Verdict::Unsat,
            Propagation::Facts(facts) => {
                let subject = Subject { store: Arc::clone(store), assertions: prepared.assertions.clone(), facts };
                race::run(subject, budget, &self.config, statistics)
            }
        }
    }

    pub(crate) fn budget(&self, limits: &Limits) -> Budget {
        Budget {
            deadline: Instant::now().checked_add(limits.wall),
            cancelled: Arc::clone(&self.config.cancelled),
            memory_mib: limits.memory_mib,
            work: limits.work,
            seed: self.config.seed,
        }
    }
}

impl FloatSolver for Portfolio {
    fn check_once(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> FloatOutcome {
        let begun = Instant::now();
        let keep = self.keep.take();
        let decision = match &self.config.certify {
            None => self.decide(store, terms, limits),
            Some(certify) => self.certified(store, terms, limits, certify, keep),
        };
        told::by_portfolio((store, terms), limits, begun, (&decision.outcome, &decision.statistics));
        self.statistics = decision.statistics;
        self.certificate = decision.certificate;
        decision.outcome
    }

    fn statistics(&self) -> Vec<(String, String)> {
        self.statistics.lines()
    }
}

/// The model, completed, if every term is true under it.
pub(crate) fn evaluated(store: &Store, terms: &[TermId], mut model: Model) -> Result<FloatOutcome, Why> {
    model.complete(store, terms);
    let mut evaluator = Evaluator::new(store, &model);
    for term in terms {
        match evaluator.holds(*term) {
            Ok(true) => {}
            Ok(false) => return Err(Why::WrongModel),
            Err(error) => return Err(Why::Unsupported(format!("a model's value: {error}"))),
        }
    }
    Ok(FloatOutcome::Sat(model))
}

//! Branch and prune as a solver of its own, for whoever wants a second opinion about queries as they are.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use labrys_term::{Store, TermId};

use super::BranchAndPrune;
use crate::domain::Facts;
use crate::portfolio::Import;
use crate::prepare::{PrepareConfig, prepare};
use crate::{Budget, Core, Engine, FloatOutcome, FloatSolver, Limits, Query, Verdict, Why};

/// Refutes queries or says unknown. Preparation does only what it must: arrays, reals and open values are replaced.
///
/// Its unit of work is the evaluation of one operator at a point.
///
/// ```
/// use labrys_float::{Float, Format};
/// use labrys_solver::prune::Refuter;
/// use labrys_solver::{Core, FloatOutcome, FloatSolver, Limits};
/// use labrys_term::{Op, Sort, Store};
///
/// // |x| < −0.
/// let mut store = Store::new();
/// let x = store.variable("x", Sort::Float(Format::BINARY64));
/// let magnitude = store.mk(Op::FpAbs, &[x]);
/// let zero = store.float_const(Float::from_f64(-0.0));
/// let below = store.mk(Op::FpLt, &[magnitude, zero]);
/// let outcome = Refuter::default().check_once(&store, &[below], &Limits::default());
/// assert_eq!(outcome, FloatOutcome::Unsat(Core(vec![0])));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Refuter {
    engine: BranchAndPrune,
    spent: Arc<AtomicU64>,
}

impl Refuter {
    /// What all queries so far took, in evaluations.
    pub fn spent(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.spent)
    }
}

impl FloatSolver for Refuter {
    fn check_once(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> FloatOutcome {
        let mut import = Import::default();
        let copies = import.copy(store, terms);
        let prepared = prepare(&mut import.store, &copies, &PrepareConfig::required());
        if let Some(what) = prepared.unsupported {
            return FloatOutcome::Unknown(Why::Unsupported(what));
        }
        let nothing = Facts::default();
        let query = Query { store: &import.store, assertions: &prepared.assertions, facts: &nothing };
        let budget = Budget {
            deadline: Instant::now().checked_add(limits.wall),
            memory_mib: limits.memory_mib,
            work: limits.work,
            ..Budget::unlimited()
        };
        let verdict = self.engine.check(&query, &budget);
        self.spent.fetch_add(self.engine.evaluations, Ordering::Relaxed);
        match verdict {
            Verdict::Unsat => FloatOutcome::Unsat(Core((0..terms.len()).collect())),
            Verdict::Unknown(why) => FloatOutcome::Unknown(why),
            Verdict::Sat(_) => FloatOutcome::Unknown(Why::WrongModel),
        }
    }
}

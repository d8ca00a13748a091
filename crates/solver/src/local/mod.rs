//! Local search for models: the query compiled to a program, and a search over bit patterns guided by distances in ulps.
//!
//! **Claim.** Sat is answered only with a model that the exact evaluator accepts, Unsat only after all assignments were
//! gone through (`exhaust`), which is not done where there are vectors of more than 64 bits. Queries with formats of more than 64 bits,
//! or operators outside the engines' language, are answered Unsupported.
//!
//! The search never reasons: everything it proposes is evaluated (`state`), so that inverses, distances and facts only
//! make it faster. Where the facts leave few enough assignments, the search takes turns with going through them all. Both
//! are deterministic under a seed.

mod allowed;
mod batch;
mod bounds;
mod compile;
mod descend;
mod distance;
mod exhaust;
mod invert;
mod model;
mod perturb;
mod program;
mod query;
pub(crate) mod random;
mod ranges;
mod run;
mod search;
mod segments;
mod state;
#[cfg(test)]
mod tests;
mod wide;

use crate::{Budget, Engine, Query, Verdict};
pub use query::{LocalQuery, LocalRun};

/// Finds models by local search. Its work is counted in computed instructions, of which a second has some tens of millions;
/// without any limit it searches until it finds a model. Each check starts anew; a [`LocalRun`] goes on.
///
/// ```
/// use labrys_float::Format;
/// use labrys_solver::{Budget, Engine, LocalSearch, Query, Verdict, domain::Facts};
/// use labrys_term::{Op, Sort, Store};
///
/// let mut store = Store::new();
/// let x = store.variable("x", Sort::Float(Format::BINARY64));
/// let mode = store.rounding_mode(labrys_float::RoundingMode::NearestEven);
/// let square = store.mk(Op::FpMul, &[mode, x, x]);
/// let two = store.float_const(labrys_float::Float::from_f64(2.25));
/// let query = store.mk(Op::FpEq, &[square, two]);
///
/// let facts = Facts::default();
/// let query = Query { store: &store, assertions: &[query], facts: &facts };
/// let verdict = LocalSearch::default().check(&query, &Budget::unlimited());
/// assert!(matches!(verdict, Verdict::Sat(_)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct LocalSearch {
    statistics: Vec<(&'static str, u64)>,
}

impl Engine for LocalSearch {
    fn name(&self) -> &'static str {
        "local"
    }

    fn check(&mut self, query: &Query<'_>, budget: &Budget) -> Verdict {
        self.statistics.clear();
        let compiled = match LocalQuery::new(query) {
            Ok(compiled) => compiled,
            Err(why) => return Verdict::Unknown(why),
        };
        let mut run = compiled.run(budget.seed);
        let verdict = run.check(query, budget);
        self.statistics = run.statistics();
        verdict
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        self.statistics.clone()
    }
}

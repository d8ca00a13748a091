//! Local search for models: the query compiled to a program, and a search over bit patterns guided by distances in ulps.
//!
//! **Claim.** Sat is answered only with a model that the exact evaluator accepts, Unsat only after all assignments were
//! gone through (`exhaust`). Queries with bit vectors or formats of more than 64 bits, or operators outside the engines'
//! language, are answered Unsupported.
//!
//! The search never reasons: everything it proposes is evaluated (`state`), so that inverses, distances and facts only
//! make it faster. Where the facts leave few enough assignments, the search takes turns with going through them all. Both
//! are deterministic under a seed.

mod batch;
mod bounds;
mod compile;
mod descend;
mod distance;
mod exhaust;
mod invert;
mod perturb;
mod program;
mod random;
mod ranges;
mod run;
mod search;
mod segments;
mod state;
#[cfg(test)]
mod tests;

use labrys_term::{Evaluator, Model, Value};
use rustc_hash::FxHashMap;

use crate::{Budget, Engine, Query, Verdict, Why};
use bounds::Bounds;
use compile::{Compiled, compile};
use exhaust::{Exhaust, Outcome};
use program::{Kind, Program, Register};
use search::{Counts, Search};

/// Assignments that the evaluator may reject before the engine gives up: it has an error then.
const MAX_REJECTED: u64 = 8;

/// Instructions of the search between two slices of going through all assignments, doubled up to the longest.
const FIRST_SLICE: u64 = 1_000_000;
const LONGEST_SLICE: u64 = 64_000_000;
/// Lanes computed in the time of one instruction of the search.
const LANES_AN_INSTRUCTION: u64 = 32;
/// Few: lanes times instructions at most, of which a second has about a thousand millions.
const FEW: u128 = 1 << 37;

/// Finds models by local search. Its work is counted in computed instructions, of which a second has some tens of millions;
/// without any limit it searches until it finds a model.
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
    counts: Counts,
    /// Lanes times instructions of going through all assignments.
    exhausted: u64,
    rejected: u64,
}

impl Engine for LocalSearch {
    fn name(&self) -> &'static str {
        "local"
    }

    fn check(&mut self, query: &Query<'_>, budget: &Budget) -> Verdict {
        *self = LocalSearch::default();
        let Compiled { program, registers } = match compile(query.store, query.assertions) {
            Ok(compiled) => compiled,
            Err(part) => return Verdict::Unknown(Why::Unsupported(part)),
        };
        let mut bounds = FxHashMap::default();
        for (term, domain) in &query.facts.domains {
            if let Some(&register) = registers.get(term)
                && let Some(fact) = Bounds::of(&program.kinds[register as usize], domain)
            {
                bounds.insert(register, fact);
            }
        }
        ranges::narrow(&program, &mut bounds);
        let domain = |register: &Register| match bounds.get(register) {
            Some(bounds) => bounds.clone(),
            None => Bounds::top(&program.kinds[*register as usize]),
        };
        let domains: Vec<Bounds> = program.inputs.iter().map(|(_, register)| domain(register)).collect();
        let input_of: FxHashMap<Register, usize> =
            program.inputs.iter().enumerate().map(|(input, (_, register))| (*register, input)).collect();
        let mut search = Search::new(&program, &bounds, &domains, &input_of, budget.seed);
        if program.assertions.iter().any(|root| !program.free[*root as usize] && !search.holds(*root)) {
            return Verdict::Unknown(Why::Incomplete("an assertion without variables is false".into()));
        }
        let mut exhaust = Exhaust::new(&program, &domains).filter(|exhaust| exhaust.estimate() <= FEW);
        let mut slice = FIRST_SLICE;
        loop {
            let work = match (&exhaust, budget.work) {
                (None, work) => work,
                (Some(_), 0) => search.counts.computed + slice,
                (Some(_), work) => work.min(search.counts.computed + slice),
            };
            let outcome = search.run(&Budget { work, ..budget.clone() });
            self.counts = search.counts;
            let values = match (outcome, &mut exhaust) {
                (Ok(()), _) => search.assignment(),
                (Err(Why::Work), Some(exhaust)) if work != budget.work => {
                    let outcome = exhaust.run(budget, exhaust.computed + LANES_AN_INSTRUCTION * slice);
                    self.exhausted = exhaust.computed;
                    slice = (2 * slice).min(LONGEST_SLICE);
                    match outcome {
                        Outcome::Found(values) => values,
                        Outcome::None => return Verdict::Unsat,
                        Outcome::Paused => continue,
                        Outcome::Stopped(why) => return Verdict::Unknown(why),
                    }
                }
                (Err(why), _) => return Verdict::Unknown(why),
            };
            let model = model(&program, &values);
            let mut evaluator = Evaluator::new(query.store, &model);
            if query.assertions.iter().all(|assertion| evaluator.holds(*assertion) == Ok(true)) {
                return Verdict::Sat(model);
            }
            self.rejected += 1;
            if self.rejected > MAX_REJECTED {
                return Verdict::Unknown(Why::WrongModel);
            }
            search.reject();
        }
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("steps", self.counts.steps),
            ("tried", self.counts.tried),
            ("restarts", self.counts.restarts),
            ("instructions", self.counts.computed),
            ("exhausted", self.exhausted),
            ("rejected", self.rejected),
        ]
    }
}

/// The inputs' values as a model.
fn model(program: &Program, values: &[u64]) -> Model {
    let value = |register: Register, bits: u64| match &program.kinds[register as usize] {
        Kind::Bool => Value::Bool(bits != 0),
        Kind::Bits(width) => Value::bit_vector(*width, bits),
        Kind::Float(packed) => Value::Float(packed.decode(bits)),
        Kind::Mode => Value::RoundingMode(run::mode(bits)),
    };
    program.inputs.iter().zip(values).map(|((variable, register), bits)| (*variable, value(*register, *bits))).collect()
}

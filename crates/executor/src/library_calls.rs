//! Questions about paths on which libm was called with operands that are not known.
//!
//! **Claim.** `Unsat` is a proof for every libm of [`crate::values::Libm`]'s claim. A model of `Sat` has results of such a libm: of the one of
//! this machine where one was found, with which a native run does the same.
//!
//! **Argument.** `labrys_solver::elementary` decides, for results that are any within the images of their operands; what real arithmetic refutes of such a query
//! has no model, whatever the calls give. That equal
//! operands have equal results holds for every libm of the claim; it is said of calls of one function, whose variables would
//! otherwise be free of each other. A model with results of some other libm is tried again with those of this machine at the same operands, and
//! with the operands as they are and everything else free, and near by.

use std::time::{Duration, Instant};

use labrys_solver::elementary::{CallTerm, check_with_calls};
use labrys_solver::{Core, FloatOutcome, FloatSolver, Limits, Portfolio, Relaxation};
use labrys_term::{Evaluator, Model, Op, Store, TermId, Value, VariableId};
use num_bigint::BigUint;

use crate::values::ULPS;
use crate::{Values, fractions, signed_bounds};

/// How often lemmas about the functions are added, at most.
const ROUNDS: usize = 24;

/// How many operands are tried for results of this machine's libm.
const TRIALS: usize = 6;

/// Pairs of calls of one function of which it is said that they agree on equal operands, at most.
const PAIRS: usize = 64;

/// The part of a query's time that circuits and propagation have at most before real arithmetic is looked at, and the part of what is left that this has.
const FIRST_SHARE: u32 = 4;
const RELAXATION_SHARE: u32 = 2;

/// The longest turns of circuits and propagation before it, and of real arithmetic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turns {
    pub first: Duration,
    pub relaxation: Duration,
}

/// The portfolio, and real arithmetic where that does not decide a query in its first turn.
struct InTurns<'a> {
    portfolio: &'a mut Portfolio,
    relaxation: &'a mut Relaxation,
    turns: Turns,
}

impl FloatSolver for InTurns<'_> {
    fn check_once(&mut self, store: &Store, terms: &[TermId], limits: &Limits) -> FloatOutcome {
        let begun = Instant::now();
        let left = |begun: Instant| limits.wall.saturating_sub(begun.elapsed());
        let wall = (limits.wall / FIRST_SHARE).min(self.turns.first);
        let first = self.portfolio.check_once(store, terms, &Limits { wall, ..*limits });
        if !matches!(first, FloatOutcome::Unknown(_)) {
            return first;
        }
        let turn = Limits { wall: (left(begun) / RELAXATION_SHARE).min(self.turns.relaxation), ..*limits };
        if self.relaxation.refutes(store, terms, self.portfolio, &turn) {
            return FloatOutcome::Unsat(Core((0..terms.len()).collect()));
        }
        self.portfolio.check_once(store, terms, &Limits { wall: left(begun), ..*limits })
    }
}

/// Decides the conjunction of `slice`, which depends on these calls.
pub(crate) fn decide(
    values: &mut Values<'_>,
    (portfolio, relaxation, turns): (&mut Portfolio, &mut Relaxation, Turns),
    slice: &[TermId],
    calls: &[CallTerm],
    limits: &Limits,
) -> FloatOutcome {
    let deadline = Instant::now() + limits.wall;
    let solver = &mut InTurns { portfolio, relaxation, turns };
    let mut query = slice.to_vec();
    query.extend(agreements(values, calls));
    query.extend(signed_bounds::consequences(values.store, slice));
    query.extend(fractions::consequences(values.store, slice));
    let mut found = None;
    for _ in 0..TRIALS {
        let wall = deadline.saturating_duration_since(Instant::now());
        let limits = Limits { wall, ..*limits };
        let model = match check_with_calls(values.store, &query, calls, ULPS, solver, &limits, ROUNDS) {
            FloatOutcome::Sat(model) => model,
            // What was excluded are operands, not what the slice says.
            outcome => return found.map_or(outcome, FloatOutcome::Sat),
        };
        let natural = with_host(values, calls, &model);
        if holds(values, slice, &natural) {
            return FloatOutcome::Sat(natural);
        }
        if let Some(near) = nearby(values, slice, calls, &natural, deadline) {
            return FloatOutcome::Sat(near);
        }
        let wall = deadline.saturating_duration_since(Instant::now());
        if wall == Duration::ZERO {
            return FloatOutcome::Sat(found.unwrap_or(model));
        }
        let (fixed, operands) = fixed(values, calls, &natural);
        let narrowed: Vec<TermId> = slice.iter().chain(&fixed).copied().collect();
        if let FloatOutcome::Sat(mut model) =
            solver.check_once(values.store, &narrowed, &Limits { wall: wall / 2, ..limits })
        {
            model.complete(values.store, &narrowed);
            let natural = with_host(values, calls, &model);
            if holds(values, slice, &natural) {
                return FloatOutcome::Sat(natural);
            }
        }
        found.get_or_insert(model);
        let these = values.store.and(&operands);
        query.push(values.store.not(these));
    }
    found.map_or(FloatOutcome::Unknown(labrys_solver::Why::WrongModel), FloatOutcome::Sat)
}

/// That calls of one function with equal operands have equal results.
fn agreements(values: &mut Values<'_>, calls: &[CallTerm]) -> Vec<TermId> {
    let mut all = Vec::new();
    for (index, a) in calls.iter().enumerate() {
        for b in calls[..index].iter().filter(|b| b.function == a.function) {
            let store = &mut *values.store;
            if all.len() >= PAIRS || store.sort(a.variable) != store.sort(b.variable) {
                continue;
            }
            let pairs = a.operands.iter().zip(&b.operands);
            let differ: Vec<TermId> = pairs
                .map(|(x, y)| {
                    let equal = store.mk(Op::Eq, &[*x, *y]);
                    store.not(equal)
                })
                .collect();
            let equal = store.mk(Op::Eq, &[a.variable, b.variable]);
            let mut cases = differ;
            cases.push(equal);
            all.push(store.or(&cases));
        }
    }
    all
}

/// A model with the results of this machine's libm.
fn with_host(values: &Values<'_>, calls: &[CallTerm], model: &Model) -> Model {
    let mut model = model.clone();
    let results = calls.iter().filter_map(|call| values.store.as_variable(call.variable));
    let results: Vec<VariableId> = results.chain(values.libm.steps(calls)).collect();
    for variable in results {
        if let Some(value) = values.libm.host(values.store, &model, variable) {
            model.set(variable, value);
        }
    }
    model
}

/// A model near another one, with the results of this machine's libm: one variable is changed by a power of two. Where libms differ, at the edge
/// of what is asked for, the solver finds models first.
fn nearby(
    values: &Values<'_>,
    slice: &[TermId],
    calls: &[CallTerm],
    model: &Model,
    deadline: Instant,
) -> Option<Model> {
    let mut all = slice.to_vec();
    all.extend(calls.iter().flat_map(|call| call.operands.iter().copied()));
    let mut start = model.clone();
    start.complete(values.store, &all);
    for variable in values.store.free_variables(&all) {
        if !values.libm.operands(variable).is_empty() {
            continue;
        }
        let Some(Value::BitVec { width, bits }) = start.get(variable).cloned() else { continue };
        let modulus = BigUint::from(1u8) << width;
        for power in 0..width {
            for changed in [&bits + (BigUint::from(1u8) << power), &bits + &modulus - (BigUint::from(1u8) << power)] {
                let mut near = start.clone();
                near.set(variable, Value::bit_vector(width, changed % &modulus));
                let near = with_host(values, calls, &near);
                if holds(values, slice, &near) {
                    return Some(near);
                }
            }
            if Instant::now() >= deadline {
                return None;
            }
        }
    }
    None
}

/// Whether a model, completed, is one of the slice.
pub(crate) fn holds(values: &Values<'_>, slice: &[TermId], model: &Model) -> bool {
    let mut model = model.clone();
    model.complete(values.store, slice);
    let mut evaluator = Evaluator::new(values.store, &model);
    slice.iter().all(|term| evaluator.holds(*term) == Ok(true))
}

/// That calls whose operands do not depend on other calls have the operands and results of a model; and of these what is about operands.
fn fixed(values: &mut Values<'_>, calls: &[CallTerm], model: &Model) -> (Vec<TermId>, Vec<TermId>) {
    let (mut all, mut operands) = (Vec::new(), Vec::new());
    for call in calls {
        let store = &mut *values.store;
        let depends =
            store.free_variables(&call.operands).iter().any(|variable| !values.libm.operands(*variable).is_empty());
        if depends {
            continue;
        }
        for (place, term) in call.operands.iter().chain([&call.variable]).enumerate() {
            let mut evaluator = Evaluator::new(store, model);
            let Ok(Value::Float(value)) = evaluator.value(*term) else { continue };
            let value = store.float_const(value);
            let equal = store.mk(Op::Eq, &[*term, value]);
            all.push(equal);
            if place < call.operands.len() {
                operands.push(equal);
            }
        }
    }
    (all, operands)
}

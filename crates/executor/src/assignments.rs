//! Questions about variables that have few values together: every assignment is evaluated.
//!
//! What a program reads is often one of a handful (`mode == 1 || mode == 2`), while what it computes from that, a checksum say, soon is
//! larger than a solver can take apart. Where questions about some variables have become slow, the small conjuncts among those
//! that are known of them are asked for all their models; if these are few, they answer the questions from then on. Integers between bounds that leave
//! some thousand assignments (a fraction's numerator and denominator, a day and a month) are gone through without asking anybody.
//!
//! **Claim.** `Unsat` is a proof that the slice has no model, and `Sat` has one.
//!
//! **Argument.** The solver has proved that the small conjuncts, which are part of the slice and have all its variables in them, have no models but for those
//! that were found, on these variables; or they are all between bounds that follow from these conjuncts, but for those that make one of them false. So every model of the slice agrees with one of them. Under each some conjunct of the slice is
//! false, with nothing said of values that theories leave open ([`Evaluator::leaving_open`]), or all are true under one.

use std::time::{Duration, Instant};

use labrys_solver::{Core, FloatOutcome, FloatSolver, Limits, Portfolio};
use labrys_symex::signed_bounds;
use labrys_term::{Evaluator, Memo, Model, Op, Sort, Store, TermId, Value, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A question that takes longer than this is slow: its variables' assignments are asked for, or gone through where bounds say that they are not many.
const SLOW: Duration = Duration::from_millis(200);
const RATHER_SLOW: Duration = Duration::from_millis(10);

/// Assignments, at most: that the solver finds, and that are within bounds.
const MOST: usize = 16;
const MOST_BOUNDED: u128 = 1 << 12;
/// Variables that questions are about, at most.
const MOST_VARIABLES: usize = 8;
/// The part of a question's time that trying many assignments may take.
const SHARE: u32 = 4;

/// Terms in a small conjunct, at most.
const SMALL: usize = 24;

/// Terms in a slice about which questions need not have been slow.
const LARGE: usize = 20_000;

/// How long the solver may take for each of the assignments.
const EACH: Duration = Duration::from_millis(200);

/// Values that are kept, at most: about 100 bytes each.
const KEPT: usize = 1 << 22;

/// What is known of variables that questions were slow about.
#[derive(Debug, Default)]
pub(crate) struct FewAssignments {
    of: FxHashMap<Box<[VariableId]>, Assignments>,
}

/// All assignments of some variables that satisfy conjuncts.
#[derive(Debug, Default)]
struct Assignments {
    /// Ascending; none, which have no variables, before the first question.
    conjuncts: Vec<TermId>,
    /// Whether the solver may be asked for them, and was.
    is_slow: bool,
    was_asked: bool,
    /// `None` where they are not known to be few.
    all: Option<Vec<Assignment>>,
}

#[derive(Debug)]
struct Assignment {
    model: Model,
    /// What terms are under it.
    memo: Memo,
}

impl FewAssignments {
    /// Takes notice of how long a question about variables took.
    pub(crate) fn note(&mut self, variables: &[VariableId], took: Duration) {
        if took >= RATHER_SLOW {
            self.watch(variables, took >= SLOW);
        }
    }

    fn watch(&mut self, variables: &[VariableId], is_slow: bool) {
        if variables.len() > MOST_VARIABLES {
            return;
        }
        match self.of.get_mut(variables) {
            Some(known) => known.is_slow |= is_slow,
            None => drop(self.of.insert(variables.into(), Assignments { is_slow, ..Assignments::default() })),
        }
    }

    /// Whether conjuncts, in ascending order, have a model, where questions about their variables are slow and have few assignments;
    /// otherwise `None`.
    pub(crate) fn decide(
        &mut self,
        store: &mut Store,
        solver: &mut Portfolio,
        (conjuncts, variables): (&[TermId], &[VariableId]),
        limits: &Limits,
    ) -> Option<FloatOutcome> {
        let deadline = Instant::now() + limits.wall;
        if store.len() > LARGE && !self.of.contains_key(variables) && has_more_terms(store, conjuncts, LARGE) {
            self.watch(variables, true);
        }
        let known = self.of.get_mut(variables)?;
        if !known.conjuncts.iter().all(|term| conjuncts.binary_search(term).is_ok()) || known.all.is_none() {
            let small: Vec<TermId> =
                conjuncts.iter().copied().filter(|term| !has_more_terms(store, &[*term], SMALL)).collect();
            let is_new = small != known.conjuncts;
            if small.is_empty() || !(is_new || known.is_slow && !known.was_asked) {
                return None;
            }
            known.all = bounded(store, &small, variables);
            known.was_asked = known.is_slow && known.all.is_none();
            if known.was_asked {
                known.all = assignments(store, solver, &small, variables, limits);
            }
            known.conjuncts = small;
        }
        let all = known.all.as_mut()?;
        let deadline = if all.len() > MOST { deadline - limits.wall * (SHARE - 1) / SHARE } else { deadline };
        let outcome = tried(store, all, conjuncts, deadline);
        let kept = self.of.values().flat_map(|known| known.all.iter().flatten()).map(|one| one.memo.len());
        if kept.sum::<usize>() > KEPT {
            let all = self.of.values_mut().flat_map(|known| known.all.iter_mut().flatten());
            all.for_each(|one| one.memo = Memo::default());
        }
        outcome
    }
}

/// Whether there are more terms than that in some.
fn has_more_terms(store: &Store, roots: &[TermId], bound: usize) -> bool {
    let mut seen = FxHashSet::default();
    let mut pending = roots.to_vec();
    while let Some(next) = pending.pop() {
        if seen.insert(next) {
            pending.extend_from_slice(&store.node(next).args);
        }
        if seen.len() > bound {
            return true;
        }
    }
    false
}

/// All assignments of the variables within bounds that follow from the conjuncts, without those that make one false; `None` if there are too many within them.
fn bounded(store: &mut Store, conjuncts: &[TermId], variables: &[VariableId]) -> Option<Vec<Assignment>> {
    let bounds = signed_bounds(store, conjuncts);
    let mut ranges = Vec::with_capacity(variables.len());
    let mut count = 1u128;
    for &variable in variables {
        let Sort::BitVec(width @ 1..=64) = *store.variable_info(variable).1 else { return None };
        let (least, greatest) = (-1i128 << (width - 1), (1i128 << (width - 1)) - 1);
        let (low, high) = bounds.get(&store.variable_term(variable)).copied().unwrap_or((least, greatest));
        let (low, high) = (low.max(least), high.min(greatest));
        count =
            count.checked_mul(u128::try_from(high - low + 1).unwrap_or(0)).filter(|count| *count <= MOST_BOUNDED)?;
        ranges.push((variable, width, low, high));
    }
    let mut all = Vec::new();
    for mut place in 0..count {
        let mut model = Model::new();
        for &(variable, width, low, high) in &ranges {
            let size = (high - low + 1) as u128;
            let value = low + (place % size) as i128;
            place /= size;
            model.set(variable, Value::bit_vector(width, value as u128 & (u128::MAX >> (128 - width))));
        }
        let mut evaluator = Evaluator::new(store, &model).leaving_open();
        if conjuncts.iter().all(|conjunct| evaluator.holds(*conjunct) != Ok(false)) {
            let memo = evaluator.pause();
            all.push(Assignment { model, memo });
        }
    }
    Some(all)
}

/// All assignments of the variables that satisfy the conjuncts; `None` if they are not known to be few.
fn assignments(
    store: &mut Store,
    solver: &mut Portfolio,
    conjuncts: &[TermId],
    variables: &[VariableId],
    limits: &Limits,
) -> Option<Vec<Assignment>> {
    let mut mentioned = store.free_variables(conjuncts);
    mentioned.sort_unstable();
    if mentioned != variables {
        return None;
    }
    let mut query = conjuncts.to_vec();
    let mut all = Vec::new();
    loop {
        let mut found = match solver.check_once(store, &query, &Limits { wall: EACH.min(limits.wall), ..*limits }) {
            FloatOutcome::Unsat(_) => return Some(all),
            FloatOutcome::Sat(found) if all.len() < MOST => found,
            FloatOutcome::Sat(_) | FloatOutcome::Unknown(_) => return None,
        };
        found.complete(store, conjuncts);
        let mut model = Model::new();
        let mut equal = Vec::new();
        for &variable in variables {
            let value = found.get(variable)?;
            let literal = store.literal(value)?;
            let term = store.variable_term(variable);
            equal.push(store.mk(Op::Eq, &[term, literal]));
            model.set(variable, value.clone());
        }
        let these = store.and(&equal);
        query.push(store.not(these));
        all.push(Assignment { model, memo: Memo::default() });
    }
}

/// Whether one of all assignments satisfies the conjuncts; `None` where time is over, or a theory leaves that open.
fn tried(store: &Store, all: &mut [Assignment], conjuncts: &[TermId], deadline: Instant) -> Option<FloatOutcome> {
    let mut is_open = false;
    for Assignment { model, memo } in all {
        let mut evaluator = Evaluator::resume(store, model, std::mem::take(memo)).leaving_open();
        let (mut holds, mut is_false) = (true, false);
        for &conjunct in conjuncts {
            if Instant::now() >= deadline {
                return None;
            }
            match evaluator.holds(conjunct) {
                Ok(true) => {}
                Ok(false) => {
                    is_false = true;
                    break;
                }
                Err(_) => holds = false,
            }
        }
        *memo = evaluator.pause();
        match (is_false, holds) {
            (true, _) => {}
            (false, true) => return Some(FloatOutcome::Sat(model.clone())),
            (false, false) => is_open = true,
        }
    }
    (!is_open).then(|| FloatOutcome::Unsat(Core((0..conjuncts.len()).collect())))
}

#[cfg(test)]
mod tests {
    use labrys_float::{Float, Format};
    use labrys_solver::PortfolioConfig;
    use labrys_term::eval;

    use super::*;

    const LIMITS: Limits = Limits { wall: Duration::from_secs(60), memory_mib: 0, work: 0 };

    /// A solver of all, and what has been slow about these variables.
    fn asked(store: &Store, terms: &[TermId], took: Duration) -> (FewAssignments, Portfolio, Vec<VariableId>) {
        let mut variables = store.free_variables(terms);
        variables.sort_unstable();
        let mut few = FewAssignments::default();
        few.note(&variables, took);
        (few, Portfolio::new(PortfolioConfig::default()), variables)
    }

    /// Two bytes that are one of three each, or between bounds, and chains of random operations on them, against all pairs.
    #[test]
    fn answers_are_those_of_all_values() {
        let mut seed = 11u64;
        let mut random = |bound: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % bound
        };
        let mut seen = [0; 2];
        for case in 0..80 {
            let has_bounds = case % 2 == 1;
            let mut store = Store::new();
            let inputs = ["x", "y"].map(|name| store.variable(name, Sort::BitVec(8)));
            let values = match has_bounds {
                false => [0; 2].map(|_| [0; 3].map(|_| random(256)).to_vec()),
                // From -20 at the least, to 42 at the most.
                true => [0; 2]
                    .map(|_| random(20))
                    .map(|low| (0..=low + random(43)).map(|at| (at + 256 - low) % 256).collect()),
            };
            let mut conjuncts = Vec::new();
            for (input, values) in inputs.into_iter().zip(&values) {
                if has_bounds {
                    let [low, high] = [values[0], values[values.len() - 1]].map(|end| store.bv_const(8, end));
                    conjuncts.extend([store.mk(Op::BvSle, &[low, input]), store.mk(Op::BvSle, &[input, high])]);
                    continue;
                }
                let mut equal = |value: &usize| {
                    let value = store.bv_const(8, *value);
                    store.mk(Op::Eq, &[input, value])
                };
                let cases: Vec<TermId> = values.iter().map(&mut equal).collect();
                conjuncts.push(store.or(&cases));
            }
            let mut terms = inputs.to_vec();
            for _ in 0..120 {
                let ops = [Op::BvAdd, Op::BvMul, Op::BvXor, Op::BvAnd, Op::BvShl, Op::BvUrem];
                let [a, b] = [0; 2].map(|_| terms[terms.len() - 1 - random(terms.len().min(6))]);
                let next = store.mk(ops[random(ops.len())].clone(), &[a, b]);
                terms.push(next);
            }
            let bound = store.bv_const(8, 1 + random(60));
            let last = store.mk(Op::BvXor, &[terms[terms.len() - 1], inputs[random(2)]]);
            conjuncts.push(store.mk(Op::BvUlt, &[last, bound]));
            conjuncts.sort_unstable();
            let mut models = 0;
            for (first, second) in values[0].iter().flat_map(|x| values[1].iter().map(move |y| (*x, *y))) {
                let mut model = Model::new();
                for (input, bits) in inputs.iter().zip([first, second]) {
                    model.set_term(&store, *input, Value::bit_vector(8, bits));
                }
                models +=
                    usize::from(conjuncts.iter().all(|term| eval(&store, *term, &model) == Ok(Value::Bool(true))));
            }
            let took = if has_bounds { RATHER_SLOW } else { SLOW };
            let (mut few, mut solver, variables) = asked(&store, &conjuncts, took);
            let outcome = few.decide(&mut store, &mut solver, (&conjuncts, &variables), &LIMITS);
            match outcome.expect("few assignments") {
                FloatOutcome::Sat(model) => {
                    assert!(conjuncts.iter().all(|term| eval(&store, *term, &model) == Ok(Value::Bool(true))));
                    seen[0] += 1;
                }
                FloatOutcome::Unsat(_) => {
                    assert_eq!(models, 0);
                    seen[1] += 1;
                }
                FloatOutcome::Unknown(why) => panic!("{why:?}"),
            }
        }
        assert!(seen.iter().all(|count| *count > 5), "{seen:?}");
    }

    /// A minimum of zeros is either of them: that one is not the result proves nothing.
    #[test]
    fn what_a_theory_leaves_open_is_not_decided() {
        let mut store = Store::new();
        let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::Float(Format::BINARY32)));
        let [plus, minus] = [false, true].map(|negative| store.float_const(Float::zero(Format::BINARY32, negative)));
        let least = store.mk(Op::FpMin, &[x, y]);
        let mut larger = least;
        for _ in 0..SMALL {
            larger = store.mk(Op::FpAbs, &[larger]);
            larger = store.mk(Op::FpNeg, &[larger]);
        }
        let both = [store.mk(Op::Eq, &[x, plus]), store.mk(Op::Eq, &[y, minus])];
        for negative in [false, true] {
            let zero = store.float_const(Float::zero(Format::BINARY32, negative));
            let mut conjuncts = both.to_vec();
            conjuncts.push(store.mk(Op::Eq, &[least, zero]));
            let unlike = store.mk(Op::Eq, &[larger, zero]);
            conjuncts.push(unlike);
            conjuncts.retain(|term| has_more_terms(&store, &[*term], SMALL) || both.contains(term));
            conjuncts.sort_unstable();
            let (mut few, mut solver, variables) = asked(&store, &conjuncts, SLOW);
            let outcome = few.decide(&mut store, &mut solver, (&conjuncts, &variables), &LIMITS);
            assert_eq!(outcome, None, "{negative}");
        }
    }
}

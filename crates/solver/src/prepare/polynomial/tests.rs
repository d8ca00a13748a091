//! The polynomials' decisions against evaluation under all assignments.

use labrys_formulas::Random;
use labrys_term::{Evaluator, Model, Value};

use super::*;

/// Three variables of few bits, two of more.
fn variables(store: &mut Store, width: u32) -> Vec<TermId> {
    let count = if width <= 4 { 3 } else { 2 };
    (0..count).map(|i| store.variable(&format!("x{i}"), Sort::BitVec(width))).collect()
}

/// All assignments up to 12 bits, and some beyond.
fn assignments(store: &Store, variables: &[TermId], width: u32) -> Vec<Model> {
    let bits = width * variables.len() as u32;
    let stride = if bits <= 12 { 1 } else { 37 };
    let model = |number: u32| {
        let mut model = Model::new();
        for (i, &variable) in variables.iter().enumerate() {
            let value = (number >> (width * i as u32)) & ((1 << width) - 1);
            model.set(store.as_variable(variable).unwrap(), Value::bit_vector(width, value));
        }
        model
    };
    (0u32..1 << bits).step_by(stride).map(model).collect()
}

/// A random term, and now and then the same polynomial written otherwise.
fn grow(store: &mut Store, terms: &mut Vec<TermId>, width: u32, random: &mut Random) {
    let [a, b, c] = [(); 3].map(|()| terms[random.within(0..terms.len())]);
    let distance = store.bv_const(width, random.within(0..=width));
    let added = match random.within(0..10) {
        0 => store.mk(Op::BvNeg, &[a]),
        1 => store.mk(Op::BvNot, &[a]),
        2 => store.mk(Op::BvSub, &[a, b]),
        3 => store.mk(Op::BvShl, &[a, distance]),
        4 => store.mk(Op::BvMul, &[a, b]),
        5 => store.mk(Op::BvMul, &[b, a]),
        6 => store.mk(Op::BvXor, &[a, b]),
        7 => store.mk(Op::BvAdd, &[a, b]),
        _ => {
            // Distributivity.
            let sum = store.mk(Op::BvAdd, &[b, c]);
            let products = [b, c].map(|factor| store.mk(Op::BvMul, &[a, factor]));
            terms.push(store.mk(Op::BvMul, &[sum, a]));
            store.mk(Op::BvAdd, &products)
        }
    };
    terms.push(added);
}

#[test]
fn comparisons_keep_their_values() {
    let (mut decided, mut rewritten) = (0, 0);
    for seed in 0..400 {
        let random = &mut Random::new(seed);
        let width = random.within(1..=8);
        let mut store = Store::new();
        let variables = variables(&mut store, width);
        let mut terms = variables.clone();
        terms.push(store.bv_const(width, random.bits() as u32));
        for _ in 0..10 {
            grow(&mut store, &mut terms, width, random);
        }
        let mut conjuncts = Vec::new();
        for _ in 0..12 {
            let ops = [Op::Eq, Op::Eq, Op::Distinct, Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle];
            let sides = [(); 2].map(|()| terms[random.within(0..terms.len())]);
            conjuncts.push(store.mk(ops[random.within(0..ops.len())].clone(), &sides));
        }
        // One comparison below a term of another comparison.
        let branch = store.mk(Op::Ite, &[conjuncts[0], terms[0], terms[1]]);
        let sum = store.mk(Op::BvAdd, &[branch, terms[2]]);
        conjuncts.push(store.mk(Op::Eq, &[sum, terms[5]]));
        let Some(results) = Polynomials::new().simplify(&mut store, &conjuncts) else { continue };
        for (before, after) in conjuncts.iter().zip(&results).filter(|(before, after)| before != after) {
            let is_decided = matches!(store.node(*after).op, Op::BoolConst(_));
            *(if is_decided { &mut decided } else { &mut rewritten }) += 1;
            for model in assignments(&store, &variables, width) {
                let mut evaluator = Evaluator::new(&store, &model);
                let [expected, found] = [before, after].map(|&term| evaluator.holds(term));
                assert_eq!(expected, found, "seed {seed}, width {width}");
            }
        }
    }
    assert!(decided > 300 && rewritten > 100, "{decided} decided, {rewritten} rewritten");
}

/// What becomes of `op(s, t)`.
fn compared(store: &mut Store, op: Op, sides: [TermId; 2]) -> TermId {
    let term = store.mk(op, &sides);
    Polynomials::new().simplify(store, &[term]).map_or(term, |terms| terms[0])
}

#[test]
fn laws_of_rings_hold_at_any_width() {
    for width in [1, 32, 128, 200] {
        let mut store = Store::new();
        let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::BitVec(width)));
        let (yes, no) = (store.bool_const(true), store.bool_const(false));
        let one = store.bv_const(width, 1u8);
        let sum = store.mk(Op::BvAdd, &[x, y]);
        let square = store.mk(Op::BvMul, &[sum, sum]);
        let [xx, yy, xy] = [[x, x], [y, y], [x, y]].map(|factors| store.mk(Op::BvMul, &factors));
        let twice = store.mk(Op::BvShl, &[xy, one]);
        let partial = store.mk(Op::BvAdd, &[xx, twice]);
        let binomial = store.mk(Op::BvAdd, &[partial, yy]);
        assert_eq!(compared(&mut store, Op::Eq, [square, binomial]), yes);
        assert_eq!(compared(&mut store, Op::BvUlt, [square, binomial]), no);
        // 2xy + 1 is odd, 2xy is even.
        let odd = store.mk(Op::BvAdd, &[twice, one]);
        let zero = store.bv_const(width, 0u8);
        assert_eq!(compared(&mut store, Op::Eq, [odd, zero]), no);
        // x² + xy + y = xy + y + x² + x says that x is zero.
        let left = store.mk(Op::BvAdd, &[xx, xy]);
        let left = store.mk(Op::BvAdd, &[left, y]);
        let right = store.mk(Op::BvAdd, &[xy, y]);
        let right = store.mk(Op::BvAdd, &[right, xx]);
        let right = store.mk(Op::BvAdd, &[right, x]);
        let expected = [store.mk(Op::Eq, &[x, zero]), store.mk(Op::Eq, &[zero, x])];
        assert!(expected.contains(&compared(&mut store, Op::Eq, [left, right])));
    }
}

#[test]
fn towers_cost_little() {
    let mut store = Store::new();
    let mut term = store.variable("x", Sort::BitVec(64));
    let mut conjuncts = Vec::new();
    for i in 0..100_000 {
        let variable = store.variable(&format!("x{}", i % 1000), Sort::BitVec(64));
        let op = if i % 3 == 0 { Op::BvMul } else { Op::BvAdd };
        let next = store.mk(op, &[term, variable]);
        if i % 100 == 0 {
            conjuncts.push(store.mk(Op::Eq, &[next, variable]));
        }
        term = next;
    }
    conjuncts.push(store.mk(Op::Distinct, &[term, term]));
    let mut polynomials = Polynomials::new();
    polynomials.simplify(&mut store, &conjuncts);
    let monomials: usize = polynomials.of.values().map(|polynomial| polynomial.len()).sum();
    assert!(monomials <= MOST_WORK + 2 * store.len(), "{monomials} monomials are kept");
}

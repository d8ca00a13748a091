//! Queries whose models are hard to hit by chance, and that models are models.

use labrys_float::{Float, Format, RoundingMode};
use labrys_formulas::Terms as Grown;
use labrys_term::{Model, Op, Sort, Store, TermId, eval};

use super::random_terms::shape;
use crate::domain::{Domain, Facts, FloatDomain, Range};
use crate::{Budget, Engine, LocalQuery, LocalSearch, Query, Verdict, Why};

/// Solves with so many millions of instructions.
#[track_caller]
fn solve(store: &Store, assertions: &[TermId], facts: &Facts, millions: u64) -> Verdict {
    let mut engine = LocalSearch::default();
    let budget = Budget { work: millions * 1_000_000, ..Budget::unlimited() };
    let query = Query { store, assertions, facts };
    let verdict = engine.check(&query, &budget);
    let again = LocalSearch::default().check(&query, &budget);
    assert_eq!(verdict, again, "the same seed gives the same answer");
    if let Verdict::Sat(model) = &verdict {
        for assertion in assertions {
            assert_eq!(eval(store, *assertion, model).map(|value| value.as_bool()), Ok(Some(true)));
        }
    }
    verdict
}

#[track_caller]
fn model(store: &Store, assertions: &[TermId], millions: u64) -> Model {
    match solve(store, assertions, &Facts::default(), millions) {
        Verdict::Sat(model) => model,
        other => panic!("{other:?}"),
    }
}

/// Shorthands for terms over one format.
struct Terms {
    store: Store,
    mode: TermId,
    format: Format,
}

impl Terms {
    fn new(format: Format) -> Terms {
        let mut store = Store::new();
        let mode = store.rounding_mode(RoundingMode::NearestEven);
        Terms { store, mode, format }
    }

    fn variable(&mut self, name: &str) -> TermId {
        self.store.variable(name, Sort::Float(self.format))
    }

    fn number(&mut self, decimal: &str) -> TermId {
        let number = Float::parse_decimal(self.format, decimal).unwrap();
        self.store.float_const(number)
    }

    fn rounded(&mut self, op: Op, args: &[TermId]) -> TermId {
        let mut all = vec![self.mode];
        all.extend_from_slice(args);
        self.store.mk(op, &all)
    }

    /// A polynomial by Horner's rule, highest coefficient first.
    fn polynomial(&mut self, x: TermId, coefficients: &[&str]) -> TermId {
        let mut value = self.number(coefficients[0]);
        for coefficient in &coefficients[1..] {
            let scaled = self.rounded(Op::FpMul, &[value, x]);
            let coefficient = self.number(coefficient);
            value = self.rounded(Op::FpAdd, &[scaled, coefficient]);
        }
        value
    }
}

#[test]
fn a_polynomial_in_a_narrow_range() {
    for format in [Format::BINARY32, Format::BINARY64] {
        let mut terms = Terms::new(format);
        let x = terms.variable("x");
        let value = terms.polynomial(x, &["1", "-6.5", "0.25", "3", "-7"]);
        let (low, high) = (terms.number("123.4567"), terms.number("123.4568"));
        let above = terms.store.mk(Op::FpLt, &[low, value]);
        let below = terms.store.mk(Op::FpLt, &[value, high]);
        model(&terms.store, &[above, below], 20);
    }
}

#[test]
fn a_chain_of_equations() {
    let mut terms = Terms::new(Format::BINARY64);
    let [x, y, z] = ["x", "y", "z"].map(|name| terms.variable(name));
    let sum = terms.rounded(Op::FpAdd, &[x, y]);
    let product = terms.rounded(Op::FpMul, &[y, z]);
    let (a, b) = (terms.number("3.7"), terms.number("-0.3"));
    let first = terms.store.mk(Op::FpEq, &[sum, a]);
    let second = terms.store.mk(Op::FpEq, &[product, b]);
    let order = terms.store.mk(Op::FpLt, &[x, z]);
    let positive = terms.store.mk(Op::FpIsPositive, &[z]);
    model(&terms.store, &[first, second, order, positive], 20);
}

#[test]
fn absorption_and_rounding() {
    // x + 1e12 = 1e12 with x > 0, and a sum that is not associative.
    let mut terms = Terms::new(Format::BINARY32);
    let [x, y] = ["x", "y"].map(|name| terms.variable(name));
    let (zero, large) = (terms.number("0"), terms.number("1e12"));
    let sum = terms.rounded(Op::FpAdd, &[x, large]);
    let absorbed = terms.store.mk(Op::FpEq, &[sum, large]);
    let positive = terms.store.mk(Op::FpLt, &[zero, x]);
    let left = terms.rounded(Op::FpAdd, &[sum, y]);
    let right = terms.rounded(Op::FpAdd, &[large, y]);
    let right = terms.rounded(Op::FpAdd, &[right, x]);
    let equal = terms.store.mk(Op::FpEq, &[left, right]);
    let different = terms.store.not(equal);
    let finite = terms.store.mk(Op::FpLt, &[left, right]);
    model(&terms.store, &[absorbed, positive, different, finite], 20);
}

#[test]
fn the_inverse_square_root_s_bits() {
    // 0x5f3759df − (bits(x) >> 1), read as a float, within a percent of 1/8.
    let mut terms = Terms::new(Format::BINARY32);
    let i = terms.store.variable("i", Sort::BitVec(32));
    let x = terms.store.mk(Op::FpFromBits(Format::BINARY32), &[i]);
    let one = terms.store.bv_const(32, 1u8);
    let magic = terms.store.bv_const(32, 0x5f37_59dfu32);
    let half = terms.store.mk(Op::BvLshr, &[i, one]);
    let guess = terms.store.mk(Op::BvSub, &[magic, half]);
    let guess = terms.store.mk(Op::FpFromBits(Format::BINARY32), &[guess]);
    let (low, high) = (terms.number("0.1249"), terms.number("0.1251"));
    let above = terms.store.mk(Op::FpLe, &[low, guess]);
    let below = terms.store.mk(Op::FpLe, &[guess, high]);
    let normal = terms.store.mk(Op::FpIsNormal, &[x]);
    model(&terms.store, &[above, below, normal], 20);
}

#[test]
fn factors_of_a_vector() {
    let mut store = Store::new();
    let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::BitVec(32)));
    let product = store.mk(Op::BvMul, &[x, y]);
    let target = store.bv_const(32, 0x1234_5678u32);
    let equal = store.mk(Op::Eq, &[product, target]);
    let (low, high) = (store.bv_const(32, 1000u32), store.bv_const(32, 100_000u32));
    let above = store.mk(Op::BvUlt, &[low, x]);
    let below = store.mk(Op::BvSlt, &[x, high]);
    model(&store, &[equal, above, below], 20);
}

#[test]
fn facts_bound_the_search() {
    // x·x rounds to 2 for no x: without facts the search would go on; facts that only one value is left lead to it.
    let mut terms = Terms::new(Format::BINARY64);
    let x = terms.variable("x");
    let [y, seven] = [terms.variable("y"), terms.number("7")];
    let product = terms.rounded(Op::FpMul, &[x, y]);
    let wanted = terms.store.mk(Op::FpEq, &[product, seven]);
    let mut only = FloatDomain::empty(Format::BINARY64);
    let bits = u128::from(1.75f64.to_bits());
    only.positive = Some(Range { low: bits, high: bits });
    let mut facts = Facts::default();
    facts.domains.insert(x, Domain::Float(only));
    let Verdict::Sat(model) = solve(&terms.store, &[wanted], &facts, 20) else { panic!("4 · 1.75 is 7") };
    let x = terms.store.as_variable(x).unwrap();
    assert_eq!(model.get(x).and_then(|value| value.as_float()?.to_f64()), Some(1.75));
}

#[test]
fn what_it_cannot_do_it_says() {
    let mut store = Store::new();
    for sort in [Sort::BitVec(4097), Sort::Float(Format::BINARY128)] {
        let wide = store.variable(&format!("{sort:?}"), sort);
        let equal = store.mk(Op::Eq, &[wide, wide]);
        let verdict = solve(&store, &[equal], &Facts::default(), 1);
        assert!(matches!(verdict, Verdict::Unknown(Why::Unsupported(_))), "{verdict:?}");
    }
    let x = store.variable("x", Sort::BitVec(64));
    let less = store.mk(Op::BvUlt, &[x, x]);
    assert_eq!(solve(&store, &[less], &Facts::default(), 1), Verdict::Unknown(Why::Work));
    let never = store.bool_const(false);
    let verdict = solve(&store, &[never], &Facts::default(), 1);
    assert!(matches!(verdict, Verdict::Unknown(Why::Incomplete(_))), "{verdict:?}");
    assert!(matches!(solve(&store, &[], &Facts::default(), 1), Verdict::Sat(_)));
}

#[test]
fn few_assignments_are_gone_through() {
    // 2^16 assignments of two vectors, and as many of a half-precision number.
    let mut store = Store::new();
    let [x, y] = ["x", "y"].map(|name| store.variable(name, Sort::BitVec(8)));
    let product = store.mk(Op::BvMul, &[x, y]);
    let one = store.bv_const(8, 1u8);
    let odd = store.mk(Op::BvOr, &[x, one]);
    let twice = store.mk(Op::BvAdd, &[odd, odd]);
    let equal = store.mk(Op::Eq, &[product, twice]);
    let low = store.bv_const(8, 253u8);
    let large = store.mk(Op::BvUlt, &[low, twice]);
    let small = store.mk(Op::BvUlt, &[y, one]);
    assert_eq!(solve(&store, &[equal, large, small], &Facts::default(), 5), Verdict::Unsat);

    let mut terms = Terms::new(Format::BINARY16);
    let x = terms.variable("x");
    let square = terms.rounded(Op::FpMul, &[x, x]);
    // The number after 1: the square of 1 is 1 and that of the number after 1 is farther away.
    let after = terms.number("1.0009765625");
    let equal = terms.store.mk(Op::FpEq, &[square, after]);
    assert_eq!(solve(&terms.store, &[equal], &Facts::default(), 5), Verdict::Unsat);
}

#[test]
fn a_stopped_search_goes_on() {
    // One of 2^25 vectors, where every step looks alike: by going through them in many short turns.
    let mut store = Store::new();
    let x = store.variable("x", Sort::BitVec(25));
    let factor = store.bv_const(25, 0x135_79bdu32);
    let target = store.bv_const(25, 0x0ac_e135u32);
    let square = store.mk(Op::BvMul, &[x, x]);
    let scrambled = store.mk(Op::BvMul, &[square, factor]);
    let shifted = store.mk(Op::BvUrem, &[scrambled, target]);
    let equal = store.mk(Op::Eq, &[shifted, factor]);
    let facts = Facts::default();
    let query = Query { store: &store, assertions: &[equal], facts: &facts };
    let budget = Budget { work: 300_000, ..Budget::unlimited() };
    let in_turns = || {
        let compiled = LocalQuery::new(&query).unwrap();
        let mut run = compiled.run(0);
        let mut turns = 0;
        loop {
            turns += 1;
            let verdict = run.check(&query, &budget);
            if verdict != Verdict::Unknown(Why::Work) {
                return (verdict, turns);
            }
        }
    };
    let (verdict, turns) = in_turns();
    assert!(turns > 1, "{verdict:?} at once");
    assert_eq!((verdict, turns), in_turns());
}

#[test]
fn planted_models_of_random_conjunctions_are_found() {
    // Truth values of random terms under a random assignment, a few of them asserted: satisfiable by construction.
    let mut found = 0;
    let seeds = 500..560;
    let count = seeds.clone().count();
    for seed in seeds {
        let mut grown = Grown::grown(seed, &shape(100));
        let mut assertions = Vec::new();
        for term in grown.of_sort(&Sort::Bool).into_iter().rev() {
            let Ok(value) = eval(&grown.store, term, &grown.model) else { continue };
            assertions.push(if value.as_bool() == Some(true) { term } else { grown.store.not(term) });
            if assertions.len() == 6 {
                break;
            }
        }
        found += usize::from(matches!(solve(&grown.store, &assertions, &Facts::default(), 2), Verdict::Sat(_)));
    }
    assert!(found * 10 >= count * 9, "{found} of {count}");
}

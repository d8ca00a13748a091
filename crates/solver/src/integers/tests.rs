//! The rewriting against evaluation under all assignments of small vectors, and laws of wide ones.

use labrys_formulas::Random;
use labrys_term::{Evaluator, Model, Value};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

use super::*;
use crate::{FloatOutcome, FloatSolver, Limits, Portfolio, PortfolioConfig};

/// Two variables, a term of each, and conjuncts over them, with bounds or without.
fn formula(store: &mut Store, width: u32, random: &mut Random) -> (Vec<TermId>, Vec<TermId>) {
    let variables: Vec<TermId> = (0..2).map(|i| store.variable(&format!("x{i}"), Sort::BitVec(width))).collect();
    let mut conjuncts = Vec::new();
    for &variable in &variables {
        let [one, other] = [(); 2].map(|()| store.bv_const(width, random.bits() as u32));
        let ops = [Op::BvSlt, Op::BvSle, Op::BvUlt, Op::BvUle];
        let op = ops[random.within(0..ops.len())].clone();
        match random.within(0..6) {
            0 => {}
            1 => conjuncts.push(store.mk(op, &[one, variable])),
            2 => conjuncts.push(store.mk(op, &[variable, other])),
            3 => {
                let zero = store.bv_const(width, 0u8);
                let is_zero = store.mk(Op::Eq, &[variable, zero]);
                conjuncts.push(store.not(is_zero));
            }
            4 => {
                let bound = store.mk(op, &[one, variable]);
                conjuncts.push(store.not(bound));
            }
            _ => {
                let small = store.bv_const(width, random.within(0..3u32));
                conjuncts.push(store.mk(Op::BvUle, &[small, variable]));
                conjuncts.push(store.mk(op, &[variable, other]));
            }
        }
    }
    // Of the width itself, and of twice as many bits.
    let mut narrow = variables.clone();
    let mut wide: Vec<TermId> = Vec::new();
    for _ in 0..random.within(3..9) {
        grow(store, &mut narrow, width, random);
        let inner = narrow[random.within(0..narrow.len())];
        let extended = [Op::SignExtend(width), Op::ZeroExtend(width)];
        wide.push(store.mk(extended[random.within(0..2)].clone(), &[inner]));
        grow(store, &mut wide, 2 * width, random);
        let whole = wide[random.within(0..wide.len())];
        narrow.push(store.mk(Op::Extract { high: width - 1, low: 0 }, &[whole]));
        if random.within(0..4) == 0 {
            wide.push(store.mk(Op::Concat, &[inner, narrow[0]]));
        }
    }
    for _ in 0..2 {
        let terms = if random.within(0..2) == 0 { &narrow } else { &wide };
        let ops = [Op::Eq, Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle];
        let sides = [(); 2].map(|()| terms[random.within(0..terms.len())]);
        let comparison = store.mk(ops[random.within(0..ops.len())].clone(), &sides);
        conjuncts.push(if random.within(0..2) == 0 { comparison } else { store.not(comparison) });
    }
    (variables, conjuncts)
}

fn grow(store: &mut Store, terms: &mut Vec<TermId>, width: u32, random: &mut Random) {
    let [a, b] = [(); 2].map(|()| terms[random.within(0..terms.len())]);
    let literal = store.bv_const(width, random.within(0..7u32));
    let divisor = if random.within(0..3) == 0 { b } else { store.bv_const(width, random.within(1..7u32)) };
    let ops = [Op::BvSdiv, Op::BvSrem, Op::BvUdiv, Op::BvUrem];
    let op = ops[random.within(0..ops.len())].clone();
    let added = match random.within(0..12) {
        0 => store.mk(Op::BvNeg, &[a]),
        1 => store.mk(Op::BvSub, &[a, b]),
        2 => store.mk(Op::BvAdd, &[a, b]),
        3 => store.mk(Op::BvMul, &[a, b]),
        4 => store.mk(Op::BvMul, &[a, literal]),
        5 => store.mk(Op::BvShl, &[a, literal]),
        6 => {
            let condition = store.mk(Op::BvSlt, &[a, literal]);
            let other = if random.within(0..2) == 0 { b } else { store.mk(Op::BvAdd, &[a, literal]) };
            store.mk(Op::Ite, &[condition, other, a])
        }
        7 => {
            // What was divided, from its parts.
            let (quotient, remainder) = (store.mk(Op::BvSdiv, &[a, divisor]), store.mk(Op::BvSrem, &[a, divisor]));
            let product = store.mk(Op::BvMul, &[quotient, divisor]);
            store.mk(Op::BvAdd, &[product, remainder])
        }
        _ => store.mk(op, &[a, divisor]),
    };
    terms.push(added);
}

/// The value of a polynomial.
fn value(evaluator: &mut Evaluator<'_>, polynomial: &Polynomial) -> BigInt {
    let mut sum = BigInt::zero();
    for (monomial, coefficient) in polynomial.terms() {
        let mut product = coefficient.clone();
        for factor in monomial {
            let Ok(Value::BitVec { width, bits }) = evaluator.value(*factor) else { panic!("no vector") };
            let own = BigInt::from(bits.clone());
            product *= if bits.bit(u64::from(width) - 1) { own - (BigInt::one() << width) } else { own };
        }
        sum += product;
    }
    sum
}

/// The model with the new variables' values.
fn extended(store: &Store, model: &Model, records: &[Record]) -> Model {
    let mut model = model.clone();
    let set = |model: &mut Model, variable: TermId, value: BigInt| {
        let Sort::BitVec(width) = *store.sort(variable) else { panic!("no vector") };
        let modulus = BigInt::one() << width;
        let bits = ((value % &modulus) + &modulus) % &modulus;
        model.set_term(store, variable, Value::bit_vector(width, bits.magnitude().clone()));
    };
    for record in records {
        match record {
            Record::Digits(atom, chain) => {
                let mut evaluator = Evaluator::new(store, &model);
                let mut left = value(&mut evaluator, &Polynomial::atom(*atom));
                let mut last = BigInt::one();
                let mut values = Vec::new();
                for divisor in chain.divisors() {
                    values.push(&left % (divisor / &last));
                    left /= divisor / &last;
                    last = divisor.clone();
                }
                values.push(left);
                for (digit, value) in chain.digits.iter().zip(values) {
                    set(&mut model, *digit, value);
                }
            }
            Record::Pair { dividend, divisor, quotient, remainder } => {
                let mut evaluator = Evaluator::new(store, &model);
                let [x, d] = [dividend, divisor].map(|known| value(&mut evaluator, &known.value));
                // Zero where bounds do not hold.
                let (of_quotient, of_remainder) = if d.is_zero() { Default::default() } else { (&x / &d, x % d) };
                set(&mut model, *quotient, of_quotient);
                set(&mut model, *remainder, of_remainder);
            }
        }
    }
    model
}

/// All assignments of two vectors of a few bits: what holds and what does not is the same, with other values of the new variables, too.
#[test]
fn conjuncts_keep_their_models() {
    let (mut models, mut decided, mut with_new, mut others) = (0, 0, 0, 0);
    for seed in 0..4_000 {
        let random = &mut Random::new(seed);
        let width = random.within(2..=4);
        let mut store = Store::new();
        let (variables, conjuncts) = formula(&mut store, width, random);
        let Some((written, records)) = rewritten_with(&mut store, &conjuncts) else { continue };
        let new: Vec<TermId> = records.iter().flat_map(Record::variables).collect();
        with_new += usize::from(store.free_variables(&written).len() > variables.len());
        decided += usize::from(written.iter().any(|term| store.node(*term).op == Op::BoolConst(false)));
        for number in 0..1u32 << (2 * width) {
            let mut model = Model::new();
            for (place, &variable) in variables.iter().enumerate() {
                model.set_term(
                    &store,
                    variable,
                    Value::bit_vector(width, number >> (width * place as u32) & ((1 << width) - 1)),
                );
            }
            let holds = |model: &Model, terms: &[TermId]| {
                let mut evaluator = Evaluator::new(&store, model);
                terms.iter().all(|term| evaluator.holds(*term) == Ok(true))
            };
            let expected = holds(&model, &conjuncts);
            models += usize::from(expected);
            let full = extended(&store, &model, &records);
            let complete = |model: &Model| {
                let mut model = model.clone();
                model.complete(&store, &written);
                model
            };
            assert_eq!(holds(&complete(&full), &written), expected, "{seed} {number}");
            if let Some(variable) = new.get(random.within(0..new.len().max(1))) {
                let Sort::BitVec(bits) = *store.sort(*variable) else { panic!("no vector") };
                let mut changed = full.clone();
                changed.set_term(&store, *variable, Value::bit_vector(bits, BigUint::from(random.bits())));
                if holds(&complete(&changed), &written) {
                    others += 1;
                    assert!(expected, "{seed} {number}");
                }
            }
        }
    }
    assert!(models > 1_000 && decided > 20 && with_new > 100 && others > 20, "{models} {decided} {with_new} {others}");
}

/// A law of two vectors of 64 bits, with bounds on both.
struct Law {
    store: Store,
    terms: Vec<TermId>,
}

impl Law {
    fn new(low: i64, high: i64) -> (Law, [TermId; 2]) {
        let mut store = Store::new();
        let variables = ["a", "b"].map(|name| store.variable(name, Sort::BitVec(64)));
        let mut law = Law { store, terms: Vec::new() };
        variables.iter().for_each(|variable| law.bound(*variable, low, high));
        (law, variables)
    }

    fn bound(&mut self, variable: TermId, low: i64, high: i64) {
        let [low, high] = [low, high].map(|end| self.store.bv_const(64, end as u64));
        self.terms.push(self.store.mk(Op::BvSle, &[low, variable]));
        self.terms.push(self.store.mk(Op::BvSle, &[variable, high]));
    }

    fn op(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        self.store.mk(op, &[a, b])
    }

    fn with(&mut self, op: Op, a: TermId, literal: i64) -> TermId {
        let literal = self.store.bv_const(64, literal as u64);
        self.store.mk(op, &[a, literal])
    }

    /// Whether there is no counterexample; one that there is has been found.
    fn holds(mut self, comparison: TermId) -> bool {
        let denied = self.store.not(comparison);
        self.terms.push(denied);
        let written = rewritten(&mut self.store, &self.terms).expect("there is something to gain");
        let limits = Limits { wall: std::time::Duration::from_secs(20), ..Limits::default() };
        match Portfolio::new(PortfolioConfig::default()).check_once(&self.store, &written, &limits) {
            FloatOutcome::Unsat(_) => true,
            FloatOutcome::Sat(mut model) => {
                model.complete(&self.store, &self.terms);
                let mut evaluator = Evaluator::new(&self.store, &model);
                assert!(self.terms.iter().all(|term| evaluator.holds(*term) == Ok(true)));
                false
            }
            FloatOutcome::Unknown(why) => panic!("{why:?}"),
        }
    }
}

/// x/c·c + x%c is x; with another divisor it is not.
#[test]
fn quotients_and_remainders_make_the_dividend() {
    for (quotient, remainder, by, holds) in [
        (Op::BvSdiv, Op::BvSrem, 1000, true),
        (Op::BvUdiv, Op::BvUrem, 1000, true),
        (Op::BvSdiv, Op::BvSrem, 999, false),
        (Op::BvUdiv, Op::BvSrem, 1000, false),
    ] {
        let (mut law, [a, _]) = Law::new(i64::MIN, i64::MAX);
        let (quotient, remainder) = (law.with(quotient, a, 1000), law.with(remainder, a, by));
        let product = law.with(Op::BvMul, quotient, 1000);
        let sum = law.op(Op::BvAdd, product, remainder);
        let same = law.op(Op::Eq, sum, a);
        assert_eq!(law.holds(same), holds, "{by}");
    }
}

/// The same with any divisor but zero.
#[test]
fn any_divisor_but_zero_does() {
    for (quotient, remainder) in [(Op::BvUdiv, Op::BvUrem), (Op::BvUdiv, Op::BvSrem)] {
        let holds = remainder == Op::BvUrem;
        let (mut law, [a, b]) = Law::new(i64::MIN, i64::MAX);
        let zero = law.store.bv_const(64, 0u8);
        let is_zero = law.store.mk(Op::Eq, &[b, zero]);
        let not_zero = law.store.not(is_zero);
        law.terms.push(not_zero);
        let (quotient, remainder) = (law.op(quotient, a, b), law.op(remainder, a, b));
        let product = law.op(Op::BvMul, quotient, b);
        let sum = law.op(Op::BvAdd, product, remainder);
        let same = law.op(Op::Eq, sum, a);
        assert_eq!(law.holds(same), holds);
    }
}

/// a·b/b is a where the product does not wrap.
#[test]
fn quotients_undo_products_that_do_not_wrap() {
    for (high, holds) in [(3_000_000_000, true), (5_000_000_000, false)] {
        let (mut law, [a, b]) = Law::new(1, high);
        let product = law.op(Op::BvMul, a, b);
        let quotient = law.op(Op::BvSdiv, product, b);
        let same = law.op(Op::Eq, quotient, a);
        if !holds {
            // A product beyond 2^63 is a negative number.
            let zero = law.store.bv_const(64, 0u8);
            let negative = law.store.mk(Op::BvSlt, &[product, zero]);
            law.terms.push(negative);
        }
        assert_eq!(law.holds(same), holds);
    }
}

/// Milliseconds, seconds, minutes and hours of a time, negative or not; with another unit it is another time.
#[test]
fn times_are_made_of_their_digits() {
    for (low, unit, holds) in [(0, 60, true), (i64::MIN, 60, true), (0, 59, false)] {
        let (mut law, [a, _]) = Law::new(low, i64::MAX);
        let hours = law.with(Op::BvSdiv, a, 3_600_000);
        let (minutes, seconds) = (law.with(Op::BvSdiv, a, 60_000), law.with(Op::BvSdiv, a, 1_000));
        let (minutes, seconds) = (law.with(Op::BvSrem, minutes, 60), law.with(Op::BvSrem, seconds, 60));
        let rest = law.with(Op::BvSrem, a, 1_000);
        let mut sum = law.with(Op::BvMul, hours, 60);
        sum = law.op(Op::BvAdd, sum, minutes);
        sum = law.with(Op::BvMul, sum, unit);
        sum = law.op(Op::BvAdd, sum, seconds);
        sum = law.with(Op::BvMul, sum, 1_000);
        sum = law.op(Op::BvAdd, sum, rest);
        let same = law.op(Op::Eq, sum, a);
        assert_eq!(law.holds(same), holds, "{low} {unit}");
    }
}

/// What is counted in one of several places is one more in all.
#[test]
fn counts_in_several_places_are_counts_in_all() {
    for (counted, holds) in [(1, true), (2, false)] {
        let (mut law, [k, _]) = Law::new(0, 5);
        let all = law.store.variable("all", Sort::BitVec(64));
        law.bound(all, 0, 6_000_000);
        let one = law.store.bv_const(64, 1u8);
        let [mut before, mut after] = [law.store.bv_const(64, 0u8); 2];
        for place in 0..6 {
            let count = law.store.variable(&format!("count {place}"), Sort::BitVec(64));
            law.bound(count, 0, 1_000_000);
            let here = law.store.bv_const(64, place as u8);
            let is_here = law.store.mk(Op::Eq, &[k, here]);
            let more = law.op(Op::BvAdd, count, one);
            let next = law.store.mk(Op::Ite, &[is_here, more, count]);
            before = law.op(Op::BvAdd, before, count);
            after = law.op(Op::BvAdd, after, next);
        }
        let known = law.op(Op::Eq, before, all);
        law.terms.push(known);
        let expected = law.with(Op::BvAdd, all, counted);
        let is_one_more = law.op(Op::Eq, after, expected);
        assert_eq!(law.holds(is_one_more), holds);
    }
}

/// A quotient rounded down is at most a seventh, and more than a seventh less 1; so rounded towards zero it is not.
#[test]
fn rounding_down_is_seen_from_the_remainder() {
    for (rounds_down, holds) in [(true, true), (false, false)] {
        let (mut law, [a, _]) = Law::new(-1 << 40, 1 << 40);
        let (quotient, remainder) = (law.with(Op::BvSdiv, a, 7), law.with(Op::BvSrem, a, 7));
        let negative = law.with(Op::BvSlt, remainder, 0);
        let (one, zero) = (law.store.bv_const(64, 1u8), law.store.bv_const(64, 0u8));
        let step = law.store.mk(Op::Ite, &[negative, one, zero]);
        let down = if rounds_down { law.op(Op::BvSub, quotient, step) } else { quotient };
        let product = law.with(Op::BvMul, down, 7);
        let below = law.op(Op::BvSle, product, a);
        assert_eq!(law.holds(below), holds);
    }
}

/// 64 bits of bounds say what both values of a vector are.
#[test]
fn ranges_are_those_of_the_numbers() {
    for width in 1..70 {
        let (signed, unsigned) = (Range::signed(width), Range::unsigned(width));
        assert_eq!((signed.bits(), unsigned.bits()), (width, width + 1));
        assert_eq!(signed.minus(&signed).bits(), width + 1);
        assert_eq!(unsigned.high.to_u128(), Some((1u128 << width) - 1));
    }
}

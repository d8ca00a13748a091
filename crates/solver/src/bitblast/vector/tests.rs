//! Every circuit against the exact evaluator of terms.

use labrys_formulas::Random;
use labrys_term::{Model, Op, Sort, Store, TermId, Value, eval};

use super::*;
use crate::bitblast::word_of;

/// An operator's circuit of two words; predicates give one bit.
type Circuit = fn(&mut Gates, &[Lit], &[Lit]) -> Bits;

fn circuits() -> Vec<(Op, Circuit)> {
    vec![
        (Op::BvAnd, |gates, a, b| bitwise(gates, a, b, Gates::and)),
        (Op::BvOr, |gates, a, b| bitwise(gates, a, b, Gates::or)),
        (Op::BvXor, |gates, a, b| bitwise(gates, a, b, Gates::xor)),
        (Op::BvAdd, |gates, a, b| add(gates, a, b, Lit::FALSE).0),
        (Op::BvSub, |gates, a, b| sub(gates, a, b).0),
        (Op::BvMul, |gates, a, b| multiply(gates, a, b, a.len())),
        (Op::BvUdiv, |gates, a, b| divide(gates, a, b).0),
        (Op::BvUrem, |gates, a, b| divide(gates, a, b).1),
        (Op::BvSdiv, signed_divide),
        (Op::BvSrem, signed_remainder),
        (Op::BvSmod, signed_modulo),
        (Op::BvShl, shift_left),
        (Op::BvLshr, |gates, a, b| shift_right(gates, a, b, Lit::FALSE)),
        (Op::BvAshr, |gates, a, b| shift_right(gates, a, b, sign(a))),
        (Op::BvUlt, |gates, a, b| vec![less(gates, a, b, Lit::FALSE)]),
        (Op::BvUle, |gates, a, b| vec![less(gates, a, b, Lit::TRUE)]),
        (Op::BvSlt, |gates, a, b| vec![signed_less(gates, a, b, Lit::FALSE)]),
        (Op::BvSle, |gates, a, b| vec![signed_less(gates, a, b, Lit::TRUE)]),
        (Op::Eq, |gates, a, b| vec![equal(gates, a, b)]),
    ]
}

/// The exact value of an operator on two words.
struct Exact {
    store: Store,
    a: TermId,
    b: TermId,
    whole: TermId,
}

impl Exact {
    fn new(op: &Op, width: u32) -> Exact {
        let mut store = Store::new();
        let (a, b) = (store.variable("a", Sort::BitVec(width)), store.variable("b", Sort::BitVec(width)));
        let whole = store.mk(op.clone(), &[a, b]);
        Exact { store, a, b, whole }
    }

    fn value(&self, width: u32, a: u64, b: u64) -> u64 {
        let mut model = Model::new();
        model.set_term(&self.store, self.a, Value::bit_vector(width, a));
        model.set_term(&self.store, self.b, Value::bit_vector(width, b));
        match eval(&self.store, self.whole, &model) {
            Ok(Value::Bool(value)) => u64::from(value),
            Ok(Value::BitVec { bits, .. }) => u64::try_from(bits).expect("64 bits"),
            other => panic!("{other:?}"),
        }
    }
}

/// Checks an operator on pairs of words, 64 at a time. `known` are bits of the operands given as constants, those of
/// the first pair.
fn check(op: &Op, circuit: Circuit, width: u32, pairs: &[(u64, u64)], known: (u64, u64)) {
    let exact = Exact::new(op, width);
    let mut gates = Gates::new();
    let mut word = |known: u64, value: u64| -> Bits {
        (0..width).map(|i| if known >> i & 1 == 1 { Lit::of(value >> i & 1 == 1) } else { gates.input() }).collect()
    };
    let (a, b) = (word(known.0, pairs[0].0), word(known.1, pairs[0].1));
    let output = circuit(&mut gates, &a, &b);
    let place: std::collections::HashMap<usize, usize> =
        a.iter().chain(&b).enumerate().map(|(place, lit)| (lit.gate(), place)).collect();
    for batch in pairs.chunks(64) {
        let bit = |index: usize| -> u64 {
            let place = place[&index];
            let of =
                |(a, b): &(u64, u64)| if place < width as usize { a >> place } else { b >> (place - width as usize) };
            batch.iter().enumerate().map(|(lane, pair)| (of(pair) & 1) << lane).sum()
        };
        let values = gates.evaluate_words(bit);
        for (lane, (a, b)) in batch.iter().enumerate() {
            let got: u64 = output.iter().enumerate().map(|(i, lit)| (word_of(&values, *lit) >> lane & 1) << i).sum();
            assert_eq!(got, exact.value(width, *a, *b), "{op:?} of {a:#x} and {b:#x}, {width} bits, known {known:x?}");
        }
    }
}

#[test]
fn every_operator_is_exact_on_all_small_words() {
    for (op, circuit) in circuits() {
        for width in 1..=4 {
            let all: Vec<(u64, u64)> = (0..1 << width).flat_map(|a| (0..1 << width).map(move |b| (a, b))).collect();
            check(&op, circuit, width, &all, (0, 0));
        }
    }
}

#[test]
fn every_operator_is_exact_with_a_constant_operand() {
    for (op, circuit) in circuits() {
        for value in 0..32 {
            let left: Vec<(u64, u64)> = (0..32).map(|other| (value, other)).collect();
            let right: Vec<(u64, u64)> = (0..32).map(|other| (other, value)).collect();
            check(&op, circuit, 5, &left, (31, 0));
            check(&op, circuit, 5, &right, (0, 31));
        }
    }
}

#[test]
fn every_operator_is_exact_on_random_wide_words() {
    let mut random = Random::new(0);
    for (op, circuit) in circuits() {
        for width in [13, 32, 64] {
            let top = u64::MAX >> (64 - width);
            let mut pairs = vec![(0, 0), (top, 0), (top, 1), (top, top), (1 << (width - 1), top), (1, top)];
            while pairs.len() < 64 {
                let (a, b, small) = (random.bits() & top, random.bits() & top, random.bits() % 64);
                pairs.extend([
                    (a, b),
                    (a, small),
                    (b >> (small % u64::from(width)), a >> ((small / 2) % u64::from(width))),
                ]);
            }
            check(&op, circuit, width, &pairs[..64], (0, 0));
        }
    }
}

#[test]
fn products_are_exact_in_more_and_fewer_bits_than_their_factors() {
    let mut gates = Gates::new();
    let (a, b) = (inputs(&mut gates, 3), inputs(&mut gates, 5));
    let five = constant(3, 5);
    for width in [1, 2, 4, 5, 7, 8, 10] {
        let (product, scaled) = (multiply(&mut gates, &a, &b, width), multiply(&mut gates, &b, &five, width));
        for both in 0..256u64 {
            let place = |index: usize| a.iter().chain(&b).position(|lit| lit.gate() == index).expect("an input");
            let values = gates.evaluate_words(|index| both >> place(index) & 1);
            let read = |word: &[Lit]| -> u64 {
                word.iter().enumerate().map(|(i, lit)| (word_of(&values, *lit) & 1) << i).sum()
            };
            let mask = (1 << width) - 1;
            assert_eq!(read(&product), ((both & 7) * (both >> 3)) & mask, "{width} bits");
            assert_eq!(read(&scaled), ((both >> 3) * 5) & mask, "{width} bits");
        }
    }
}

#[test]
fn negations_and_increments_and_rotations() {
    let mut gates = Gates::new();
    let (a, flag) = (inputs(&mut gates, 5), gates.input());
    let (minus, maybe) = (negate(&mut gates, &a), negate_if(&mut gates, flag, &a));
    let (next, carry) = increment(&mut gates, &a, flag);
    let (left, right) = (rotate_left(&a, 7), rotate_right(&a, 2));
    for input in 0..64u64 {
        let place = |index: usize| index - a[0].gate();
        let values = gates.evaluate_words(|index| input >> place(index) & 1);
        let read =
            |word: &[Lit]| -> u64 { word.iter().enumerate().map(|(i, lit)| (word_of(&values, *lit) & 1) << i).sum() };
        let (x, on) = (input & 31, input >> 5);
        assert_eq!(read(&minus), x.wrapping_neg() & 31);
        assert_eq!(read(&maybe), if on == 1 { x.wrapping_neg() & 31 } else { x });
        assert_eq!((read(&next), read(&[carry])), ((x + on) & 31, (x + on) >> 5));
        assert_eq!(read(&left), (x << 2 | x >> 3) & 31);
        assert_eq!(read(&right), (x >> 2 | x << 3) & 31);
    }
}

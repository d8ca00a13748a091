//! The packed kernel against `Environment`: exhaustively on tiny formats, at random and around special values on larger
//! ones.

use labrys_float::{Class, Environment, Float, Format, Packed, RoundingMode};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use proptest::prelude::*;

/// A format's operations beside the oracle's.
struct Pair {
    packed: Packed,
    format: Format,
}

/// The oracle's result as the kernel gives it: NaN canonical.
fn canonical(value: &Float) -> u64 {
    let canonical = if value.is_nan() { Float::nan(value.format()) } else { value.clone() };
    canonical.bits().to_u64().unwrap()
}

/// The encoding as an operand of the oracle's: with one NaN, the quiet one.
fn operand(format: Format, bits: u64) -> Float {
    let float = Float::from_bits(format, bits);
    if float.is_nan() { Float::nan(format) } else { float }
}

impl Pair {
    fn new(exponent: u32, precision: u32) -> Pair {
        let format = Format::new(exponent, precision);
        Pair { packed: Packed::new(format).unwrap(), format }
    }

    #[track_caller]
    fn same(&self, what: &str, mode: RoundingMode, operands: &[u64], ours: u64, theirs: &Float) {
        let theirs = canonical(theirs);
        assert!(
            ours == theirs,
            "{what} {:?} {mode:?} {operands:x?}: ours {ours:x}, the oracle's {theirs:x}",
            self.format
        );
    }

    fn unary(&self, mode: RoundingMode, a: u64) {
        let (packed, environment, x) = (&self.packed, Environment::with_rounding(mode), operand(self.format, a));
        let check = |what, ours, theirs: &Float| self.same(what, mode, &[a], ours, theirs);
        check("sqrt", packed.sqrt(mode, a), &environment.sqrt(&x).value);
        let integral = Environment::default().round_to_integral(&x, mode, false).value;
        check("integral", packed.round_to_integral(mode, a), &integral);
        for width in [1, 2, 5, 8, 32, 63, 64, 65, 127, 128] {
            for signed in [false, true] {
                let theirs = Environment::default().to_integer(&x, mode, width, signed).0;
                let wrapped = theirs.map(|integer| {
                    let modulus = BigInt::from(1) << width;
                    ((integer + &modulus) % modulus).to_u128().unwrap()
                });
                let ours = if signed { packed.to_signed(mode, a, width) } else { packed.to_unsigned(mode, a, width) };
                assert_eq!(ours, wrapped, "{:?} {mode:?} {a:x} to {width} bits, signed {signed}", self.format);
            }
        }
    }

    fn modeless(&self, a: u64) {
        let (packed, x) = (&self.packed, operand(self.format, a));
        let check = |what, ours, theirs: &Float| self.same(what, RoundingMode::NearestEven, &[a], ours, theirs);
        check("neg", packed.neg(a), &x.neg());
        check("abs", packed.abs(a), &x.abs());
        check("canonical", packed.canonical(a), &x);
        check("next_up", packed.next_up(a), &x.next_up());
        check("next_down", packed.next_down(a), &x.next_down());
        assert_eq!(packed.ordinal(a).map(BigInt::from), x.ordinal());
        if let Some(ordinal) = packed.ordinal(a) {
            let without_sign = if ordinal == 0 { 0 } else { a };
            assert_eq!(packed.from_ordinal(ordinal), without_sign);
        }
        let class = x.class();
        assert_eq!(packed.is_nan(a), class == Class::Nan);
        assert_eq!(packed.is_infinite(a), class == Class::Infinite);
        assert_eq!(packed.is_finite(a), x.is_finite());
        assert_eq!(packed.is_zero(a), class == Class::Zero);
        assert_eq!(packed.is_subnormal(a), class == Class::Subnormal);
        assert_eq!(packed.is_normal(a), class == Class::Normal);
        assert_eq!(packed.is_negative(a), x.is_negative() && !x.is_nan());
        assert_eq!(packed.is_positive(a), !x.is_negative() && !x.is_nan());
        assert_eq!(packed.encode(&packed.decode(a)), Some(packed.canonical(a)));
    }

    fn binary(&self, mode: RoundingMode, a: u64, b: u64) {
        let (packed, environment) = (&self.packed, Environment::with_rounding(mode));
        let (x, y) = (operand(self.format, a), operand(self.format, b));
        let check = |what, ours, theirs: &Float| self.same(what, mode, &[a, b], ours, theirs);
        check("add", packed.add(mode, a, b), &environment.add(&x, &y).value);
        check("sub", packed.sub(mode, a, b), &environment.sub(&x, &y).value);
        check("mul", packed.mul(mode, a, b), &environment.mul(&x, &y).value);
        check("div", packed.div(mode, a, b), &environment.div(&x, &y).value);
    }

    fn modeless_binary(&self, a: u64, b: u64) {
        let (packed, environment) = (&self.packed, Environment::default());
        let (x, y) = (operand(self.format, a), operand(self.format, b));
        let check = |what, ours, theirs: &Float| self.same(what, RoundingMode::NearestEven, &[a, b], ours, theirs);
        check("remainder", packed.remainder(a, b), &environment.ieee_remainder(&x, &y).value);
        check("fmod", packed.fmod(a, b), &environment.fmod(&x, &y).value);
        check("min", packed.min(a, b), &environment.min_num(&x, &y).value);
        check("max", packed.max(a, b), &environment.max_num(&x, &y).value);
        let order = x.compare(&y);
        assert_eq!(packed.compare(a, b), order, "{:?} {a:x} {b:x}", self.format);
        assert_eq!(packed.less(a, b), order.is_some_and(|order| order.is_lt()));
        assert_eq!(packed.less_equal(a, b), order.is_some_and(|order| order.is_le()));
        assert_eq!(packed.ieee_equal(a, b), order.is_some_and(|order| order.is_eq()));
        assert_eq!(packed.same(a, b), x.same_value(&y));
    }

    fn fma(&self, mode: RoundingMode, a: u64, b: u64, c: u64) {
        let [x, y, z] = [a, b, c].map(|bits| operand(self.format, bits));
        let theirs = Environment::with_rounding(mode).fma(&x, &y, &z).value;
        self.same("fma", mode, &[a, b, c], self.packed.fma(mode, a, b, c), &theirs);
    }

    fn convert(&self, mode: RoundingMode, a: u64, to: &Pair) {
        let theirs = Environment::with_rounding(mode).convert(&operand(self.format, a), to.format).value;
        to.same("convert", mode, &[a], self.packed.convert(mode, a, &to.packed), &theirs);
    }

    fn integers(&self, mode: RoundingMode, value: i128) {
        let environment = Environment::with_rounding(mode);
        let signed = environment.from_integer(&value.into(), self.format).value;
        self.same("from_signed", mode, &[value as u64], self.packed.from_signed(mode, value), &signed);
        let unsigned = environment.from_integer(&BigInt::from(value as u128), self.format).value;
        self.same("from_unsigned", mode, &[value as u64], self.packed.from_unsigned(mode, value as u128), &unsigned);
    }

    fn encodings(&self) -> std::ops::Range<u64> {
        0..1 << self.format.width()
    }
}

fn tiny() -> Vec<Pair> {
    [(3, 4), (2, 2), (2, 4), (4, 2), (3, 3)].map(|(exponent, precision)| Pair::new(exponent, precision)).into()
}

#[test]
fn one_and_two_operands_of_tiny_formats() {
    for pair in tiny() {
        for a in pair.encodings() {
            pair.modeless(a);
            RoundingMode::ALL.iter().for_each(|&mode| pair.unary(mode, a));
            for b in pair.encodings() {
                pair.modeless_binary(a, b);
                RoundingMode::ALL.iter().for_each(|&mode| pair.binary(mode, a, b));
            }
        }
    }
}

#[test]
fn three_operands_of_tiny_formats() {
    for pair in [Pair::new(2, 3), Pair::new(3, 2)] {
        for a in pair.encodings() {
            for b in pair.encodings() {
                for c in pair.encodings() {
                    RoundingMode::ALL.iter().for_each(|&mode| pair.fma(mode, a, b, c));
                }
            }
        }
    }
    // All of 2^21 triples in five modes are too many: every one in some mode, prime strides through both.
    let pair = Pair::new(3, 4);
    for triple in (0..1u64 << 21).step_by(3) {
        let mode = RoundingMode::ALL[(triple % 5) as usize];
        pair.fma(mode, triple & 127, triple >> 7 & 127, triple >> 14);
    }
}

#[test]
fn conversions_of_tiny_formats() {
    for from in tiny().iter().chain(&[Pair::new(5, 6), Pair::new(4, 8)]) {
        for to in &tiny() {
            for mode in RoundingMode::ALL {
                from.encodings().for_each(|a| from.convert(mode, a, to));
            }
        }
    }
    for pair in tiny() {
        for mode in RoundingMode::ALL {
            (-600..600).for_each(|value| pair.integers(mode, value));
        }
    }
}

#[test]
fn constants_are_the_oracle_s() {
    for (exponent, precision) in [(3, 4), (2, 2), (5, 11), (8, 24), (11, 53), (15, 49), (2, 62)] {
        let Pair { packed, format } = Pair::new(exponent, precision);
        assert_eq!(packed.format(), format);
        let bits = |float: Float| float.bits().to_u64().unwrap();
        assert_eq!(packed.one(), bits(Float::one(format)), "{format:?}");
        assert_eq!(packed.nan(), bits(Float::nan(format)));
        assert_eq!(packed.min_normal(), bits(Float::min_normal(format)));
        assert_eq!(packed.max_finite(false), bits(Float::max_finite(format)));
        assert_eq!(packed.infinity(true), bits(Float::infinity(format, true)));
        assert_eq!(packed.zero(true), bits(Float::zero(format, true)));
        assert_eq!(packed.from_ordinal(i64::MAX), packed.infinity(false));
        assert_eq!(packed.from_ordinal(i64::MIN), packed.infinity(true));
        assert_eq!(packed.encode(&Float::one(Format::X87)), None);
    }
}

#[test]
fn formats_outside_the_range_are_refused() {
    let refused = [Format::X87, Format::BINARY128, Format::new(1, 8), Format::new(16, 8), Format::new(5, 1)];
    assert!(refused.iter().all(|format| Packed::new(*format).is_none()));
}

/// Formats of every kind of intermediate: hardware's, the longest exponent, the longest significand, both division paths.
fn larger() -> Vec<Pair> {
    [(5, 11), (8, 24), (11, 53), (8, 8), (15, 49), (2, 62), (3, 61), (8, 31), (8, 32), (11, 40), (6, 6)]
        .map(|(exponent, precision)| Pair::new(exponent, precision))
        .into()
}

/// An encoding of the format out of a random word: often at the places where something changes, or close to `near`.
fn place(packed: &Packed, word: u64, near: u64) -> u64 {
    let (kind, word) = (word & 7, word >> 3);
    let width = packed.format().width();
    let mask = u64::MAX >> (64 - width);
    let few = word >> 8 & 7;
    let fraction = packed.min_normal() - 1;
    let sign = if word >> 20 & 1 == 1 { packed.zero(true) } else { 0 };
    let specials = [
        0,
        1,
        packed.min_normal(),
        packed.one(),
        packed.max_finite(false),
        packed.infinity(false),
        packed.nan(),
        fraction,
    ];
    match kind {
        0 => (specials[few as usize] + (word & 3)) & mask,
        1 => specials[few as usize] | sign,
        2 => near ^ (1 << (word % u64::from(width))),
        // The same exponent or one close by, and a random fraction.
        3 => (near & !fraction).wrapping_add((few + 1) * (fraction + 1)) & mask & !fraction | word & fraction,
        4 => (near ^ packed.zero(true)).wrapping_add(few) & mask,
        // Few significant bits: ties and exact results.
        5 => word & mask & !(fraction >> (few + 1)),
        _ => word.wrapping_mul(0x9e37_79b9_7f4a_7c15) & mask,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn larger_formats(words in any::<[u64; 3]>(), integer in any::<i128>(), shift in 0u32..127, mode in 0usize..5) {
        let mode = RoundingMode::ALL[mode];
        let pairs = larger();
        for (i, pair) in pairs.iter().enumerate() {
            let a = place(&pair.packed, words[0], 0);
            let b = place(&pair.packed, words[1], a);
            let c = place(&pair.packed, words[2], pair.packed.mul(mode, a, b));
            pair.modeless(a);
            pair.unary(mode, a);
            pair.unary(mode, c);
            pair.modeless_binary(a, b);
            pair.binary(mode, a, b);
            pair.binary(mode, b, c);
            pair.fma(mode, a, b, c);
            pair.convert(mode, a, &pairs[(i + 1) % pairs.len()]);
            pair.convert(mode, b, &pairs[(i + 2) % pairs.len()]);
            pair.integers(mode, integer >> shift);
            // Roots of squares and quotients of products are often exact.
            let square = pair.packed.mul(RoundingMode::TowardZero, a, a);
            pair.unary(mode, square);
            pair.binary(mode, c, a);
        }
    }

    #[test]
    fn single_and_double_convert_as_the_oracle_does(words in any::<[u64; 3]>(), mode in 0usize..5) {
        let (single, double) = (Pair::new(8, 24), Pair::new(11, 53));
        let mode = RoundingMode::ALL[mode];
        let narrow = place(&single.packed, words[0], 0);
        single.convert(mode, narrow, &double);
        let wide = single.packed.convert(mode, narrow, &double.packed);
        for near in [words[1], wide, wide.wrapping_add(words[2] & 3), wide ^ (1 << 28), wide.wrapping_add(1 << 28)] {
            double.convert(mode, near, &single);
        }
    }
}

#[test]
fn remainders_over_the_whole_exponent_range() {
    for pair in larger() {
        let (packed, format) = (&pair.packed, pair.format);
        for a in [packed.max_finite(false), packed.max_finite(true) - 1, packed.one() + 5] {
            for b in [1, 3, packed.min_normal() + 1, packed.one() + 3, packed.max_finite(true)] {
                let (x, y) = (operand(format, a), operand(format, b));
                let environment = Environment::default();
                pair.same(
                    "remainder",
                    RoundingMode::NearestEven,
                    &[a, b],
                    packed.remainder(a, b),
                    &environment.ieee_remainder(&x, &y).value,
                );
                pair.same(
                    "fmod",
                    RoundingMode::NearestEven,
                    &[a, b],
                    packed.fmod(a, b),
                    &environment.fmod(&x, &y).value,
                );
            }
        }
    }
}

//! Exhaustive tests on a format of 128 encodings (3 exponent bits, precision 4) against an oracle that knows nothing of
//! our kernel: it lists the representable magnitudes as integers and compares the exact result, a fraction of small integers, with them.
//!
//! Unit: 1/32, the smallest subnormal. Magnitudes are 0..=480 units, the next one (512) would be infinity.

use std::cmp::Ordering;

use labrys_float::{Class, Environment, Flags, Float, Format, Rounded, RoundingMode, Tininess};
use num_bigint::BigInt;

const FORMAT: Format = Format::new(3, 4);

fn all() -> Vec<Float> {
    (0u8..128).map(|bits| Float::from_bits(FORMAT, bits)).collect()
}

/// The magnitude in units and the sign, decoded by hand from the fields.
fn units(float: &Float) -> (i128, bool) {
    let bits = float.to_u128().unwrap() as i128;
    let (field, fraction) = (bits >> 3 & 7, bits & 7);
    (if field == 0 { fraction } else { (8 + fraction) << (field - 1) }, bits & 64 != 0)
}

fn signed_units(float: &Float) -> i128 {
    let (magnitude, negative) = units(float);
    if negative { -magnitude } else { magnitude }
}

/// Finite magnitudes in order, then the one past the largest.
fn magnitudes() -> Vec<i128> {
    let mut list: Vec<i128> = (0u8..56).map(|bits| units(&Float::from_bits(FORMAT, bits)).0).collect();
    list.push(512);
    list
}

/// Which of two neighbouring magnitudes is chosen; `compare(n, d)` compares the exact magnitude with n/d units.
fn choose(
    mode: RoundingMode,
    negative: bool,
    (low, low_even): ((i128, i128), bool),
    high: (i128, i128),
    compare: &dyn Fn(i128, i128) -> Ordering,
) -> (i128, i128) {
    let nearest = |tie_up: bool| match compare(low.0 * high.1 + high.0 * low.1, 2 * low.1 * high.1) {
        Ordering::Less => low,
        Ordering::Greater => high,
        Ordering::Equal if tie_up => high,
        Ordering::Equal => low,
    };
    match mode {
        RoundingMode::NearestEven => nearest(!low_even),
        RoundingMode::NearestAway => nearest(true),
        RoundingMode::TowardZero => low,
        RoundingMode::TowardPositive if negative => low,
        RoundingMode::TowardNegative if !negative => low,
        _ => high,
    }
}

/// Rounds a positive magnitude known by comparisons.
fn oracle(environment: &Environment, negative: bool, compare: &dyn Fn(i128, i128) -> Ordering) -> Rounded {
    let list = magnitudes();
    let mode = environment.rounding;
    let signed = |value: Float| if negative { value.neg() } else { value };
    let overflow = |value| Rounded { value: signed(value), flags: Flags::OVERFLOW | Flags::INEXACT };
    let to_infinity = match mode {
        RoundingMode::NearestEven | RoundingMode::NearestAway => true,
        RoundingMode::TowardPositive => !negative,
        RoundingMode::TowardNegative => negative,
        RoundingMode::TowardZero => false,
    };
    let beyond = if to_infinity { Float::from_bits(FORMAT, 0x38u8) } else { Float::from_bits(FORMAT, 0x37u8) };
    if compare(512, 1) != Ordering::Less {
        return overflow(beyond);
    }
    let below = list.iter().rposition(|m| compare(*m, 1) != Ordering::Less).unwrap();
    let exact = compare(list[below], 1) == Ordering::Equal;

    // Smallest normal: 8 units. With unbounded exponent the number before it is 7.5.
    let tiny = match environment.tininess {
        _ if compare(8, 1) != Ordering::Less => false,
        Tininess::BeforeRounding => true,
        Tininess::AfterRounding if compare(15, 2) != Ordering::Greater => true,
        Tininess::AfterRounding => choose(mode, negative, ((15, 2), false), (8, 1), compare) == (15, 2),
    };
    if tiny && environment.flush_to_zero {
        return Rounded { value: signed(Float::from_bits(FORMAT, 0u8)), flags: Flags::UNDERFLOW | Flags::INEXACT };
    }
    if exact {
        return Rounded { value: signed(Float::from_bits(FORMAT, below as u8)), flags: Flags::empty() };
    }
    let low = ((list[below], 1), below % 2 == 0);
    let index = below + usize::from(choose(mode, negative, low, (list[below + 1], 1), compare) != (list[below], 1));
    if index == 56 {
        return overflow(beyond);
    }
    let mut flags = Flags::INEXACT;
    flags.set(Flags::UNDERFLOW, tiny);
    Rounded { value: signed(Float::from_bits(FORMAT, index as u8)), flags }
}

/// Rounds n/d units; a zero result has the sign given.
fn round_fraction(environment: &Environment, n: i128, d: i128, zero_negative: bool) -> Rounded {
    if n == 0 {
        let zero = Float::from_bits(FORMAT, if zero_negative { 64u8 } else { 0 });
        return Rounded { value: zero, flags: Flags::empty() };
    }
    let (n, d, negative) = (n.abs(), d.abs(), (n < 0) != (d < 0));
    oracle(environment, negative, &|p, q| (n * q).cmp(&(p * d)))
}

fn environments() -> Vec<Environment> {
    let mut list = Vec::new();
    for rounding in RoundingMode::ALL {
        for tininess in [Tininess::AfterRounding, Tininess::BeforeRounding] {
            for flush_to_zero in [false, true] {
                list.push(Environment { rounding, tininess, flush_to_zero, denormals_are_zero: false });
            }
        }
    }
    list
}

#[track_caller]
fn check(what: &str, environment: &Environment, operands: &[&Float], ours: &Rounded, theirs: &Rounded) {
    assert!(ours == theirs, "{what} {operands:?} {environment:?}: ours {ours:?}, the oracle's {theirs:?}");
}

/// The sign of an exact zero sum.
fn zero_sum(environment: &Environment, left_negative: bool, right_negative: bool) -> bool {
    match left_negative == right_negative {
        true => left_negative,
        false => environment.rounding == RoundingMode::TowardNegative,
    }
}

#[test]
fn sums_products_and_quotients_of_all_finite_pairs() {
    for environment in environments() {
        for a in all().iter().filter(|a| a.is_finite()) {
            for b in all().iter().filter(|b| b.is_finite()) {
                let (x, y) = (signed_units(a), signed_units(b));
                let (p, q) = (units(a).1, units(b).1);
                let of = |what, ours, theirs| check(what, &environment, &[a, b], &ours, &theirs);
                let zero = zero_sum(&environment, p, q);
                // Two zeros of one sign keep it; x + (−x) is the mode's zero, whose operands differ in sign.
                of("add", environment.add(a, b), round_fraction(&environment, x + y, 1, zero));
                let zero = zero_sum(&environment, p, !q);
                of("sub", environment.sub(a, b), round_fraction(&environment, x - y, 1, zero));
                of("mul", environment.mul(a, b), round_fraction(&environment, x * y, 32, p != q));
                let quotient = match (x, y) {
                    (0, 0) => Rounded { value: Float::nan(FORMAT), flags: Flags::INVALID },
                    (_, 0) => Rounded { value: Float::infinity(FORMAT, p != q), flags: Flags::DIVBYZERO },
                    _ => round_fraction(&environment, x * 32, y, p != q),
                };
                of("div", environment.div(a, b), quotient);
            }
        }
    }
}

#[test]
fn fused_multiply_adds_of_all_finite_triples() {
    let environments = environments();
    let finite: Vec<Float> = all().into_iter().filter(Float::is_finite).collect();
    let mut turn = 0;
    for a in &finite {
        for b in &finite {
            for c in &finite {
                turn = (turn + 7) % environments.len();
                let environment = &environments[turn];
                let exact = signed_units(a) * signed_units(b) + 32 * signed_units(c);
                let zero = zero_sum(environment, units(a).1 != units(b).1, units(c).1);
                let theirs = round_fraction(environment, exact, 32, zero);
                check("fma", environment, &[a, b, c], &environment.fma(a, b, c), &theirs);
            }
        }
    }
}

#[test]
fn square_roots() {
    for environment in environments() {
        for a in all().iter().filter(|a| a.is_finite()) {
            let (x, negative) = units(a);
            let theirs = match (x, negative) {
                (0, _) => Rounded { value: a.clone(), flags: Flags::empty() },
                (_, true) => Rounded { value: Float::nan(FORMAT), flags: Flags::INVALID },
                // √(x/32)·32 against p/q is 32x against p²/q².
                _ => oracle(&environment, false, &|p, q| (32 * x * q * q).cmp(&(p * p))),
            };
            check("sqrt", &environment, &[a], &environment.sqrt(a), &theirs);
        }
    }
}

#[test]
fn remainders() {
    let environment = Environment::default();
    for a in all().iter().filter(|a| a.is_finite()) {
        for b in all().iter().filter(|b| b.is_finite() && !b.is_zero()) {
            let (x, y) = (signed_units(a), signed_units(b));
            let theirs = round_fraction(&environment, x % y, 1, units(a).1);
            check("fmod", &environment, &[a, b], &environment.fmod(a, b), &theirs);
            // The quotient nearest, ties to even: among the two around the floor.
            let floor = x.div_euclid(y);
            let n = [floor - 1, floor, floor + 1, floor + 2]
                .into_iter()
                .min_by_key(|n| ((x - n * y).abs(), n % 2 != 0))
                .unwrap();
            let theirs = round_fraction(&environment, x - n * y, 1, units(a).1);
            check("remainder", &environment, &[a, b], &environment.ieee_remainder(a, b), &theirs);
        }
    }
}

#[test]
fn special_operands() {
    let environment = Environment::default();
    for a in all() {
        for b in all() {
            let special = |float: &Float| float.is_nan() || float.is_infinite();
            if !special(&a) && !special(&b) {
                continue;
            }
            // binary64's own arithmetic decides: every operand converts exactly.
            let wide = |float: &Float| {
                let exact = environment.convert(float, Format::BINARY64);
                exact.value.to_f64().unwrap()
            };
            let (x, y) = (wide(&a), wide(&b));
            let signaling = a.is_signaling_nan() || b.is_signaling_nan();
            let quiet = !signaling && (a.is_nan() || b.is_nan());
            let results = [
                (environment.add(&a, &b), x + y),
                (environment.sub(&a, &b), x - y),
                (environment.mul(&a, &b), x * y),
                (environment.div(&a, &b), x / y),
                (environment.fma(&a, &b, &a), x.mul_add(y, x)),
                (environment.fmod(&a, &b), x % y),
            ];
            for (i, (ours, native)) in results.into_iter().enumerate() {
                let native_narrow = environment.convert(&Float::from_f64(native), FORMAT).value;
                assert!(ours.value.same_value(&native_narrow), "{i}: {a:?} {b:?} {ours:?} {native}");
                let invalid = signaling || (native.is_nan() && !quiet);
                assert_eq!(ours.flags.contains(Flags::INVALID), invalid, "{i}: {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn integral_values_and_integers() {
    for mode in RoundingMode::ALL {
        let environment = Environment::with_rounding(mode);
        for a in all().iter().filter(|a| a.is_finite()) {
            let (x, negative) = units(a);
            let floor = x / 32;
            let exact = x % 32 == 0;
            let low = ((floor, 1), floor % 2 == 0);
            let compare = |p: i128, q: i128| (x * q).cmp(&(p * 32));
            let n = if exact { floor } else { choose(mode, negative, low, (floor + 1, 1), &compare).0 };
            let signed = if negative { -n } else { n };
            let ours = environment.round_to_integral(a, mode, true);
            let mut theirs = round_fraction(&environment, signed * 32, 1, negative);
            theirs.flags = if exact { Flags::empty() } else { Flags::INEXACT };
            check("integral", &environment, &[a], &ours, &theirs);

            for (bits, is_signed) in [(4, true), (4, false), (8, true), (2, false)] {
                let (low, high) =
                    if is_signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
                let expected = if signed < low || signed > high {
                    (None, Flags::INVALID)
                } else {
                    (Some(BigInt::from(signed)), if exact { Flags::empty() } else { Flags::INEXACT })
                };
                assert_eq!(environment.to_integer(a, mode, bits, is_signed), expected, "{a:?} {mode:?} {bits}");
            }
        }
    }
}

#[test]
fn conversions_from_a_wider_format() {
    for environment in environments() {
        for bits in 0u32..1 << 12 {
            let wide = Float::from_bits(Format::new(5, 7), bits);
            let (Some(value), false) = (wide.to_rational(), wide.is_zero()) else {
                continue;
            };
            let units = value * BigInt::from(32);
            let n: i128 = units.numer().try_into().unwrap();
            let d: i128 = units.denom().try_into().unwrap();
            let theirs = round_fraction(&environment, n, d, false);
            check("convert", &environment, &[&wide], &environment.convert(&wide, FORMAT), &theirs);
        }
    }
}

#[test]
fn minima_and_maxima() {
    let environment = Environment::default();
    for a in all() {
        for b in all() {
            let (low, high) = (environment.min_num(&a, &b), environment.max_num(&a, &b));
            let (least, greatest) = (environment.minimum(&a, &b), environment.maximum(&a, &b));
            if a.is_nan() || b.is_nan() {
                assert!(least.value.is_nan() && greatest.value.is_nan());
                let signaling = a.is_signaling_nan() || b.is_signaling_nan();
                assert_eq!(low.flags.contains(Flags::INVALID), signaling);
                let number = if a.is_nan() { &b } else { &a };
                let expected = if signaling || number.is_nan() { Class::Nan } else { number.class() };
                assert_eq!((low.value.class(), high.value.class()), (expected, expected));
                continue;
            }
            // −0 below +0: compare (value, sign cleared).
            let key = |float: &Float| (float.ordinal().unwrap(), !float.is_negative());
            let (small, large) = if key(&a) <= key(&b) { (&a, &b) } else { (&b, &a) };
            assert_eq!((&low.value, &high.value), (small, large));
            assert_eq!((&least.value, &greatest.value), (small, large));
        }
    }
}

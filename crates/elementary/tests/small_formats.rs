//! The images against every number of small formats, with correctly rounded results.

use std::collections::HashMap;

use labrys_elementary::{Function, Range, evaluate, image, rug};
use labrys_float::{Float, Format, Rounded};
use labrys_formulas::Random;
use num_bigint::BigUint;

/// Every number of a format in order, −0 before +0.
fn numbers(format: Format) -> Vec<Float> {
    let all = (0..1u32 << format.width()).map(|bits| Float::from_bits(format, BigUint::from(bits)));
    let mut numbers: Vec<Float> = all.filter(|value| !value.is_nan()).collect();
    numbers.sort_by_key(|value| (value.ordinal(), !value.is_negative()));
    numbers
}

/// Two places in order, often near each other.
fn interval(random: &mut Random, count: usize) -> (usize, usize) {
    let one = random.below(count);
    let other = if random.below(2) == 0 { random.below(count) } else { (one + random.below(12)).min(count - 1) };
    (one.min(other), one.max(other))
}

fn assert_member(function: Function, operands: &[&Float], exact: &Rounded, ranges: &[Range]) {
    let image = image(function, ranges, 0);
    let shown = || {
        let of = |x: &Float| x.to_shortest_decimal();
        let point: Vec<String> = operands.iter().map(|x| of(x)).collect();
        let ranges: Vec<String> =
            ranges.iter().map(|range| format!("{}..{}", of(range.low()), of(range.high()))).collect();
        format!(
            "{}({}) = {}, {:?} in {}",
            function.name(),
            point.join(", "),
            of(&exact.value),
            exact.flags,
            ranges.join(" × ")
        )
    };
    assert!(image.contains(&exact.value), "value: {}", shown());
    assert!(image.flags.contains(exact.flags), "flags {:?}: {}", image.flags, shown());
}

#[test]
fn images_of_intervals_hold_every_value() {
    for format in [Format::new(3, 4), Format::new(5, 5), Format::new(6, 3)] {
        let numbers = numbers(format);
        for function in Function::all().filter(|function| function.arity() == 1) {
            let values: Vec<Rounded> = numbers.iter().map(|x| evaluate(function, std::slice::from_ref(x))).collect();
            let mut random = Random::new(7);
            for _ in 0..60 {
                let (low, high) = interval(&mut random, numbers.len());
                let range = Range::new(numbers[low].clone(), numbers[high].clone()).unwrap();
                let image = image(function, std::slice::from_ref(&range), 0);
                for place in low..=high {
                    let is_member = image.contains(&values[place].value) && image.flags.contains(values[place].flags);
                    if !is_member {
                        assert_member(function, &[&numbers[place]], &values[place], std::slice::from_ref(&range));
                    }
                }
            }
        }
    }
}

#[test]
fn images_of_boxes_hold_every_value() {
    let format = Format::new(4, 4);
    let numbers = numbers(format);
    for function in Function::all().filter(|function| function.arity() == 2) {
        let mut known: HashMap<(usize, usize), Rounded> = HashMap::new();
        let mut random = Random::new(11);
        for _ in 0..150 {
            let (x_low, x_high) = interval(&mut random, numbers.len());
            let (y_low, y_high) = interval(&mut random, numbers.len());
            let ranges = [(x_low, x_high), (y_low, y_high)]
                .map(|(low, high)| Range::new(numbers[low].clone(), numbers[high].clone()).unwrap());
            let image = image(function, &ranges, 0);
            for _ in 0..100 {
                let x = x_low + random.below(x_high - x_low + 1);
                let y = y_low + random.below(y_high - y_low + 1);
                let point = [numbers[x].clone(), numbers[y].clone()];
                let exact = known.entry((x, y)).or_insert_with(|| evaluate(function, &point));
                if !(image.contains(&exact.value) && image.flags.contains(exact.flags)) {
                    assert_member(function, &[&point[0], &point[1]], exact, &ranges);
                }
            }
        }
    }
}

/// The bits of 2/π from weight 2^−`first` on, as a fraction with `bits` bits.
fn fraction_of_two_over_pi(two_over_pi: &rug::Float, exponent: i64, bits: u32) -> rug::Float {
    let shifted = two_over_pi.clone() << exponent as i32;
    let whole = shifted.clone().floor();
    rug::Float::with_val(bits, shifted - whole)
}

/// Muller et al., "Handbook of Floating-Point Arithmetic", 2nd ed., 2018, section 10.2, after Kahan: with x = M·2^e and
/// α = 2^e·2/π, the distance of Mα from the nearest integer is least, over 0 < M < 2^p, at a denominator of a convergent of α.
#[test]
fn no_float_beyond_one_is_near_a_multiple_of_a_quarter_turn() {
    let formats = [Format::BFLOAT16, Format::BINARY32, Format::BINARY64, Format::X87, Format::BINARY128];
    for format in formats {
        let precision = format.precision();
        let slack = precision + format.exponent_bits() + 16;
        let work = 4 * slack + 64;
        let top = format.max_exponent() as u32 + work;
        let two_over_pi = rug::Float::with_val(top + 64, rug::float::Constant::Pi).recip() * 2u32;
        let last = format.max_exponent() - i64::from(precision) + 1;
        for exponent in 1 - i64::from(precision)..=last {
            let mut rest = fraction_of_two_over_pi(&two_over_pi, exponent, work);
            let alpha = rest.clone();
            let limit = rug::Integer::from(1) << precision;
            let (mut before, mut denominator) = (rug::Integer::from(0), rug::Integer::from(1));
            while denominator < limit {
                let multiple = rug::Float::with_val(work, &alpha * &denominator);
                let distance = rug::Float::with_val(work, &multiple - multiple.clone().round()).abs();
                // M·2^e of magnitude 1 or more; the distance of x itself is π/2 times this.
                let size = denominator.significant_bits() as i64 + exponent;
                let bound = rug::Float::with_val(64, 1) >> slack as i32;
                assert!(size < 1 || distance > bound, "{format:?}: {denominator}·2^{exponent}");
                rest = rest.recip();
                let quotient = rest.clone().floor();
                rest -= &quotient;
                let next = quotient.to_integer().unwrap_or_default() * &denominator + &before;
                before = std::mem::replace(&mut denominator, next);
            }
        }
    }
}

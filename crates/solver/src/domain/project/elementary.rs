//! Projections of libm's functions.
//!
//! Forward is the image of the domain's runs (`labrys_elementary::image`, whose assumptions on libm are these projections'
//! too). For the inverse, let P(m) say that the image of an operand's members up to m, the other operands anything they
//! may be, misses the result's domain. Where it holds no member up to m has partners; the greatest m for which it holds is found by
//! bisection, and likewise from above. This needs no inverse function and no monotonicity: if an image is not the tightest, or P
//! not monotone, the bisection only ends at a smaller m for which P was seen to hold.

use labrys_elementary::{Function, Image, Range, image};
use labrys_float::{Flags, Float};

use crate::domain::FloatDomain;

/// What the function may return for members of the operands' domains, by a libm within `ulps` floats of the correctly rounded
/// results.
///
/// ```
/// use labrys_elementary::Function;
/// use labrys_float::Float;
/// use labrys_solver::domain::{FloatDomain, project::elementary};
///
/// let x = FloatDomain::between(&Float::from_f64(0.0), &Float::from_f64(1.0));
/// let exp = elementary::forward(Function::Exp, &[x], 4);
/// assert!(exp.contains(&Float::from_f64(2.5)) && !exp.contains(&Float::from_f64(2.8)));
/// ```
pub fn forward(function: Function, operands: &[FloatDomain], ulps: u32) -> FloatDomain {
    apply(function, operands, ulps).0
}

/// The same and the exceptions that may be raised. Quiet NaNs raise none; that a NaN is signaling is not considered.
pub fn apply(function: Function, operands: &[FloatDomain], ulps: u32) -> (FloatDomain, Flags) {
    let Some(format) = operands.first().map(|domain| domain.format) else {
        return (FloatDomain::top(labrys_float::Format::BINARY64), Flags::all());
    };
    let (mut result, mut flags) = (FloatDomain::empty(format), Flags::empty());
    if operands.len() != function.arity() || operands.iter().any(|domain| domain.format != format) {
        return (FloatDomain::top(format), Flags::all());
    }
    if operands.iter().any(FloatDomain::is_empty) {
        return (result, flags);
    }
    let mut add = |image: &Image| {
        for range in &image.ranges {
            if let (Some(low), Some(high)) = (FloatDomain::rank_of(range.low()), FloatDomain::rank_of(range.high())) {
                result.insert(low, high);
            }
        }
        result.nan |= image.nan;
        flags |= image.flags;
    };
    let runs: Vec<Vec<Range>> = operands.iter().map(ranges).collect();
    match runs.as_slice() {
        [x] => x.iter().for_each(|x| add(&image(function, std::slice::from_ref(x), ulps))),
        [x, y] => {
            for x in x {
                y.iter().for_each(|y| add(&image(function, &[x.clone(), y.clone()], ulps)));
            }
        }
        _ => {}
    }
    add_nans(function, operands, &mut result);
    (result, flags)
}

/// What comes of NaN operands: NaN, except pow(NaN, 0) = pow(1, NaN) = 1 and hypot(±∞, NaN) = +∞.
fn add_nans(function: Function, operands: &[FloatDomain], result: &mut FloatDomain) {
    if !operands.iter().any(|operand| operand.nan) {
        return;
    }
    result.nan = true;
    let one = FloatDomain::rank_of(&Float::one(result.format)).unwrap_or(0);
    if let [x, y] = operands {
        match function {
            Function::Pow if x.nan && (y.plus_zero || y.minus_zero) || y.nan && x.contains_rank(one) => {
                result.insert(one, one);
            }
            Function::Hypot => {
                let is_infinite = |domain: &FloatDomain| domain.plus_infinity || domain.minus_infinity;
                result.plus_infinity |= is_infinite(x) || is_infinite(y);
            }
            _ => {}
        }
    }
}

fn ranges(domain: &FloatDomain) -> Vec<Range> {
    let runs = domain.runs();
    let runs = runs.as_slice().iter();
    runs.filter_map(|(low, high)| Range::new(domain.at_rank(*low), domain.at_rank(*high))).collect()
}

/// The operands' members that may have partners: values of the other operands with which the result is in `result`.
///
/// The gamma and Bessel functions' operands are returned as they are: their images take milliseconds each.
pub fn inverse(function: Function, operands: &[FloatDomain], result: &FloatDomain, ulps: u32) -> Vec<FloatDomain> {
    use Function::{J0, J1, Lgamma, Tgamma, Y0, Y1};
    if matches!(function, J0 | J1 | Y0 | Y1 | Tgamma | Lgamma) {
        return operands.to_vec();
    }
    let mut narrowed = operands.to_vec();
    for place in 0..operands.len() {
        let mut kept = FloatDomain::empty(operands[place].format);
        let misses = |part: &FloatDomain, operands: &[FloatDomain]| {
            let mut operands = operands.to_vec();
            operands[place] = *part;
            forward(function, &operands, ulps).intersect(result).is_empty()
        };
        let nan = FloatDomain { nan: operands[place].nan, ..kept };
        if nan.nan && !misses(&nan, &narrowed) {
            kept.nan = true;
        }
        let pieces = operands[place].pieces();
        for (low, high) in pieces.as_slice() {
            let within = |low: i128, high: i128| {
                let mut part = FloatDomain::empty(operands[place].format);
                part.insert(low, high);
                misses(&part, &narrowed)
            };
            if within(*low, *high) {
                continue;
            }
            let low = first_kept(*low, *high, |last| within(*low, last));
            // From above the same, with ranks complemented.
            let high = !first_kept(!*high, !low, |last| within(!last, *high));
            kept.insert(low, high);
        }
        narrowed[place] = kept;
    }
    narrowed
}

/// A rank above all of `low..=high` up to which `misses` was seen to hold, or `low`; it does not hold for all.
fn first_kept(low: i128, high: i128, misses: impl Fn(i128) -> bool) -> i128 {
    let (mut kept, mut beyond) = (low, high);
    while kept < beyond {
        let middle = kept + (beyond - kept) / 2;
        if misses(middle) { kept = middle + 1 } else { beyond = middle }
    }
    kept
}

#[cfg(test)]
mod tests {
    use labrys_elementary::evaluate;
    use labrys_float::Format;

    use super::*;

    fn between(low: f64, high: f64) -> FloatDomain {
        FloatDomain::between(&Float::from_f64(low), &Float::from_f64(high))
    }

    fn ends(domain: &FloatDomain) -> (f64, f64) {
        let value = |end: Option<Float>| end.and_then(|end| end.to_f64()).unwrap();
        (value(domain.min_member()), value(domain.max_member()))
    }

    #[test]
    fn domains_hold_what_the_functions_return() {
        let (log, flags) = apply(Function::Log, &[FloatDomain::top(Format::BINARY64)], 4);
        assert!(log.nan && log.minus_infinity && log.plus_infinity && log.plus_zero && !log.minus_zero);
        assert_eq!(flags & Flags::NOTABLE, Flags::INVALID | Flags::DIVBYZERO);
        let (low, high) = ends(&FloatDomain { minus_infinity: false, plus_infinity: false, ..log });
        assert!((-744.5..-744.4).contains(&low) && (709.7..709.8).contains(&high));
        // The number nearest to zero is at the neighbours of 1.
        assert!(log.positive.unwrap().low > FloatDomain::rank_of(&Float::from_f64(2.2e-16)).unwrap() as u128);

        let nan = FloatDomain::only(&Float::nan(Format::BINARY64));
        let pow = forward(Function::Pow, &[nan, between(-0.0, 0.0)], 4);
        assert_eq!(ends(&pow), (1.0, 1.0));
    }

    #[test]
    fn inverses_keep_every_partner_and_little_else() {
        let x = inverse(Function::Exp, &[FloatDomain::numbers(Format::BINARY64)], &between(1.0, 2.0), 0);
        let (low, high) = ends(&x[0]);
        assert!(low < 0.0 && low > -1e-15 && (high - 2f64.ln()).abs() < 1e-15);
        let x = inverse(Function::Log, &[FloatDomain::top(Format::BINARY64)], &between(1.0, f64::INFINITY), 4);
        assert!(!x[0].nan && (ends(&x[0]).0 - 1f64.exp()).abs() < 1e-14);
        let x = inverse(Function::Sin, &[between(0.0, 3.0)], &between(0.5, 0.6), 4);
        let (low, high) = ends(&x[0]);
        assert!((low - 0.5f64.asin()).abs() < 1e-14 && (high - (std::f64::consts::PI - 0.5f64.asin())).abs() < 1e-14);
        let both = inverse(Function::Pow, &[between(2.0, 100.0), between(3.0, 9.0)], &between(1.0, 64.0), 4);
        assert!((ends(&both[0]).1 - 4.0).abs() < 1e-13 && (ends(&both[1]).1 - 6.0).abs() < 1e-13);
    }

    #[test]
    fn every_point_is_its_images_partner() {
        for function in Function::all().filter(|function| function.arity() == 1) {
            for value in [-0.75, 0.0, 1e-3, 1.0, 30.0, f64::INFINITY] {
                let x = Float::from_f64(value);
                let result = FloatDomain::only(&evaluate(function, std::slice::from_ref(&x)).value);
                let domain = FloatDomain::between(&Float::from_f64(value - 2.0), &Float::from_f64(value + 0.25));
                assert!(forward(function, &[domain], 0).intersect(&result) == result, "{}", function.name());
                assert!(inverse(function, &[domain], &result, 0)[0].contains(&x), "{}({value})", function.name());
            }
        }
    }
}

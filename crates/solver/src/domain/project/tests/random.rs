//! Soundness on wide formats, where partners are drawn from the sets, and binary32 and binary64 by the hardware.

use labrys_float::{Environment, Float, Format, RoundingMode};
use labrys_formulas::Random;

use super::universe::{random_domain, random_modes};
use crate::domain::float::{infinity_magnitude, ranked};
use crate::domain::project::{forward, inverse, ulp_maximum};
use crate::domain::{FloatDomain, ModeDomain};

/// A random member: ends of intervals, and inner numbers near special exponents or anywhere.
fn member(domain: &FloatDomain, random: &mut Random) -> Float {
    let pieces = domain.pieces();
    let pieces = pieces.as_slice();
    if domain.nan && (pieces.is_empty() || random.once_in(8)) {
        return Float::nan(domain.format);
    }
    let (low, high) = pieces[random.wide_below(pieces.len() as u128) as usize];
    let rank = match random.wide_below(4) {
        0 => low,
        1 => high,
        _ => low + random.wide_below((high - low + 1) as u128) as i128,
    };
    ranked(domain.format, rank)
}

/// A random set: wide, or of numbers around 1, where sums cancel and round.
fn domain(format: Format, random: &mut Random) -> FloatDomain {
    if random.once_in(2) {
        return random_domain(format, random);
    }
    let one = FloatDomain::rank_of(&Float::one(format)).unwrap_or(1);
    let spread = 1u128 << random.wide_below((format.precision() + 4).into());
    let center = one + random.wide_below(1 << (format.precision() + 2)) as i128 - (1 << (format.precision() + 1));
    let center = if random.once_in(2) { center } else { !center };
    let mut domain = FloatDomain::empty(format);
    let bound = infinity_magnitude(format) as i128;
    let low = (center - random.wide_below(spread) as i128).clamp(!bound, bound);
    domain.insert(low, low.saturating_add(random.wide_below(spread) as i128).clamp(low, bound));
    domain
}

/// The result is in the direct projection, and its operands stay when a set around it is given.
fn check(format: Format, trials: usize, random: &mut Random) {
    for _ in 0..trials {
        let modes = random_modes(random);
        let chosen: Vec<RoundingMode> = modes.modes().collect();
        let mode = chosen[random.wide_below(chosen.len() as u128) as usize];
        let environment = Environment::with_rounding(mode);
        let [a, b, c] = [(); 3].map(|()| domain(format, random));
        let [x, y, z] = [&a, &b, &c].map(|domain| member(domain, random));
        let around = |result: &Float, random: &mut Random| match FloatDomain::rank_of(result) {
            Some(rank) => {
                let mut set = FloatDomain::empty(format);
                let spread = 1u128 << random.wide_below(u128::from(format.precision()) / 2);
                set.insert(rank - random.wide_below(spread) as i128, rank + random.wide_below(spread) as i128);
                set
            }
            None => FloatDomain::only(result),
        };
        type Direct = fn(ModeDomain, &FloatDomain, &FloatDomain) -> FloatDomain;
        type Inverse = fn(ModeDomain, &FloatDomain, &FloatDomain, &FloatDomain) -> (FloatDomain, FloatDomain);
        let binary: [(&str, Float, Direct, Inverse); 8] = [
            ("add", environment.add(&x, &y).value, forward::add, inverse::add),
            ("sub", environment.sub(&x, &y).value, forward::sub, inverse::sub),
            ("mul", environment.mul(&x, &y).value, forward::mul, inverse::mul),
            ("div", environment.div(&x, &y).value, forward::div, inverse::div),
            ("ulp add", environment.add(&x, &y).value, forward::add, ulp_maximum::add),
            ("ulp sub", environment.sub(&x, &y).value, forward::sub, ulp_maximum::sub),
            (
                "rem",
                environment.ieee_remainder(&x, &y).value,
                |_, a, b| forward::rem(a, b),
                |_, r, a, b| inverse::rem(r, a, b),
            ),
            (
                "fmod",
                environment.fmod(&x, &y).value,
                |_, a, b| forward::fmod(a, b),
                |_, r, a, b| inverse::fmod(r, a, b),
            ),
        ];
        for (name, result, direct, indirect) in binary {
            let what = || format!("{name} {mode:?} {x:?} {y:?} {result:?} {a:?} {b:?}");
            assert!(direct(modes, &a, &b).contains(&result), "{}", what());
            let r = around(&result, random);
            let (left, right) = indirect(modes, &r, &a, &b);
            assert!(left.contains(&x) && right.contains(&y), "{} {r:?} {left:?} {right:?}", what());
            assert_eq!((left.intersect(&a), right.intersect(&b)), (left, right), "{}", what());
        }
        let result = environment.fma(&x, &y, &z).value;
        assert!(forward::fma(modes, &a, &b, &c).contains(&result), "fma {mode:?} {x:?} {y:?} {z:?} {a:?} {b:?} {c:?}");
        let r = around(&result, random);
        let kept = inverse::fma(modes, &r, &a, &b, &c);
        assert!(
            kept.0.contains(&x) && kept.1.contains(&y) && kept.2.contains(&z),
            "fma {mode:?} {x:?} {y:?} {z:?} {r:?} {a:?} {b:?} {c:?}"
        );
        let result = environment.sqrt(&x).value;
        assert!(forward::sqrt(modes, &a).contains(&result), "sqrt {x:?}");
        assert!(inverse::sqrt(modes, &around(&result, random), &a).contains(&x), "sqrt {x:?}");
        let result = environment.round_to_integral(&x, mode, false).value;
        assert!(forward::round_to_integral(modes, &a).contains(&result), "round {x:?}");
        assert!(inverse::round_to_integral(modes, &around(&result, random), &a).contains(&x), "round {x:?}");
        for to in [Format::BINARY16, Format::BINARY32, Format::BINARY64, Format::X87] {
            let result = environment.convert(&x, to).value;
            assert!(forward::from_float(modes, &a, to).contains(&result), "convert {x:?}");
            assert!(inverse::from_float(modes, &FloatDomain::only(&result), &a).contains(&x), "convert {x:?}");
        }
    }
}

#[test]
fn random_partners_stay() {
    let mut random = Random::new(31);
    for (format, trials) in [
        (Format::BINARY16, 1000),
        (Format::BINARY32, 1500),
        (Format::BINARY64, 1500),
        (Format::new(5, 59), 300),
        (Format::X87, 40),
        (Format::BINARY128, 40),
    ] {
        check(format, trials, &mut random);
    }
}

#[test]
fn the_hardwares_results_are_found() {
    let mut random = Random::new(32);
    let nearest = ModeDomain::only(RoundingMode::NearestEven);
    for _ in 0..20_000 {
        let [a, b] = [(); 2].map(|()| domain(Format::BINARY64, &mut random));
        let [x, y] = [&a, &b].map(|domain| member(domain, &mut random).to_f64().unwrap_or(f64::NAN));
        for (direct, result) in [
            (forward::add(nearest, &a, &b), x + y),
            (forward::sub(nearest, &a, &b), x - y),
            (forward::mul(nearest, &a, &b), x * y),
            (forward::div(nearest, &a, &b), x / y),
            (forward::fmod(&a, &b), x % y),
            (forward::fma(nearest, &a, &b, &a), x.mul_add(y, x)),
            (forward::sqrt(nearest, &a), x.sqrt()),
        ] {
            assert!(direct.contains(&Float::from_f64(result)), "{x} {y} {result} {direct:?}");
        }
    }
}

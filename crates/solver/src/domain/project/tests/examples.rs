//! The examples of Botella, Gotlieb, Michel, STVR 2006, of Bagnara, Carlier, Gori, Gotlieb, ICST 2013, and of their slides.

use labrys_float::{Environment, Float, Format};

use crate::domain::project::{compare, forward, inverse, ulp_maximum};
use crate::domain::{FloatDomain, ModeDomain};

const NEAREST: ModeDomain = ModeDomain(1);

fn decimal(format: Format, text: &str) -> Float {
    Environment::default().parse(format, text).expect("a decimal").value
}

fn only(format: Format, text: &str) -> FloatDomain {
    FloatDomain::only(&decimal(format, text))
}

/// Narrows x and t with t = x + 1e12 until nothing changes.
fn absorb(format: Format, mut x: FloatDomain, mut sum: FloatDomain) -> (FloatDomain, FloatDomain) {
    let large = only(format, "1e12");
    loop {
        let narrower = sum.intersect(&forward::add(NEAREST, &x, &large));
        let (left, _) = inverse::add(NEAREST, &narrower, &x, &large);
        if (left, narrower) == (x, sum) {
            return (x, sum);
        }
        (x, sum) = (left, narrower);
    }
}

/// x < 10000 and x + 1e12 > 1e12.
fn absorption(format: Format) -> FloatDomain {
    let top = FloatDomain::top(format);
    let (x, _) = compare::less(&top, &only(format, "10000"), true);
    let (_, sum) = compare::less(&only(format, "1e12"), &top, true);
    absorb(format, x, sum).0
}

#[test]
fn what_is_absorbed_in_binary32_is_not_in_binary64() {
    assert!(absorption(Format::BINARY32).is_empty());
    let x = absorption(Format::BINARY64);
    // A tie goes to 1e12, whose significand is even: the least x is the next above half an ulp of it.
    assert_eq!(x.min_member(), Some(decimal(Format::BINARY64, "6.103515625e-05").next_up()));
    assert_eq!(x.max_member(), Some(decimal(Format::BINARY64, "10000").next_down()));
}

#[test]
fn what_a_sum_absorbs_is_an_interval() {
    for (format, low, high) in [
        (Format::BINARY32, "1.4012984643248171e-45", "32767.998046875"),
        (Format::BINARY64, "4.940656458412465e-324", "6.103515625e-05"),
    ] {
        let (_, x) = compare::less(&only(format, "0"), &FloatDomain::top(format), true);
        let (x, _) = absorb(format, x, only(format, "1e12"));
        let expected = FloatDomain::between(&decimal(format, low), &decimal(format, high));
        assert_eq!(x, expected, "{:?} {:?}", x.min_member(), x.max_member());
    }
}

/// Howden's infeasible path: t = a·b, x1 = t + 2 > 100, x2 = 100 − x1, x3 = x2 − 50 > 50.
#[test]
fn howdens_path_is_infeasible() {
    let format = Format::BINARY32;
    let number = |text| only(format, text);
    let top = FloatDomain::top(format);
    let (_, x1) = compare::less(&number("100"), &top, true);
    let x2 = forward::sub(NEAREST, &number("100"), &x1);
    let x3 = forward::sub(NEAREST, &x2, &number("50"));
    assert!(compare::less(&number("50"), &x3, true).1.is_empty());
}

/// The slides' program double-error.c, whose result is 134217728.
#[test]
fn a_computation_on_singles_stays_single() {
    let x = only(Format::BINARY64, "1125899973951488");
    let one = only(Format::BINARY64, "1");
    let y = forward::from_float(NEAREST, &forward::add(NEAREST, &x, &one), Format::BINARY32);
    let z = forward::from_float(NEAREST, &forward::sub(NEAREST, &x, &one), Format::BINARY32);
    assert_eq!(forward::sub(NEAREST, &y, &z), only(Format::BINARY32, "134217728"));
}

/// ICST 2013, section IV: what 0 < z ≤ 1 says of x and y where z = x + y, which the plain projection does not see.
#[test]
fn the_ulp_maximum_bounds_both_operands_of_a_sum() {
    let format = Format::BINARY64;
    let (_, z) = compare::less(&only(format, "0"), &FloatDomain::top(format), true);
    let (z, _) = compare::less_equal(&z, &only(format, "1"), true);
    let top = FloatDomain::numbers(format);
    let finite = FloatDomain { minus_infinity: false, plus_infinity: false, ..top };
    let (plain, _) = inverse::add(NEAREST, &z, &finite, &finite);
    assert_eq!(plain.max_rank(), finite.max_rank());
    // The last place of one of them is at most 1, so that it is at most 2^53 − 1; the other is at most 1 more.
    let (x, y) = ulp_maximum::add(NEAREST, &z, &finite, &finite);
    let expected = FloatDomain::between(&decimal(format, "-9007199254740991"), &decimal(format, "9007199254740992"));
    assert_eq!((x, y), (expected, expected), "{:?} {:?}", x.min_member(), x.max_member());
}

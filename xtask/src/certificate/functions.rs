//! Elementary functions with two derivatives, in intervals.
//!
//! Everything is returned for operands outside the domain, at poles, and where nothing better is known.

use rug::Float;
use rug::float::{Constant, Round};
use rug::ops::Pow;

use super::interval::{Interval, monotone, precision};

/// Value, derivatives by the first and the second operand, second derivatives: first twice, both, second twice.
pub(super) struct Jet {
    pub value: Interval,
    pub first: [Interval; 2],
    pub second: [Interval; 3],
}

fn jet(value: Interval, first: Interval, second: Interval) -> Jet {
    let none = || Interval::point(0.0);
    Jet { value, first: [first, none()], second: [second, none(), none()] }
}

macro_rules! at {
    ($x:expr, $method:ident) => {
        monotone($x, |x: &Float, round: Round| Float::with_val_round(precision(), x.$method(), round).0)
    };
}

fn pi() -> Interval {
    Interval::of(|round| Float::with_val_round(precision(), Constant::Pi, round).0)
}

/// sin (`phase` 1) or cos (`phase` 0): the ends, and the extrema at `phase` + 2n quarter turns.
fn wave(x: &Interval, phase: i64) -> Interval {
    let ends = if phase == 1 { at!(x, sin_ref) } else { at!(x, cos_ref) };
    let turns = x.over(&pi().over(&Interval::point(2.0)));
    if !turns.is_bounded() || turns.magnitude() > 1e9 || (turns.high.clone() - &turns.low) > 4 {
        return Interval::between(-1.0, 1.0);
    }
    let mut value = ends;
    for quarter in turns.low.to_f64() as i64 - 2..=turns.high.to_f64() as i64 + 2 {
        if turns.low <= quarter && turns.high >= quarter && (quarter - phase) % 2 == 0 {
            let extremum = if (quarter - phase).rem_euclid(4) == 0 { 1.0 } else { -1.0 };
            value = value.hull(&Interval::point(extremum));
        }
    }
    value
}

/// x^n by MPFR at the ends of a base that is positive, or of the magnitudes for whole n.
fn power(x: &Interval, y: &Interval) -> Interval {
    let at = |x: &Float, y: &Float| Interval::of(|round| Float::with_val_round(precision(), x.pow(y), round).0);
    let both = |x: &Float| [at(x, &y.low), at(x, &y.high)];
    let hull =
        |a: Interval, b: Interval| if a.is_bounded() && b.is_bounded() { a.hull(&b) } else { Interval::everything() };
    if x.low > 0 {
        let [[a, b], [c, d]] = [both(&x.low), both(&x.high)];
        return hull(hull(a, b), hull(c, d));
    }
    if y.low != y.high || !y.low.is_integer() || (y.low < 0 && x.has_zero()) {
        return Interval::everything();
    }
    if y.low == 0 {
        return Interval::point(1.0);
    }
    let is_even = Float::with_val(precision(), &y.low / 2u32).is_integer();
    let base = if is_even { x.abs() } else { x.clone() };
    hull(at(&base.low, &y.low), at(&base.high, &y.low))
}

/// The jet of a function of that C name.
pub(super) fn evaluate(name: &str, x: &Interval, y: &Interval) -> Option<Jet> {
    let one = &Interval::point(1.0);
    let two = &Interval::point(2.0);
    let log = |base: f64| {
        monotone(&Interval::point(base), |x, round| Float::with_val_round(precision(), x.ln_ref(), round).0)
    };
    let inverse = |x: &Interval| one.over(x);
    let is_within = |low: f64, high: f64| x.low >= low && x.high <= high;
    if !x.is_bounded() || !y.is_bounded() {
        return None;
    }
    Some(match name {
        "sin" | "cos" => {
            let (sine, cosine) = (wave(x, 1), wave(x, 0));
            if name == "sin" { jet(sine.clone(), cosine, -&sine) } else { jet(cosine.clone(), -&sine, -&cosine) }
        }
        "tan" => {
            if wave(x, 0).has_zero() {
                return None;
            }
            let value = at!(x, tan_ref);
            let first = one + &value.square();
            jet(value.clone(), first.clone(), &(two * &value) * &first)
        }
        "asin" | "acos" if is_within(-1.0, 1.0) => {
            let rest = one - &x.square();
            let rest = if rest.low < 0 { Interval::new(Float::new(precision()), rest.high) } else { rest };
            let first = inverse(&rest.sqrt());
            let second = (x * &first).over(&rest);
            if name == "asin" { jet(at!(x, asin_ref), first, second) } else { jet(at!(x, acos_ref), -&first, -&second) }
        }
        "atan" => {
            let first = inverse(&(one + &x.square()));
            jet(at!(x, atan_ref), first.clone(), -&(&(two * x) * &first.square()))
        }
        "sinh" => jet(at!(x, sinh_ref), at!(&x.abs(), cosh_ref), at!(x, sinh_ref)),
        "cosh" => jet(at!(&x.abs(), cosh_ref), at!(x, sinh_ref), at!(&x.abs(), cosh_ref)),
        "tanh" => {
            let value = at!(x, tanh_ref);
            let first = one - &value.square();
            jet(value.clone(), first.clone(), -&(&(two * &value) * &first))
        }
        "asinh" => {
            let square = one + &x.square();
            let first = inverse(&square.sqrt());
            jet(at!(x, asinh_ref), first.clone(), -&(x * &first).over(&square))
        }
        "acosh" if x.low >= 1 => {
            let square = &(x - one) * &(x + one);
            let first = inverse(&square.sqrt());
            jet(at!(x, acosh_ref), first.clone(), -&(x * &first).over(&square))
        }
        "atanh" if x.low > -1 && x.high < 1 => {
            let first = inverse(&(&(one - x) * &(one + x)));
            jet(at!(x, atanh_ref), first.clone(), &(two * x) * &first.square())
        }
        "exp" => jet(at!(x, exp_ref), at!(x, exp_ref), at!(x, exp_ref)),
        "exp2" | "exp10" => {
            let (value, scale) =
                if name == "exp2" { (at!(x, exp2_ref), log(2.0)) } else { (at!(x, exp10_ref), log(10.0)) };
            jet(value.clone(), &value * &scale, &value * &scale.square())
        }
        "expm1" => jet(at!(x, exp_m1_ref), at!(x, exp_ref), at!(x, exp_ref)),
        "log" | "log2" | "log10" if x.low > 0 => {
            let (value, scale) = match name {
                "log" => (at!(x, ln_ref), one.clone()),
                "log2" => (at!(x, log2_ref), log(2.0)),
                _ => (at!(x, log10_ref), log(10.0)),
            };
            jet(value, inverse(&(x * &scale)), -&inverse(&(&x.square() * &scale)))
        }
        "log1p" if x.low > -1 => {
            let shifted = one + x;
            jet(at!(x, ln_1p_ref), inverse(&shifted), -&inverse(&shifted.square()))
        }
        "cbrt" => {
            let value = at!(x, cbrt_ref);
            let first = inverse(&(&Interval::point(3.0) * &value.square()));
            let second = -&(two * &first).over(&(&Interval::point(3.0) * x));
            jet(value, first, second)
        }
        "erf" | "erfc" => {
            let minus = -&x.square();
            let first = &two.over(&pi().sqrt()) * &at!(&minus, exp_ref);
            let second = -&(&(two * x) * &first);
            if name == "erf" { jet(at!(x, erf_ref), first, second) } else { jet(at!(x, erfc_ref), -&first, -&second) }
        }
        _ => return of_two(name, x, y),
    })
}

fn of_two(name: &str, x: &Interval, y: &Interval) -> Option<Jet> {
    let one = &Interval::point(1.0);
    let two = &Interval::point(2.0);
    Some(match name {
        "pow" => {
            let value = power(x, y);
            let less = |by: f64| power(x, &(y - &Interval::point(by)));
            let is_flat = y.low == y.high && (y.low == 0 || y.low == 1);
            if is_flat {
                return Some(jet(value, y.clone(), Interval::point(0.0)));
            }
            let (by_x, by_xx) = (y * &less(1.0), &(y * &(y - one)) * &less(2.0));
            if y.low == y.high {
                return Some(jet(value, by_x, by_xx));
            }
            let log = monotone(x, |x, round| Float::with_val_round(precision(), x.ln_ref(), round).0);
            let by_xy = &less(1.0) * &(one + &(y * &log));
            Jet { first: [by_x, &value * &log], second: [by_xx, by_xy, &value * &log.square()], value }
        }
        "hypot" => {
            let value = (&x.square() + &y.square()).sqrt();
            let cube = &value * &value.square();
            let mixed = -&(x * y).over(&cube);
            let second = [y.square().over(&cube), mixed, x.square().over(&cube)];
            Jet { first: [x.over(&value), y.over(&value)], second, value }
        }
        // The first operand is the ordinate.
        "atan2" => {
            let quarter = pi().over(two);
            let value = if y.low > 0 {
                at!(&x.over(y), atan_ref)
            } else if x.low > 0 {
                &quarter - &at!(&y.over(x), atan_ref)
            } else if x.high < 0 {
                &-&quarter - &at!(&y.over(x), atan_ref)
            } else {
                return None;
            };
            let (xx, yy) = (x.square(), y.square());
            let square = &xx + &yy;
            let fourth = square.square();
            let twice = (&(two * x) * y).over(&fourth);
            let second = [-&twice, (&xx - &yy).over(&fourth), twice];
            Jet { first: [y.over(&square), -&x.over(&square)], second, value }
        }
        _ => return None,
    })
}

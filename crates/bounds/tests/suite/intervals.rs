//! Interval operations against exact arithmetic: results hold every member's, and are tight.

use labrys_bounds::Interval;
use labrys_elementary::rug;
use labrys_formulas::Random;
use rug::Float;

fn exact(value: f64) -> Float {
    Float::with_val(2400, value)
}

/// A double of any exponent, often with few bits, sometimes zero or of a size that overflows or underflows.
fn double(random: &mut Random) -> f64 {
    let sign = if random.likely(0.5) { 1.0 } else { -1.0 };
    match random.below(12) {
        0 => 0.0,
        1 => sign * f64::from(random.within(1..100)),
        2 => sign * 2f64.powi(random.within(-1074..=1023)),
        3 => sign * f64::from_bits(random.within(0..0x7ff0_0000_0000_0000u64)),
        4 => sign * f64::from_bits(random.within(0..1u64 << 53)),
        5 => sign * f64::MAX,
        _ => sign * random.within(0.5..2.0) * 2f64.powi(random.within(-8..8)),
    }
}

fn interval(random: &mut Random) -> Interval {
    let (a, b) = (double(random), double(random));
    let b = if random.once_in(4) { a } else { b };
    Interval::new(a.min(b), a.max(b))
}

fn member(random: &mut Random, range: Interval) -> f64 {
    match random.below(4) {
        0 => range.low(),
        1 => range.high(),
        2 => range.middle(),
        _ => {
            let share = random.within(0.0..=1.0);
            (range.low() * (1.0 - share) + range.high() * share).clamp(range.low(), range.high())
        }
    }
}

fn holds(range: Interval, value: &Float) -> bool {
    *value >= range.low() && *value <= range.high()
}

#[test]
fn results_hold_every_members_result() {
    let mut random = Random::new(5);
    for _ in 0..200_000 {
        let (a, b) = (interval(&mut random), interval(&mut random));
        let (x, y) = (member(&mut random, a), member(&mut random, b));
        let (p, q) = (exact(x), exact(y));
        let both = |operation: &str, range: Interval, value: Float| {
            assert!(holds(range, &value), "{operation} {a:?} {b:?}: {range:?} lacks that of {x:?} and {y:?}");
        };
        both("+", a + b, p.clone() + &q);
        both("-", a - b, p.clone() - &q);
        both("*", a * b, p.clone() * &q);
        both("square", a.square(), p.clone() * &p);
        both("abs", a.abs(), p.clone().abs());
        both("min", a.min(b), p.clone().min(&q));
        both("max", a.max(b), p.clone().max(&q));
        both("neg", -a, -p.clone());
        both("hull", a.hull(b), p.clone());
        both("widened", a.widened(b.magnitude()), p.clone() + &q);
        if y != 0.0 {
            both("/", a.quotient(b), p.clone() / &q);
        }
        if x >= 0.0 {
            both("sqrt", a.sqrt(), p.clone().sqrt());
        }
    }
}

/// On points results are one float wide where they are not exact, and points where few bits make them exact.
#[test]
fn results_are_tight() {
    let mut random = Random::new(6);
    for _ in 0..100_000 {
        let (x, y) = (random.within(-8.0..8.0), random.within(-8.0..8.0));
        let (a, b) = (Interval::point(x), Interval::point(y));
        for (range, nearest) in [(a + b, x + y), (a - b, x - y), (a * b, x * y), (a.quotient(b), x / y)] {
            assert!(range.low() >= nearest.next_down() && range.high() <= nearest.next_up(), "{x:?} {y:?}");
        }
        let (x, y) = (f64::from(random.within(1..1 << 20)), f64::from(random.within(1..1 << 20)) / 1024.0);
        let (a, b) = (Interval::point(x), Interval::point(y));
        assert!((a + b).is_point() && (a * b).is_point() && (a * b).quotient(b).is_point());
        assert!(a.square().is_point());
    }
    assert!(Interval::new(0.0, 1.0).square() == Interval::UNIT);
    assert!(Interval::point(49.0).sqrt() == Interval::point(7.0));
}

#[test]
fn what_overflows_is_everything() {
    let huge = Interval::point(f64::MAX);
    assert!(!(huge + huge).is_bounded() && !(huge * huge).is_bounded());
    assert!(!Interval::ONE.quotient(Interval::UNIT).is_bounded());
    assert!(!Interval::new(f64::NAN, 1.0).is_bounded() && !Interval::new(2.0, 1.0).is_bounded());
    assert!((Interval::ENTIRE * Interval::ZERO) == Interval::ZERO);
    assert!(!(Interval::ENTIRE * Interval::UNIT).is_bounded() && !(-Interval::ENTIRE + Interval::ONE).is_bounded());
}

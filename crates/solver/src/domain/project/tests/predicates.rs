//! Comparisons and classifications on random sets of tiny formats.

use std::cmp::Ordering;

use labrys_float::{Class as FloatClass, Float, Format};
use labrys_formulas::Random;
use labrys_term::Op;

use super::universe::{Tightness, Universe};
use crate::domain::project::{classify, compare};
use crate::domain::{BoolDomain, FloatDomain};

type Narrow = fn(&FloatDomain, &FloatDomain, bool) -> (FloatDomain, FloatDomain);
type Class = fn(&Float) -> bool;
type Decide = fn(&FloatDomain, &FloatDomain) -> BoolDomain;

fn check(narrow: Narrow, decide: Decide, holds: impl Fn(&Float, &Float) -> bool) {
    let mut random = Random::new(21);
    for format in [Format::new(3, 3), Format::new(2, 2)] {
        let universe = Universe::new(format);
        let values: Vec<Float> = (0..universe.len()).map(|place| universe.value(place)).collect();
        let mut tightness = Tightness::default();
        for _ in 0..1000 {
            let (a, b) = (universe.random(&mut random), universe.random(&mut random));
            let (in_a, in_b) = (universe.members(&a), universe.members(&b));
            let mut seen = [false; 2];
            for truth in [false, true] {
                let (mut left, mut right) = (Vec::new(), Vec::new());
                for (i, x) in values.iter().enumerate().filter(|(i, _)| in_a[*i]) {
                    for (j, y) in values.iter().enumerate().filter(|(j, _)| in_b[*j]) {
                        if holds(x, y) == truth {
                            left.push(i);
                            right.push(j);
                            seen[usize::from(truth)] = true;
                        }
                    }
                }
                let (kept_left, kept_right) = narrow(&a, &b, truth);
                assert_eq!((kept_left.intersect(&a), kept_right.intersect(&b)), (kept_left, kept_right));
                let what = || format!("{a:?} {b:?} {truth}");
                tightness.judge(&kept_left, &universe.hull(left), what);
                tightness.judge(&kept_right, &universe.hull(right), what);
            }
            assert_eq!(decide(&a, &b), BoolDomain::of(seen[1], seen[0]), "{a:?} {b:?}");
        }
        tightness.expect("comparison", 1000, 1000);
    }
}

#[test]
fn less() {
    check(compare::less, compare::decide_less, |x, y| x.compare(y) == Some(Ordering::Less));
}

#[test]
fn less_equal() {
    check(compare::less_equal, compare::decide_less_equal, |x, y| x.compare(y).is_some_and(Ordering::is_le));
}

#[test]
fn ieee_equal() {
    check(compare::ieee_equal, compare::decide_ieee_equal, |x, y| x.compare(y) == Some(Ordering::Equal));
}

#[test]
fn same() {
    check(compare::same, compare::decide_same, |x, y| x.same_value(y));
}

#[test]
fn classifications() {
    let classes: [(Op, Class); 7] = [
        (Op::FpIsNan, Float::is_nan),
        (Op::FpIsInfinite, Float::is_infinite),
        (Op::FpIsZero, Float::is_zero),
        (Op::FpIsSubnormal, |x| x.class() == FloatClass::Subnormal),
        (Op::FpIsNormal, |x| x.class() == FloatClass::Normal),
        (Op::FpIsNegative, |x| !x.is_nan() && x.is_negative()),
        (Op::FpIsPositive, |x| !x.is_nan() && !x.is_negative()),
    ];
    let mut random = Random::new(22);
    for format in [Format::new(3, 3), Format::new(2, 2), Format::new(3, 4)] {
        let universe = Universe::new(format);
        let mut tightness = Tightness::default();
        for (op, holds) in &classes {
            for _ in 0..500 {
                let a = universe.random(&mut random);
                let members = (0..universe.len()).filter(|place| a.contains(&universe.value(*place)));
                let (yes, no): (Vec<_>, Vec<_>) = members.partition(|place| holds(&universe.value(*place)));
                let decided = BoolDomain::of(!yes.is_empty(), !no.is_empty());
                assert_eq!(classify::decide(op, &a), decided, "{op:?} {a:?}");
                for (truth, needed) in [(true, yes), (false, no)] {
                    let kept = classify::classify(op, &a, truth);
                    tightness.judge(&kept, &universe.hull(needed), || format!("{op:?} {a:?} {truth}"));
                }
            }
        }
        tightness.expect("classification", 1000, 1000);
    }
}

#[test]
fn sets_are_counted_and_split() {
    let mut random = Random::new(23);
    let universe = Universe::new(Format::new(3, 3));
    for _ in 0..3000 {
        let (a, b) = (universe.random(&mut random), universe.random(&mut random));
        let (left, right) = (universe.members(&a), universe.members(&b));
        assert_eq!(a.count(), left.iter().filter(|member| **member).count() as u128);
        let common: Vec<bool> = left.iter().zip(&right).map(|(x, y)| *x && *y).collect();
        assert_eq!(universe.members(&a.intersect(&b)), common);
        let numbers = || (0..universe.len() - 1).filter(|place| left[*place]);
        assert_eq!(a.hull(&b), universe.hull((0..universe.len()).filter(|place| left[*place] || right[*place])));
        assert_eq!(a.min_member(), numbers().next().map(|place| universe.value(place)));
        assert_eq!(a.max_member(), numbers().next_back().map(|place| universe.value(place)));
        assert_eq!(a.as_single().is_some(), a.count() == 1);
        match a.split() {
            None => assert!(numbers().count() < 2, "{a:?}"),
            Some(rank) => {
                let (near, far) = (a.at_most(rank).without_nan(), a.at_least(rank + 1).without_nan());
                assert!(!near.is_empty() && !far.is_empty(), "{a:?}");
                assert_eq!(near.count() + far.count(), a.without_nan().count());
            }
        }
    }
}

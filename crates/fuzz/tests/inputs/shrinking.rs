//! Shrinking keeps the property, never makes an input more complicated, and reaches the plain witness.

use crate::signatures::{F64, doubles, mixed, record, restrict, values};
use labrys_fuzz::{Cost, InputClass, Sampler, Space, shrink, shrink_within};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Shrinks doubles under a predicate.
fn shrunk(start: &[f64], property: impl Fn(&[f64]) -> bool) -> Vec<f64> {
    let space = Space::new(&doubles(start.len()), InputClass::All);
    assert!(property(start), "the start has the property");
    let mut oracle = |batch: &[Vec<u8>]| batch.iter().map(|record| property(&values(record))).collect::<Vec<bool>>();
    let result = values(&shrink(&space, &record(start), &mut oracle));
    assert!(property(&result));
    result
}

#[test]
fn irrelevant_values_become_zero() {
    assert_eq!(shrunk(&[1.7e-33, -4.2e120, 17.0], |x| x[1] < -1e100), [0.0, -4e100, 0.0]);
    assert_eq!(shrunk(&[1.7e-33, 12.5], |_| true), [0.0, 0.0]);
}

#[test]
fn digits_are_dropped_while_the_property_holds() {
    assert_eq!(shrunk(&[6.249_712_345_678_9e-152], |x| (6.245e-152..6.29e-152).contains(&x[0])), [6.25e-152]);
    assert_eq!(shrunk(&[1.618_033_988_75], |x| x[0] > 1.6 && x[0] < 1.65), [1.61]);
    assert_eq!(shrunk(&[-123_456.789], |x| x[0] < -1000.5 && x[0] > -1e6), [-100_000.0]);
}

#[test]
fn signs_and_special_values_go() {
    assert_eq!(shrunk(&[-7.25], |x| x[0].abs() >= 2.0), [2.0]);
    assert_eq!(shrunk(&[f64::NEG_INFINITY], |x| x[0].abs() > 50.0), [100.0]);
    assert!(shrunk(&[f64::NAN], |x| x[0].is_nan())[0].is_nan());
    assert_eq!(shrunk(&[-0.0], |x| x[0] == 0.0 && x[0].is_sign_negative())[0].to_bits(), (-0.0f64).to_bits());
}

#[test]
fn values_that_depend_on_each_other_go_together() {
    // Each alone must keep the quotient in place; together they get plain.
    let result = shrunk(&[3.712e40, 3.712e20], |x| x[0] / x[1] > 0.99e20 && x[0] / x[1] < 1.01e20);
    assert_eq!(result, [1e20, 1.0]);
    // The product overflows: one digit each is enough.
    let result = shrunk(&[8.123e200, -9.77e150], |x| x[0] * x[1] == f64::NEG_INFINITY);
    assert!(result.iter().all(|value| format!("{:e}", value.abs()).len() <= 5), "{result:?}");
}

#[test]
fn arrays_and_integers_shrink_too() {
    let space = Space::new(&mixed(), InputClass::All);
    let leaf = |name: &str| space.leaves().find(|leaf| leaf.path == name).unwrap().clone();
    let (i, u, w) = (leaf("i"), leaf("u"), leaf("w[2]"));
    let mut start = space.origin();
    for (number, leaf) in space.leaves().enumerate() {
        leaf.write(&mut start, if leaf.scalar == F64 { 4.7e11f64.to_bits().into() } else { number as u128 });
    }
    i.write(&mut start, 4);
    u.write(&mut start, 987_654_321);
    let bool_leaf = leaf("b");
    bool_leaf.write(&mut start, 1);
    let property =
        |record: &Vec<u8>| i.read(record) >= 3 && u.read(record) > 1000 && f64::from_bits(w.read(record) as u64) > 3.0;
    assert!(property(&start));
    let mut calls = 0;
    let result = shrink(&space, &start, &mut |batch| {
        calls += batch.len();
        batch.iter().map(property).collect()
    });
    let mut expected = space.origin();
    i.write(&mut expected, 3);
    u.write(&mut expected, 1001);
    w.write(&mut expected, 4f64.to_bits().into());
    assert_eq!(result, expected);
    assert!(calls < 1000, "{calls}");
}

#[test]
fn bounds_and_conditions_hold_while_shrinking() {
    let mut space = Space::new(&doubles(2), InputClass::Finite);
    restrict(&mut space, 0, 0.375, 0.4375);
    space.assume(|record| values(record)[1] > values(record)[0]);
    let start = record(&[0.401_234_567, 0.412_345_678]);
    let result = shrink(&space, &start, &mut |batch| vec![true; batch.len()]);
    assert_eq!(values(&result), [0.4, 1.0]);
}

#[test]
fn the_oracle_is_asked_no_more_than_agreed() {
    let space = Space::new(&doubles(6), InputClass::All);
    let start = record(&[1.234_567_89; 6]);
    for limit in [0, 1, 7, 100] {
        let mut asked = 0;
        let result = shrink_within(&space, &start, limit, &mut |batch| {
            asked += batch.len();
            vec![false; batch.len()]
        });
        assert!(asked <= limit);
        assert_eq!(result, start);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 150, rng_seed: RngSeed::Fixed(4), failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn the_result_has_the_property_and_costs_no_more(seed: u64, salt: u64, odds in 1u64..6) {
        let space = Space::new(&mixed(), InputClass::All);
        let start = Sampler::new(&space, seed).sample();
        // An arbitrary property that the start has.
        let property = |record: &Vec<u8>| {
            let mixed = record.iter().fold(salt, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
            *record == start || (mixed >> 32) % odds == 0
        };
        let mut asked = 0;
        let result = shrink(&space, &start, &mut |batch| {
            asked += batch.len();
            batch.iter().map(property).collect()
        });
        prop_assert!(property(&result));
        prop_assert!(space.admits(&result));
        prop_assert!(Cost::of(&space, &result) <= Cost::of(&space, &start));
        prop_assert!(asked <= labrys_fuzz::DEFAULT_ORACLE_INPUTS);
        // The same question has the same answer.
        prop_assert_eq!(shrink(&space, &start, &mut |batch| batch.iter().map(property).collect()), result);
    }
}

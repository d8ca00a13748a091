//! Whatever samplers, mutators and neighbourhoods produce lies in the space, and the same seed produces the same.

use std::collections::HashSet;

use crate::signatures::{F32, I32, U64, X87, doubles, mixed, record, restrict, signature, value, values};
use labrys_float::{Float, Format};
use labrys_fuzz::{Corpus, DEFAULT_NEIGHBOURS, InputClass, Mutator, Sampler, Space, neighbours};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(3), failure_persistence: None, ..ProptestConfig::default() }
}

/// A space of mixed parameters, some of them bounded.
fn bounded(class: InputClass, bounds: &[(usize, f64, f64)]) -> Space {
    let mut space = Space::new(&mixed(), class);
    for (leaf, a, b) in bounds {
        let leaf = leaf % space.leaves().len();
        restrict(&mut space, leaf, a.min(*b), a.max(*b));
    }
    space
}

fn bound() -> impl Strategy<Value = f64> {
    prop_oneof![-1e300f64..1e300, -10.0f64..10.0, Just(0.0), Just(f64::INFINITY), Just(f64::NEG_INFINITY)]
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn everything_produced_is_admitted(
        seed: u64,
        finite: bool,
        bounds in proptest::collection::vec((0usize..11, bound(), bound()), 0..4),
    ) {
        let space = bounded(if finite { InputClass::Finite } else { InputClass::All }, &bounds);
        prop_assume!(!space.is_empty());
        let mut sampler = Sampler::new(&space, seed);
        let mut corpus = Corpus::new();
        for feature in 0..32u64 {
            let sample = sampler.sample();
            prop_assert!(space.admits(&sample));
            prop_assert!(space.admits(&sampler.corner()));
            prop_assert!(sampler.specials().take(64).all(|special| space.admits(&special)));
            corpus.offer(&sample, &[feature]);
        }
        let mut mutator = Mutator::new(&space, seed);
        for _ in 0..64 {
            prop_assert!(space.admits(&mutator.mutate(&mut corpus)));
        }
        let centre = sampler.sample();
        let around = neighbours(&space, &centre, DEFAULT_NEIGHBOURS);
        prop_assert!(around.len() <= DEFAULT_NEIGHBOURS);
        prop_assert!(around.iter().all(|neighbour| space.admits(neighbour) && *neighbour != centre));
        prop_assert_eq!(around.iter().collect::<HashSet<_>>().len(), around.len());
        // A smaller cap gives the most useful ones, in the same order.
        let few = neighbours(&space, &centre, 10);
        prop_assert_eq!(&few[..], &around[..around.len().min(10)]);
    }

    #[test]
    fn a_seed_determines_everything(seed: u64) {
        let space = Space::new(&mixed(), InputClass::All);
        let run = || {
            let mut sampler = Sampler::new(&space, seed);
            let mut mutator = Mutator::new(&space, seed);
            let mut corpus = Corpus::new();
            let mut all = Vec::new();
            for feature in 0..40u64 {
                let sample = sampler.sample();
                corpus.offer(&sample, &[feature / 3]);
                all.push(sample);
                all.push(mutator.mutate(&mut corpus));
            }
            all
        };
        prop_assert_eq!(run(), run());
    }
}

#[test]
fn samples_cover_classes_signs_and_exponents() {
    let space = Space::new(&doubles(1), InputClass::All);
    let mut sampler = Sampler::new(&space, 1);
    let drawn: Vec<f64> = (0..20_000).map(|_| values(&sampler.sample())[0]).collect();
    let count = |test: fn(&f64) -> bool| drawn.iter().filter(|value| test(value)).count();
    assert!(count(|v| v.is_nan()) > 10);
    assert!(count(|v| v.is_infinite()) > 10);
    assert!(count(|v| *v == 0.0 && v.is_sign_negative()) > 10);
    assert!(count(|v| v.is_subnormal()) > 10);
    // Half of the magnitudes, and of ordinary numbers a quarter.
    assert!((7500..9500).contains(&count(|v| v.is_sign_negative())));
    assert!((4000..9000).contains(&count(|v| (1e-2..=1e3).contains(&v.abs()))));
    // Five of eight are log-uniform: each tenth of the exponent range has about a tenth of those; the middle ones have the others.
    for tenth in 0..10u64 {
        let inside = drawn.iter().filter(|v| v.is_normal() && (v.to_bits() >> 52 & 0x7ff) * 10 / 2047 == tenth).count();
        let most = if tenth == 4 || tenth == 5 { 10_000 } else { 1500 };
        assert!((1000..most).contains(&inside), "{tenth}: {inside}");
    }
}

#[test]
fn integers_are_often_small_and_reach_far() {
    let signature = signature(vec![value("i", I32)]);
    let space = Space::new(&signature, InputClass::All);
    let mut sampler = Sampler::new(&space, 2);
    let drawn: Vec<i32> = (0..2000).map(|_| i32::from_le_bytes(sampler.sample()[..4].try_into().unwrap())).collect();
    assert!(drawn.iter().filter(|v| v.abs() <= 16).count() > 900);
    assert!(drawn.iter().filter(|v| v.abs() > 1 << 20).count() > 100);
    assert!(drawn.contains(&i32::MIN) && drawn.contains(&i32::MAX) && drawn.contains(&0));
}

#[test]
fn conditions_few_inputs_meet_are_met() {
    // Log-uniform draws meet each of these conditions once in a thousand times, all three never.
    let mut space = Space::new(&doubles(3), InputClass::All);
    space.assume(|record| {
        let [v, w, r] = values(record)[..] else { return false };
        (-4.5..=-0.3).contains(&v) && (0.4..=0.9).contains(&w) && (3.8..=7.8).contains(&r)
    });
    let mut sampler = Sampler::new(&space, 3);
    sampler.learn(&record(&[-1.0, 0.5, 4.0]));
    let drawn: HashSet<Vec<u8>> = (0..1000).map(|_| sampler.sample()).collect();
    assert!(drawn.iter().all(|sample| space.admits(sample)));
    assert!(drawn.len() > 500, "{}", drawn.len());

    // Everyday bounds are found without being told.
    let mut space = Space::new(&doubles(2), InputClass::All);
    space.assume(|record| {
        let [v, w] = values(record)[..] else { return false };
        (-4.5..=-0.3).contains(&v) && v + w > 100.0
    });
    let mut sampler = Sampler::new(&space, 4);
    assert!((0..1000).all(|_| space.admits(&sampler.sample())));
}

#[test]
fn bounds_are_inclusive_exact_and_intersected() {
    let mut space = Space::new(&signature(vec![value("f", F32)]), InputClass::All);
    restrict(&mut space, 0, 0.1, 0.7);
    let admits = |space: &Space, value: f32| {
        let mut record = vec![0; 16];
        record[..4].copy_from_slice(&value.to_le_bytes());
        space.admits(&record)
    };
    // 0.1 lies between two binary32 numbers; the nearest, 0.1f, is above it.
    assert!(admits(&space, 0.1) && !admits(&space, 0.1f32.next_down()));
    assert!(!admits(&space, 0.7f32.next_up()) && !admits(&space, f32::NAN));
    restrict(&mut space, 0, 0.5, 10.0);
    assert!(!admits(&space, 0.1) && admits(&space, 0.5) && !admits(&space, 1.0));
    restrict(&mut space, 0, 0.8, f64::INFINITY);
    assert!(space.is_empty());

    let mut space = Space::new(&doubles(1), InputClass::All);
    assert!(space.admits(&record(&[f64::NAN])) && space.admits(&record(&[f64::INFINITY])));
    // Signaling NaNs are not in the search domain.
    assert!(!space.admits(&record(&[f64::from_bits(0x7ff0_0000_0000_0001)])));
    assert!(!Space::new(&doubles(1), InputClass::Finite).admits(&record(&[f64::NEG_INFINITY])));
    restrict(&mut space, 0, 0.0, f64::NAN);
    assert!(space.admits(&record(&[-0.0])) && space.admits(&record(&[f64::INFINITY])));
    assert!(!space.admits(&record(&[-5e-324])) && !space.admits(&record(&[f64::NAN])));
    assert!(!space.admits(&[]));
}

/// Bounds went through binary64, which rounded these.
#[test]
fn bounds_that_binary64_does_not_hold_are_exact() {
    let bounds = |scalar, format, low: &str, high: &str| {
        let mut space = Space::new(&signature(vec![value("x", scalar)]), InputClass::All);
        let [low, high] = [low, high].map(|text| Float::parse_decimal(format, text).unwrap());
        space.restrict(0, &low, &high);
        space.bounds(0).map(|(low, high, _)| (low, high))
    };
    let integers = |low, high| bounds(U64, Format::BINARY128, low, high);
    assert_eq!(integers("9007199254740993", "9007199254740993"), Some(((1 << 53) + 1, (1 << 53) + 1)));
    assert_eq!(integers("18446744073709551613.5", "1e4000"), Some((u128::from(u64::MAX) - 1, u64::MAX.into())));
    assert_eq!(integers("-1e4000", "1e-4000"), Some((0, 0)));
    assert_eq!(integers("1e-4000", "0.5"), None);
    let wide = |text| Float::parse_decimal(Format::X87, text).unwrap();
    let encodings = |low, high| Some((wide(low).to_u128().unwrap(), wide(high).to_u128().unwrap()));
    for format in [Format::X87, Format::BINARY128] {
        assert_eq!(bounds(X87, format, "-0x1p16000", "0x1p-16445"), encodings("-0x1p16000", "0x1p-16445"));
    }
    // Inwards: 0.1 is no number of x87's, and the nearest is above it.
    let above = wide("0.1").to_u128().unwrap();
    assert_eq!(bounds(X87, Format::BINARY128, "0.1", "0.25"), Some((above, wide("0.25").to_u128().unwrap())));
    assert_eq!(bounds(X87, Format::BINARY128, "0.1", "0.1"), None);
    // A range that begins with zero has both.
    assert_eq!(bounds(X87, Format::X87, "0", "0.25"), encodings("-0", "0.25"));
    assert_eq!(bounds(X87, Format::X87, "-0.25", "0"), encodings("-0.25", "0"));
}

#[test]
fn corners_are_the_ends_and_what_lies_beside_them() {
    let mut space = Space::new(&doubles(2), InputClass::All);
    restrict(&mut space, 0, 1.0, 3.0);
    let mut sampler = Sampler::new(&space, 0);
    let corners: Vec<Vec<f64>> = (0..2000).map(|_| values(&sampler.corner())).collect();
    let has = |leaf: usize, value: f64| corners.iter().any(|corner| corner[leaf].to_bits() == value.to_bits());
    for value in [1.0, 1.0f64.next_up(), 3.0, 3.0f64.next_down(), 2.0] {
        assert!(has(0, value), "{value:e}");
    }
    let tiny = f64::from_bits(1);
    for value in [0.0, -0.0, tiny, -tiny, f64::MIN_POSITIVE, f64::MIN_POSITIVE.next_down(), f64::MAX, f64::NEG_INFINITY]
    {
        assert!(has(1, value), "{value:e}");
    }
    assert!(corners.iter().any(|corner| corner[1].is_nan()));
    // Both at once.
    assert!(corners.iter().any(|corner| corner[0] == 3.0 && corner[1] == 0.0));
}

#[test]
fn special_values_come_at_once_and_alone() {
    let space = Space::new(&doubles(2), InputClass::All);
    let drawn: Vec<Vec<f64>> = Sampler::new(&space, 0).specials().map(|special| values(&special)).collect();
    let same = |a: f64, b: f64| a.to_bits() == b.to_bits();
    for value in [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN_POSITIVE, 5e-324, 1.0, f64::NAN] {
        let is = |x: f64| same(x, value) || x.is_nan() && value.is_nan();
        assert!(drawn.iter().any(|pair| is(pair[0]) && is(pair[1])), "{value:e} twice");
        for which in 0..2 {
            assert!(drawn.iter().any(|pair| is(pair[which]) && !is(pair[1 - which])), "{value:e} in {which}");
        }
    }
    // One number has each special value once.
    let single = Space::new(&doubles(1), InputClass::All);
    let nans = Sampler::new(&single, 0).specials().filter(|special| values(special)[0].is_nan()).count();
    assert_eq!(nans, 1);
}

#[test]
fn lengths_keep_within_the_capacity() {
    let space = Space::new(&mixed(), InputClass::All);
    let length = space.leaves().find(|leaf| leaf.path == "i").unwrap().clone();
    let mut sampler = Sampler::new(&space, 5);
    let drawn: HashSet<u128> = (0..500).map(|_| length.read(&sampler.sample())).collect();
    assert_eq!(drawn, (0..=4).collect());
}

#[test]
fn clamping_leads_into_the_bounds() {
    let mut space = Space::new(&doubles(2), InputClass::Finite);
    restrict(&mut space, 1, 1.0, 2.0);
    let mut outside = record(&[f64::NAN, f64::INFINITY]);
    space.clamp(&mut outside);
    assert_eq!(values(&outside), [0.0, 2.0]);
    assert_eq!(values(&space.origin()), [0.0, 1.0]);
}

#[test]
fn neighbours_of_a_pair_are_those_that_matter() {
    let space = Space::new(&doubles(2), InputClass::All);
    let centre = [1.5, -3.0];
    let around: Vec<Vec<f64>> =
        neighbours(&space, &record(&centre), DEFAULT_NEIGHBOURS).iter().map(|neighbour| values(neighbour)).collect();
    let up = |x: f64| x.next_up();
    assert_eq!(around[0], [up(1.5), -3.0]);
    for wanted in [
        [1.5, up(-3.0)],
        [up(1.5), up(-3.0)],
        [3.0, -3.0],
        [1.5, -0.75],
        [1.5 * 2f64.powi(52), -3.0],
        [3.0, -1.5],
        [12.0, -24.0],
        [-1.5, -3.0],
        [-1.5, 3.0],
        [0.0, -3.0],
        [1.5, f64::INFINITY],
    ] {
        assert!(around.contains(&wanted.to_vec()), "{wanted:?}");
    }
    // Few variables leave room: the cap is reached.
    assert_eq!(around.len(), DEFAULT_NEIGHBOURS);
}

#[test]
fn mutants_relate_leaves() {
    let space = Space::new(&doubles(2), InputClass::All);
    let mut corpus = Corpus::new();
    corpus.offer(&record(&[1.2345e17, 6.5e-80]), &[1]);
    corpus.offer(&record(&[-2.0, 7.75]), &[2]);
    let mut mutator = Mutator::new(&space, 6);
    let mutants: Vec<Vec<f64>> = (0..4000).map(|_| values(&mutator.mutate(&mut corpus))).collect();
    assert!(mutants.iter().any(|m| m[0] == m[1] && m[0] != 0.0), "copied");
    assert!(mutants.iter().any(|m| m[0] == -m[1] && m[0] != 0.0), "copied and negated");
    assert!(mutants.iter().any(|m| m[0] == 1.2345e17f64.next_up() && m[1] == 6.5e-80), "one ulp");
    assert!(mutants.iter().any(|m| m[0] == 2.0 * 1.2345e17 && m[1] == 2.0 * 6.5e-80), "a common factor");
    assert!(mutants.contains(&vec![1.2345e17, 7.75]), "crossed");
}

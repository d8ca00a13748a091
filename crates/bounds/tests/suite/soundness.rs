//! Observed errors never exceed the bounds: random expressions, boxes and inputs against 500 bits.

use labrys_bounds::{Measure, Options, Outcome, Path, Request, Why, bound};
use labrys_elementary::rug;
use labrys_formulas::Random;
use labrys_term::{Op, TermId};

use crate::observe::{Both, error, evaluate};
use crate::random_terms::{Sample, make, member};

/// What came of many inputs.
#[derive(Debug, Default)]
struct Tally {
    proved: usize,
    unknown: usize,
    inputs: usize,
    /// Cases in which the observed error came within a factor of four of the bound.
    near: usize,
    /// Descriptions of errors above their bounds.
    violations: Vec<String>,
}

/// Runs inputs of one expression and compares; `planted` is multiplied to the bound, 1 where nothing is planted.
fn compare(random: &mut Random, sample: &Sample, paths: &[Path], options: &Options, planted: f64, tally: &mut Tally) {
    let Sample { store, inputs, calls, .. } = sample;
    let request = Request { store, inputs, calls, paths };
    let found = match bound(&request, options).expect("a valid request") {
        Outcome::Proved(found) => found,
        Outcome::Unknown(why) => {
            assert!(!matches!(why.why, Why::UnsupportedOperation | Why::FreeVariable), "{why:?}");
            tally.unknown += 1;
            return;
        }
    };
    tally.proved += 1;
    assert!(found.reached <= found.upper, "{found:?}");
    let terms: Vec<TermId> = paths.iter().flat_map(|path| path.guards.iter().copied().chain([path.result])).collect();
    let mut is_near = false;
    for _ in 0..300 {
        let point: Vec<(TermId, f64)> =
            inputs.iter().map(|input| (input.variable, member(random, input.low, input.high))).collect();
        let values = evaluate(store, calls, &terms, &point, options.floats, random);
        let holds =
            |path: &Path, which: fn((bool, bool)) -> bool| path.guards.iter().all(|guard| which(values[guard].truth()));
        let Some(computed) = paths.iter().find(|path| holds(path, |both| both.0)) else { continue };
        let Some(exact) = paths.iter().find(|path| holds(path, |both| both.1)) else { continue };
        if computed != exact && !options.unstable {
            continue;
        }
        tally.inputs += 1;
        let (Both::Number(number, _), Both::Number(_, truth)) = (&values[&computed.result], &values[&exact.result])
        else {
            panic!("no numbers")
        };
        let mut observed = error(*number, truth);
        if options.measure == Measure::Relative {
            observed /= rug::Float::with_val(500, truth.abs_ref());
        }
        // The exact values have 500 bits: what an operation loses beside the largest value about is no error of the program's.
        let largest = values.values().map(|value| match value {
            Both::Number(_, exact) => exact.clone().abs(),
            _ => rug::Float::new(500),
        });
        let mut lost = largest.fold(rug::Float::new(500), |largest, value| largest.max(&value)) >> 480;
        if options.measure == Measure::Relative {
            lost /= rug::Float::with_val(500, truth.abs_ref());
        }
        let allowed = rug::Float::with_val(500, found.upper * planted) + lost;
        is_near |= observed.clone() * 4.0 >= allowed;
        // A NaN is no error that is within a bound.
        if observed.partial_cmp(&allowed).is_none_or(std::cmp::Ordering::is_gt) {
            let observed = observed.to_f64();
            tally.violations.push(format!("{observed:e} > {:e} at {point:?}, result {computed:?}", found.upper));
        }
    }
    tally.near += usize::from(is_near);
}

fn options(random: &mut Random) -> Options {
    let measure = if random.likely(0.7) { Measure::Absolute } else { Measure::Relative };
    let floats = [0, 1, 4][random.below(3)];
    Options { measure, floats, gap: 0.02, boxes: 400, ..Options::default() }
}

/// Straight-line expressions.
fn straight(seed: u64, cases: usize, planted: f64) -> Tally {
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    for _ in 0..cases {
        let (inputs, operations) = (1 + random.below(3), 1 + random.below(9));
        let sample = make(&mut random, inputs, operations);
        let result = *sample.pool.last().expect("terms");
        let options = options(&mut random);
        compare(&mut random, &sample, &[Path { guards: vec![], result }], &options, planted, &mut tally);
    }
    tally
}

#[test]
fn observed_errors_are_within_the_bounds() {
    let tally = straight(1, 1000, 1.0);
    println!("{} proved, {} unknown, {} inputs, {} near", tally.proved, tally.unknown, tally.inputs, tally.near);
    assert!(tally.violations.is_empty(), "{:#?}", &tally.violations[..tally.violations.len().min(5)]);
    assert!(tally.proved > 500 && tally.inputs > 150_000, "{tally:?}");
    // Bounds that are far too large would pass, too.
    assert!(tally.near * 2 > tally.proved, "{tally:?}");
}

#[test]
#[ignore = "minutes"]
fn observed_errors_of_many_expressions_are_within_the_bounds() {
    for seed in 100..140 {
        let tally = straight(seed, 1500, 1.0);
        assert!(tally.violations.is_empty(), "{seed}: {:#?}", &tally.violations[..tally.violations.len().min(5)]);
    }
}

/// The comparison must be able to fail.
#[test]
fn bounds_that_are_too_small_are_noticed() {
    assert!(straight(1, 100, 0.3).violations.len() > 100);
}

/// Two paths that a comparison chooses between; in half of the cases the program may take the other one than the truth.
#[test]
fn observed_errors_on_paths_are_within_the_bounds() {
    let mut random = Random::new(2);
    let mut tally = Tally::default();
    for _ in 0..500 {
        let (inputs, operations) = (1 + random.below(2), 2 + random.below(6));
        let mut sample = make(&mut random, inputs, operations);
        let pick = |random: &mut Random, sample: &Sample| sample.pool[random.below(sample.pool.len())];
        let (a, b) = (pick(&mut random, &sample), pick(&mut random, &sample));
        let (one, other) = (pick(&mut random, &sample), pick(&mut random, &sample));
        let guard = sample.store.mk(Op::FpLt, &[a, b]);
        let negation = sample.store.not(guard);
        let paths = [Path { guards: vec![guard], result: one }, Path { guards: vec![negation], result: other }];
        let unstable = random.likely(0.5);
        let options = Options { unstable, ..options(&mut random) };
        let paths = if unstable || random.likely(0.5) { &paths[..] } else { &paths[..1] };
        compare(&mut random, &sample, paths, &options, 1.0, &mut tally);
    }
    println!("{} proved, {} unknown, {} inputs, {} near", tally.proved, tally.unknown, tally.inputs, tally.near);
    assert!(tally.violations.is_empty(), "{:#?}", &tally.violations[..tally.violations.len().min(5)]);
    assert!(tally.proved > 150 && tally.inputs > 30_000, "{tally:?}");
}

//! The error of an output along one input, for a picture: over all of its range, and around the witness.
//!
//! Points are places among the floats, so that every power of ten gets its share. Errors are of native results against guesses of true values
//! ([`crate::truth::Oracle::guess`]): they are drawn, nothing is claimed of them.

use labrys_float::Flags;
use labrys_fuzz::Space;
use labrys_native::Outcome;
use labrys_program::ScalarType;
use labrys_report::{CurvePoint, ErrorCurve};

use super::judge::{AccuracyJudge, errors};
use crate::AnalysisError;
use crate::truth::float_of;

/// Inputs that are varied, one at a time.
const MOST_INPUTS: usize = 2;
/// Points over the whole range; each is the worst of some.
const POINTS: usize = 128;
/// Inputs that a point speaks for.
const EACH: usize = 4;
/// Operations executed in arbitrary precision for all points together.
const WORK: u64 = 20_000_000;

/// The error of one output along each of the first inputs that are numbers by themselves, from one input record.
///
/// # Errors
///
/// Where the build cannot be run.
pub fn curves(
    judge: &mut AccuracyJudge<'_>,
    space: &Space,
    record: &[u8],
    output: usize,
) -> Result<Vec<ErrorCurve>, AnalysisError> {
    let scalars: Vec<(usize, String)> = space
        .leaves()
        .enumerate()
        .filter(|(_, leaf)| matches!(leaf.scalar, ScalarType::Float(_)) && !leaf.path.contains('['))
        .map(|(index, leaf)| (index, leaf.path.clone()))
        .take(MOST_INPUTS)
        .collect();
    let executed: u64 = judge.oracle.executions(record).iter().map(|executed| executed.count).sum();
    let affordable = WORK / (executed.max(1) * MOST_INPUTS as u64);
    if affordable < (POINTS * EACH) as u64 {
        return Ok(Vec::new());
    }
    let mut curves = Vec::new();
    for (leaf, input) in scalars {
        let (Some((low, high)), Some(at)) = (space.places(leaf), space.place(leaf, record)) else { continue };
        if low >= high || !(low..=high).contains(&at) {
            continue;
        }
        let whole = along(judge, space, record, (leaf, output), &evenly(low, high))?;
        let around = around(low, high, at);
        let near = along(judge, space, record, (leaf, output), &around)?;
        let below =
            |places: &[Vec<i128>]| places.iter().filter(|of| of.last().is_some_and(|last| *last < at)).count() as u32;
        curves.push(ErrorCurve { input, whole, near, at: below(&evenly(low, high)), below: below(&around) });
    }
    Ok(curves)
}

/// Places in [`POINTS`] equal parts of a range.
fn evenly(low: i128, high: i128) -> Vec<Vec<i128>> {
    let parts = (POINTS * EACH - 1) as i128;
    let mut places: Vec<i128> =
        (0..=parts).map(|part| low + (high - low) / parts * part + (high - low) % parts * part / parts).collect();
    places.dedup();
    places.chunks(EACH).map(<[i128]>::to_vec).collect()
}

/// Places at distances of powers of two on both sides of one.
fn around(low: i128, high: i128, at: i128) -> Vec<Vec<i128>> {
    let steps = || (0..100).map(|power| 1i128 << power);
    let below = steps().map(|step| at - step).take_while(|place| *place >= low).collect::<Vec<_>>();
    let above = steps().map(|step| at + step).take_while(|place| *place <= high);
    below.into_iter().rev().chain([at]).chain(above).map(|place| vec![place]).collect()
}

/// The worst error at each group of places; none where there is no number to compare.
fn along(
    judge: &mut AccuracyJudge<'_>,
    space: &Space,
    record: &[u8],
    (leaf, output): (usize, usize),
    places: &[Vec<i128>],
) -> Result<Vec<CurvePoint>, AnalysisError> {
    let at = |place: &i128| {
        let mut moved = record.to_vec();
        space.put(leaf, &mut moved, *place);
        moved
    };
    let records: Vec<Vec<u8>> = places.iter().flatten().map(at).collect();
    let observations = judge.observer.run(&records, Flags::empty())?;
    let mut runs = records.iter().zip(observations);
    let mut points = Vec::with_capacity(places.len());
    for group in places {
        let mut worst: Option<(f64, &Vec<u8>)> = None;
        for (record, observation) in runs.by_ref().take(group.len()) {
            if observation.outcome != Outcome::Returned || !space.admits(record) {
                continue;
            }
            let Ok(truth) = judge.oracle.guess(record) else { continue };
            let mut of = errors(judge.output_leaves(), &observation.output, &truth);
            let bits = of.find(|(index, _)| *index == output).map(|(_, (error, ..))| error.bits());
            let bits = bits.filter(|bits| bits.is_finite());
            if let Some(bits) = bits.filter(|bits| worst.is_none_or(|(worst, _)| *bits > worst)) {
                worst = Some((bits, record));
            }
        }
        let first = group.first().map(at).unwrap_or_default();
        let at = number(space, leaf, worst.map_or(&first, |(_, record)| record));
        points.push(CurvePoint(at, worst.map(|(bits, _)| (bits * 100.0).round() / 100.0)));
    }
    Ok(points)
}

/// A leaf's value, to a double's digits.
fn number(space: &Space, leaf: usize, record: &[u8]) -> f64 {
    space.leaves().nth(leaf).and_then(|leaf| float_of(leaf, record)).map_or(0.0, |value| value.to_f64())
}

//! What outputs that differ are by the baseline's own formulas without rounding: which of two builds is nearer.
//!
//! **Claim.** What is told is certified ([`Oracle`]): the value, or where no precision settles it, as where only the reals know that it is zero or a tie, that
//! it is nearest to one of two floats next to each other. It is no statement about the function that the code was written for: code that works by rounding is
//! something else without it. Of an output that is zero without it beside the input, too, as the rounding error of a sum is, nothing is told.

use labrys_float::Float;
use labrys_interp::Limits;
use labrys_interp::precise::PreciseFloat;
use labrys_native::Observation;
use labrys_program::{Leaf, OutputLayout, ScalarType, Signature};
use labrys_report::{OutputTruth, Value};

use super::compare::differs;
use crate::target::analysed::Analysed;
use crate::truth::{Oracle, OutputError, Slopes, allowed_ulps, in_words, shown};

/// Calls of more instructions are not computed without rounding: each takes hundreds of times as long as one.
const LIMITS: Limits = Limits { instructions: 20_000, depth: 256, object: 1 << 24 };
/// Of more inputs no derivatives are taken, each of which takes a call.
const MOST_SLOPES: usize = 64;
/// Outputs of which it is told.
const MOST_OUTPUTS: usize = 8;

/// Of outputs that differ, as far as it is certain: that of `told` first, or none.
pub fn truths(
    analysed: &Analysed,
    signature: &Signature,
    outputs: &OutputLayout,
    record: &[u8],
    (told, [baseline, variant]): (usize, [&Observation; 2]),
) -> Vec<OutputTruth> {
    let mut oracle = Oracle::new(analysed, signature, None, LIMITS, None);
    let Ok(call) = oracle.enclosed(record) else { return Vec::new() };
    let has_slopes = signature.input_layout().leaves.len() <= MOST_SLOPES;
    let slopes = if has_slopes { oracle.derivatives(record, Slopes::fine(call.precision)).ok() } else { None };
    let mut of = |index: usize| -> Option<OutputTruth> {
        let leaf = outputs.leaves.get(index)?;
        let ScalarType::Float(float) = leaf.scalar else {
            return of_integer(leaf, (*call.integers.get(index)?)?, [baseline, variant]);
        };
        // What is divided by zero has no value.
        let truth = call.floats.get(index)?.as_ref().filter(|truth| truth.value().is_finite())?;
        if oracle.works_by_rounding(record, index, truth) {
            return None;
        }
        let nearest = truth.nearest().value;
        // Which of two zeros it is only a number tells that is none itself.
        let is_zero = |of: &Observation| leaf.float(&of.output).is_some_and(|result| result.is_zero());
        let has_sign = truth.has_sign() && !truth.value().is_zero();
        if is_zero(baseline) && is_zero(variant) && nearest.is_zero() && !has_sign {
            return None;
        }
        let ends = truth.nearest_to_ends();
        let ulps = |of: &Observation| {
            let result = Float::from_bits(float.format(), leaf.read(&of.output));
            let from = |nearest: &Float| {
                let is_other_zero = result.is_zero() && nearest.is_zero() && result != *nearest && has_sign;
                if is_other_zero { 1.0 } else { OutputError::of(&result, &PreciseFloat::exact(nearest)).ulps }
            };
            Some(from(&ends[0]).min(from(&ends[1]))).filter(|ulps| ulps.is_finite())
        };
        let own = slopes.as_ref().and_then(|slopes| {
            let own = slopes.iter().filter_map(|(_, of_outputs)| of_outputs.get(index).cloned());
            allowed_ulps(truth, float.format(), own).ok()
        });
        Some(OutputTruth {
            output: leaf.path.clone(),
            truth: if ends.iter().all(Float::is_zero) && !truth.has_sign() { "0".to_owned() } else { in_words(truth) },
            rounded_truth: Value::float(&leaf.path, &nearest).bits.unwrap_or_default(),
            baseline_ulps: ulps(baseline),
            variant_ulps: ulps(variant),
            allowed_ulps: own.filter(|ulps| ulps.is_finite()),
        })
    };
    let differing =
        |index: &usize| *index != told && differs(&outputs.leaves[*index], &baseline.output, &variant.output);
    let Some(first) = of(told) else { return Vec::new() };
    let others = (0..outputs.leaves.len()).filter(differing).filter_map(of);
    std::iter::once(first).chain(others).take(MOST_OUTPUTS).collect()
}

/// The same of an integer, which the run without rounding has: a count, an outcome of comparisons.
fn of_integer(leaf: &Leaf, truth: u128, [baseline, variant]: [&Observation; 2]) -> Option<OutputTruth> {
    let has_it = |of: &Observation| (leaf.read(&of.output) == truth).then_some(0.0);
    Some(OutputTruth {
        output: leaf.path.clone(),
        truth: shown(leaf, truth),
        rounded_truth: format!("{truth:#x}"),
        baseline_ulps: has_it(baseline),
        variant_ulps: has_it(variant),
        allowed_ulps: Some(0.0),
    })
}

//! What a maintainer would expect of a call that shows a finding.

use labrys_float::{Class, Flags, Float};
use labrys_program::{OutputLayout, ScalarType, Signature};

use super::Expectation;
use super::expectation::is_special;
use crate::{
    AccuracyDetails, Details, DifferenceDetails, ExceptionDetails, Finding, ObservationRecord, OutcomeKind,
    OutputTruth, Severity, Value,
};

/// An error of more ulps is not that of a few roundings, as severities count it.
const FEW_ULPS: u64 = 4;

/// Why there is no test of a finding, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTest {
    /// No call can tell whether the finding holds.
    #[error("{0}")]
    NotSeen(&'static str),
    /// The exception is what the true result has it: no mend does without, but one that returns something else than the truth.
    #[error("{0}")]
    Right(&'static str),
}

fn no_test<T>(why: &'static str) -> Result<T, NoTest> {
    Err(NoTest::NotSeen(why))
}

/// What one build did, as a test would see it.
struct Seen {
    flags: Flags,
    /// The output record.
    record: Vec<u8>,
}

/// What is expected of the function where a finding is mended: of a divergence that the build which differs does what the baseline did,
/// floats within `ulps`; of an exception that it is not raised, unless the true result brings it about, and that the result is what it
/// should be; of an error that the result is within a few ulps, or `asked`, of the truth.
///
/// # Errors
///
/// Where no call can tell whether the finding holds, and where nothing is to be mended; what was observed fails every test that there is.
pub fn expectations(
    finding: &Finding,
    signature: &Signature,
    (ulps, asked): (u64, Option<u64>),
) -> Result<Vec<Expectation>, NoTest> {
    let layout = signature.output_layout();
    let (expectations, seen) = match &finding.details {
        Details::Difference(details) => {
            let role = |role: Option<&String>| role.and_then(|role| finding.observation(role));
            let (Some(baseline), Some(other)) = (role(details.between.first()), role(details.between.last())) else {
                return no_test("it lacks what the builds did");
            };
            let is_finite = |value: &Value| value.to_float().is_none_or(|float| float.is_finite());
            let of_finite = finding.inputs.iter().flat_map(Value::scalars).all(is_finite);
            let found = of_difference(details, (baseline, other), (&layout, of_finite), (ulps, asked))?;
            (found, seen(other, &layout))
        }
        Details::Exception(details) => {
            let Some(observation) = finding.observations.first() else { return no_test("it lacks what the build did") };
            let seen = seen(observation, &layout);
            (of_exception(details, finding.severity, &layout, seen.as_ref(), asked)?, seen)
        }
        Details::Accuracy(details) => {
            let found = of_error(details, finding.severity, &layout, asked)?;
            (found, finding.observations.first().and_then(|of| seen(of, &layout)))
        }
        Details::Violation(_) => return no_test("it is of a program, not of a call"),
    };
    let is_met = |seen: &Seen| expectations.iter().all(|of| of.is_met(&layout, seen.flags, &seen.record));
    // A build that does not return fails any test.
    if expectations.is_empty() || seen.as_ref().is_some_and(is_met) {
        return no_test("what differs is not in the results and exceptions of a call, which is all that a test sees");
    }
    Ok(expectations)
}

/// The flags and the output record of a call that returned.
fn seen(observation: &ObservationRecord, layout: &OutputLayout) -> Option<Seen> {
    if observation.outcome != OutcomeKind::Returned {
        return None;
    }
    let values: Vec<&Value> = observation.result.iter().chain(&observation.outputs).flat_map(Value::scalars).collect();
    let mut record = vec![0; layout.size.max(16)];
    for (leaf, value) in layout.leaves.iter().zip(values) {
        let bytes = leaf.scalar.value_bytes();
        let bits = value.to_bits()?.to_le_bytes();
        record.get_mut(leaf.offset..leaf.offset + bytes)?.copy_from_slice(&bits[..bytes]);
    }
    Some(Seen { flags: observation.flags, record })
}

fn of_difference(
    details: &DifferenceDetails,
    (baseline, other): (&ObservationRecord, &ObservationRecord),
    (layout, of_finite): (&OutputLayout, bool),
    (ulps, asked): (u64, Option<u64>),
) -> Result<Vec<Expectation>, NoTest> {
    let Some(of_baseline) = seen(baseline, layout) else {
        return no_test("the baseline does not return, so that nobody knows what a call should do");
    };
    let (before, after) = (of_baseline.flags & details.compared, other.flags & details.compared);
    let wrong = seen(other, layout);
    // Finite inputs that overflow on the way: whoever computes it otherwise may well be right.
    let overflows = of_finite && of_baseline.flags.contains(Flags::OVERFLOW);
    let (mut found, mut right, mut is_baseline_wrong) = (Vec::new(), None, false);
    let mut unwanted = after - before;
    if unwanted.contains(Flags::UNDERFLOW) && wrong.as_ref().is_some_and(|wrong| has_subnormal(layout, &wrong.record)) {
        right = Some("what it returns is below the smallest normal number: underflow is what IEEE 754 has there");
        unwanted -= Flags::UNDERFLOW;
    }
    if wrong.is_some() && !unwanted.is_empty() {
        found.push(Expectation::NotRaised(unwanted));
    }
    for (index, leaf) in layout.leaves.iter().enumerate() {
        let bits = leaf.scalar.read(&of_baseline.record, leaf.offset);
        let mut expected = Expectation::recorded(index, leaf.scalar, bits, asked.unwrap_or(ulps));
        // Who says of the test how far results may be apart wants the baseline's. Of the run it says what is a difference.
        let truth = details.truths.iter().find(|truth| asked.is_none() && truth.output == leaf.path);
        if let Some(wrong) = &wrong {
            let is = leaf.scalar.read(&wrong.record, leaf.offset);
            if is == bits {
                continue;
            }
            // A zero of another sign differs however few ulps there are between them.
            if is_other_class(leaf.scalar, is, bits) && expected.is_met(layout, wrong.flags, &wrong.record) {
                expected = Expectation::recorded(index, leaf.scalar, bits, 0);
            }
            if expected.is_met(layout, wrong.flags, &wrong.record) {
                continue;
            }
            // Another integer may be a count of rounds or a status: none but the baseline's is asked for.
            let is_float = matches!(leaf.scalar, ScalarType::Float(_));
            let is_asked = |truth: &&OutputTruth| is_float || truth.variant_ulps == Some(0.0);
            let near = truth.filter(is_asked).map(|truth| near_truth(truth, (index, leaf.scalar), ulps));
            match near {
                Some(Ok([near, baseline])) => {
                    let is_met = |of: &Expectation, seen: &Seen| of.is_met(layout, seen.flags, &seen.record);
                    is_baseline_wrong |= !is_met(&near, &of_baseline);
                    // What no build does is nothing to keep.
                    match (is_met(&near, wrong), is_met(&baseline, wrong), is_met(&baseline, &of_baseline)) {
                        (true, ..) => drop(right.get_or_insert(if is_float { AS_NEAR } else { EXACT })),
                        (_, false, true) => found.push(baseline),
                        (..) => drop(right.get_or_insert(NO_NEARER)),
                    }
                    continue;
                }
                Some(Err(why)) => {
                    right.get_or_insert(why);
                    continue;
                }
                None => {}
            }
            if overflows && is_special(leaf.scalar, bits) {
                right.get_or_insert(OF_OVERFLOW);
                continue;
            }
        }
        found.push(expected);
    }
    // Where the baseline is wrong it may lack an underflow because something cancelled that should not have.
    if is_baseline_wrong && found == [Expectation::NotRaised(Flags::UNDERFLOW)] {
        found.clear();
    }
    if let Some(why) = right.filter(|_| found.is_empty()) {
        return Err(NoTest::Right(why));
    }
    // That an exception is raised is nobody's wish.
    if found.is_empty() && wrong.is_some() && !(before - after).is_empty() {
        return Err(NoTest::Right(
            "its results are the baseline's, and an exception that it does not raise nobody misses",
        ));
    }
    // Of a build that does not return any of it fails.
    if wrong.is_none() && found.is_empty() {
        found.push(Expectation::NotRaised(Flags::SEVERE - before));
    }
    Ok(found)
}

const OF_OVERFLOW: &str =
    "what the baseline returns comes of an overflow on finite inputs, so that it is not what a test should ask for";
const AS_NEAR: &str = "the build that differs is as near to the value without rounding as the last bits of the inputs let a result be; --ulps N asks for \
                       the baseline's all the same";
const EXACT: &str =
    "the build that differs has the value without rounding; --ulps N asks for the baseline's all the same";
const NO_NEARER: &str = "both builds are far from the value without rounding, and the baseline no nearer; --ulps N asks for the baseline's all the same";
const FAR: &str = "both builds are far from the value without rounding, and how near a result can be is not known; --ulps N asks for the baseline's \
                   all the same";

/// That a result is as near to what it is without rounding as can be asked for: not the baseline's rounding, which no other formula gives; and that it is as near as that,
/// or as the baseline's is. Where that is not known, why nothing is asked for.
fn near_truth(
    truth: &OutputTruth,
    (output, scalar): (usize, ScalarType),
    ulps: u64,
) -> Result<[Expectation; 2], &'static str> {
    let digits = truth.rounded_truth.strip_prefix("0x").unwrap_or_default();
    let bits = u128::from_str_radix(digits, 16).map_err(|_| FAR)?;
    let is_few = |of: &f64| *of <= ulps as f64;
    let near = [truth.variant_ulps, truth.baseline_ulps].into_iter().flatten().find(is_few);
    let allowed = truth.allowed_ulps.or(near).ok_or(FAR)?;
    let within = |ulps: u64| Expectation::recorded(output, scalar, bits, ulps);
    let allowed = ulps.max(allowed.ceil() as u64);
    // Where the baseline has it the code may know more than its inputs' last bits: numbers in two parts, exact differences.
    let few = ulps.max(FEW_ULPS);
    let is_within = |of: Option<f64>, bound: u64| of.is_some_and(|of| of <= bound as f64);
    let is_baselines_alone = is_within(truth.baseline_ulps, few) && !is_within(truth.variant_ulps, few);
    let allowed = if is_baselines_alone && is_within(truth.variant_ulps, allowed) { few } else { allowed };
    let baseline = truth.baseline_ulps.filter(|ulps| *ulps < 1e15).map_or(0, |ulps| ulps.ceil() as u64);
    Ok([within(allowed), within(allowed.max(baseline))])
}

/// Whether some output is a subnormal number.
fn has_subnormal(layout: &OutputLayout, record: &[u8]) -> bool {
    layout.leaves.iter().any(|leaf| match leaf.scalar {
        ScalarType::Float(float) => {
            Float::from_bits(float.format(), leaf.scalar.read(record, leaf.offset)).class() == Class::Subnormal
        }
        _ => false,
    })
}

/// Whether two floats differ in class or sign.
fn is_other_class(scalar: ScalarType, a: u128, b: u128) -> bool {
    let class = |bits| Value::scalar(None, scalar, bits).class();
    class(a) != class(b)
}

fn of_exception(
    details: &ExceptionDetails,
    severity: Severity,
    layout: &OutputLayout,
    seen: Option<&Seen>,
    asked: Option<u64>,
) -> Result<Vec<Expectation>, NoTest> {
    let of_output = |name: &str| layout.leaves.iter().position(|leaf| leaf.path == name);
    let output = match &details.output {
        Some(name) => of_output(name),
        None => of_output("result").or((layout.leaves.len() == 1).then_some(0)),
    };
    let format = |output: usize| match layout.leaves.get(output)?.scalar {
        ScalarType::Float(float) => Some(float.format()),
        _ => None,
    };
    let Some((output, format)) = output.and_then(|output| Some((output, format(output)?))) else {
        return Ok(vec![Expectation::NotRaised(details.exception)]);
    };
    let text = details.true_result.as_deref();
    let truth = text.and_then(|text| Float::parse_decimal(format, text));
    let is_spoilt = matches!(severity, Severity::Lost | Severity::Inaccurate);
    let right = text.zip(truth.as_ref()).and_then(|(text, truth)| why_right(details.exception, text, truth));
    let mut found = Vec::new();
    if right.is_none() && !(is_spoilt && may_be_of_others(details.exception, output, layout, seen)) {
        found.push(Expectation::NotRaised(details.exception));
    }
    let is_nan = seen.is_some_and(|seen| Expectation::Nan(output).is_met(layout, seen.flags, &seen.record));
    let bits = |truth: &Float| truth.to_u128();
    let expected = match truth.as_ref().filter(|truth| !truth.is_nan()) {
        Some(truth) if truth.is_infinite() && (is_spoilt || is_nan) => {
            bits(truth).map(|bits| Expectation::Equal(output, bits))
        }
        Some(truth) if is_spoilt => {
            bits(truth).map(|bits| Expectation::Within(output, bits, asked.unwrap_or(FEW_ULPS)))
        }
        None if is_spoilt => Some(Expectation::Finite(output)),
        _ => None,
    };
    // What the result does not fail says nothing.
    let is_failed = |of: &Expectation| seen.is_none_or(|seen| !of.is_met(layout, seen.flags, &seen.record));
    found.extend(expected.filter(is_failed));
    match right {
        Some(why) if found.is_empty() => Err(NoTest::Right(why)),
        _ => Ok(found),
    }
}

/// Why an exception is what it should be where the result has this true value, `text` before it was rounded: whoever computes it raises that.
/// An overflow on the way to a number in range is nobody's wish, nor is a quotient by what underflowed to zero, where the true one is finite.
fn why_right(exception: Flags, text: &str, truth: &Float) -> Option<&'static str> {
    let is_pole = text.trim_start_matches('-') == "infinity";
    let is_below_normal = || {
        let least = Float::min_normal(truth.format());
        truth.is_finite() && text != "0" && (truth.class() != Class::Normal || truth.abs().same_value(&least))
    };
    match exception {
        Flags::DIVBYZERO if is_pole => {
            Some("its true result is infinite: the exception and the infinity are what IEEE 754 has there")
        }
        Flags::OVERFLOW if truth.is_infinite() => Some(
            "its true result is beyond the largest finite number: overflow and infinity are what IEEE 754 has there",
        ),
        Flags::OVERFLOW | Flags::UNDERFLOW if truth.is_nan() => {
            Some("its true result is undefined, with the exception or without")
        }
        Flags::UNDERFLOW if is_below_normal() => {
            Some("its true result is below the smallest normal number: underflow is what IEEE 754 has there")
        }
        _ => None,
    }
}

/// Whether an exception may be what the true value of another output than this has it, as far as what was computed tells.
fn may_be_of_others(exception: Flags, output: usize, layout: &OutputLayout, seen: Option<&Seen>) -> bool {
    let Some(seen) = seen else { return false };
    let mut others = layout.leaves.iter().enumerate().filter(|(index, _)| *index != output);
    others.any(|(_, leaf)| {
        let ScalarType::Float(float) = leaf.scalar else { return false };
        let value = Float::from_bits(float.format(), leaf.scalar.read(&seen.record, leaf.offset));
        match exception {
            Flags::UNDERFLOW => value.class() == Class::Subnormal,
            Flags::OVERFLOW | Flags::DIVBYZERO => value.is_infinite(),
            _ => false,
        }
    })
}

fn of_error(
    details: &AccuracyDetails,
    severity: Severity,
    layout: &OutputLayout,
    asked: Option<u64>,
) -> Result<Vec<Expectation>, NoTest> {
    let output = layout.leaves.iter().position(|leaf| leaf.path == details.output);
    let truth = details.rounded_truth.strip_prefix("0x").and_then(|digits| u128::from_str_radix(digits, 16).ok());
    let (Some(output), Some(truth)) = (output, truth) else { return no_test("it does not have the true value") };
    // Of an ill-conditioned problem no algorithm need have less than a part of the error.
    let half = details.error.ulps.map_or(FEW_ULPS, |ulps| (ulps / 2.0) as u64);
    let few = if severity == Severity::IllConditioned { half } else { half.min(FEW_ULPS) };
    let scalar = layout.leaves[output].scalar;
    Ok(vec![Expectation::recorded(output, scalar, truth, asked.unwrap_or(few))])
}

//! What became of each output of one call, and what that says of some of them.

use std::cmp::Ordering;

use labrys_elementary::from_precise;
use labrys_float::{Flags, RoundingMode};
use labrys_interp::precise::Precise;
use labrys_interp::{ClassMask, Datum, ScalarOf};
use labrys_program::{Leaf, ScalarType};
use labrys_report::Severity;
use rustc_hash::FxHashSet;

use super::call::Call;
use super::judgement::{Judgement, judge};
use super::outputs::{TrueInteger, TrueOutputs, TrueValue, decimal, in_words};

/// What an exception does to the result of one call.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectReport {
    /// One of [`Severity::EFFECTS`].
    pub severity: Severity,
    /// The output that this is about, as users write it: `result`, `r.val`. The worst of those that depend on it.
    pub output: Option<String>,
    /// Whether an output depends on it that is compared with its true value; `true` where that is not known.
    pub reaches_outputs: bool,
    /// How far it is from the true value in ulps, where both are finite.
    pub error_ulps: Option<f64>,
    /// Its true value in decimals.
    pub true_result: Option<String>,
    /// The same in a sentence ([`in_words`]).
    pub true_words: Option<String>,
    /// Whether its true value is a normal number of its format.
    pub is_normal: Option<bool>,
    /// Whether its true value is a finite number of its format: a normal or subnormal one, or zero.
    pub is_finite: Option<bool>,
    /// Whether the result is far from its true value and rounding alone comes to it: the exception has no part in that.
    pub is_by_rounding: bool,
    /// Reasons and remarks, a sentence each.
    pub notes: Vec<String>,
}

impl EffectReport {
    /// The effect where the true result is not known, with the reasons.
    pub fn unclassified(notes: Vec<String>) -> EffectReport {
        EffectReport {
            severity: Severity::Unclassified,
            output: None,
            reaches_outputs: true,
            error_ulps: None,
            true_result: None,
            true_words: None,
            is_normal: None,
            is_finite: None,
            is_by_rounding: false,
            notes,
        }
    }

    /// Whether this exception on the way to the true value was avoidable: an overflow where that is finite, an underflow where it is a normal number. Of
    /// other exceptions nothing is said.
    pub fn avoidable(&self, exception: Flags) -> Option<bool> {
        match exception {
            Flags::OVERFLOW => self.is_finite,
            Flags::UNDERFLOW => self.is_normal,
            _ => None,
        }
    }
}

/// The effects on all outputs of one call.
#[derive(Debug)]
pub(super) struct Effects {
    leaves: Vec<Leaf>,
    /// Remarks on the inputs.
    remarks: Vec<String>,
    /// What the outputs came to, or why no true value is known: a sentence.
    judged: Result<Judged, String>,
}

/// The outputs beside their true values.
#[derive(Debug)]
struct Judged {
    /// Each float that is no error estimate, with its leaf.
    floats: Vec<(usize, EffectReport)>,
    /// Each integer that is another one in arbitrary precision, or of which that is not known, with its leaf.
    integers: Vec<(usize, EffectReport)>,
    /// What makes every output doubtful.
    doubt: Option<&'static str>,
}

impl Effects {
    /// The effects of a call with these true outputs, or with none, for a reason.
    pub(super) fn new(call: &Call<'_>, truth: Result<TrueOutputs, String>) -> Effects {
        let leaves = call.signature.output_layout().leaves;
        let judged = truth.map(|truth| {
            let judged = (0..leaves.len()).filter(|&index| is_judged_float(&leaves[index]));
            Judged {
                floats: judged.map(|index| (index, effect_on(index, &leaves, &truth, call.observed))).collect(),
                integers: (0..leaves.len())
                    .filter_map(|index| Some((index, effect_on_integer(index, &leaves, &truth, call.observed)?)))
                    .collect(),
                doubt: truth.doubt(),
            }
        });
        Effects { leaves, remarks: special_inputs(call), judged }
    }

    /// Whether an output is a number and not its true value, which may be rounding's doing.
    pub(super) fn has_wrong_numbers(&self) -> bool {
        self.judged.as_ref().is_ok_and(|judged| judged.floats.iter().any(|(_, report)| is_wrong_number(report)))
    }

    /// Notes which outputs the call comes to as well where it rounds as it does and no number is too large or too small: these are `rounded`.
    pub(super) fn compare_rounded(&mut self, rounded: &[ScalarOf<Precise>], observed: &[u8]) {
        let Effects { leaves, judged: Ok(judged), .. } = self else { return };
        for (index, report) in judged.floats.iter_mut().filter(|(_, report)| is_wrong_number(report)) {
            let leaf = &leaves[*index];
            let Some(Datum::Float(float)) = rounded.get(*index).map(|scalar| &scalar.datum) else { continue };
            let seen = labrys_float::Float::from_bits(float.format(), leaf.read(observed));
            let alike = from_precise(float.value(), float.format(), RoundingMode::NearestEven).value;
            report.is_by_rounding = seen.compare(&alike) == Some(Ordering::Equal);
        }
    }

    /// Whether it may matter which outputs depend on an exception.
    pub(super) fn may_differ_by_output(&self) -> bool {
        let floats = self.leaves.iter().filter(|leaf| is_judged_float(leaf)).count();
        !self.leaves.is_empty() && (floats > 1 || self.report().severity != Severity::Harmless)
    }

    /// The worst effect of one exception on the outputs of which `dependent` says so, or on all.
    pub(super) fn report_of_one(&self, dependent: Option<&[bool]>) -> EffectReport {
        self.report_with(dependent, &by_exception)
    }

    /// The worst effect on the outputs.
    pub(super) fn report(&self) -> EffectReport {
        self.report_with(None, &EffectReport::clone)
    }

    fn report_with(&self, dependent: Option<&[bool]>, told: &dyn Fn(&EffectReport) -> EffectReport) -> EffectReport {
        let concerned = |index: usize| dependent.is_none_or(|dependent| dependent.get(index) != Some(&false));
        if dependent.is_some()
            && let Some(report) = self.without_outputs(&concerned)
        {
            return report;
        }
        let mut notes = self.remarks.clone();
        let judged = match &self.judged {
            Ok(judged) => judged,
            Err(why) => {
                notes.push(why.clone());
                return EffectReport::unclassified(notes);
            }
        };
        let of = |all: &[(usize, EffectReport)]| -> Vec<EffectReport> {
            all.iter().filter(|(index, _)| concerned(*index)).map(|(_, report)| told(report)).collect()
        };
        let (floats, integers) = (of(&judged.floats), of(&judged.integers));
        // Of equally bad ones a float speaks. Beside those a returned integer is by custom a status, which may well be another.
        let is_status =
            |report: &&EffectReport| report.true_words.is_some() && report.output.as_deref() == Some("result");
        let counted = integers.iter().filter(|report| floats.is_empty() || !is_status(report));
        let worst = floats.iter().chain(counted).min_by_key(|report| report.severity).cloned();
        let mut report = worst.unwrap_or_else(|| self.integers_only(judged.doubt));
        notes.append(&mut report.notes);
        notes.extend(integers.into_iter().flat_map(|integer| integer.notes));
        let mut known = FxHashSet::default();
        notes.retain(|note| known.insert(note.clone()));
        EffectReport { notes, ..report }
    }

    /// The effect where no output is concerned, or only what is not judged.
    fn without_outputs(&self, concerned: &dyn Fn(usize) -> bool) -> Option<EffectReport> {
        let left: Vec<usize> = (0..self.leaves.len()).filter(|&index| concerned(index)).collect();
        let note = match left.as_slice() {
            [] => "No output depends on it.",
            left if left.iter().all(|&index| is_error_estimate(&self.leaves[index])) => {
                "No output but an error estimate depends on it."
            }
            _ => return None,
        };
        let report = EffectReport::unclassified(vec![note.to_owned()]);
        Some(EffectReport { severity: Severity::Harmless, reaches_outputs: false, ..report })
    }

    /// The effect where no float is concerned, and no integer that is not right.
    fn integers_only(&self, doubt: Option<&'static str>) -> EffectReport {
        if self.leaves.is_empty() {
            return EffectReport::unclassified(vec!["The function has no outputs to compare.".to_owned()]);
        }
        let mut report = EffectReport::unclassified(Vec::new());
        if let Some(why) = doubt {
            report.notes.push(format!("The true outputs are not known: {why}."));
        } else {
            report.severity = Severity::Harmless;
        }
        report
    }
}

/// What an exception does to an output: nothing where rounding alone comes to the same.
fn by_exception(report: &EffectReport) -> EffectReport {
    let mut report = report.clone();
    if report.is_by_rounding {
        report.severity = Severity::Harmless;
        (report.is_normal, report.is_finite) = (None, None);
        (report.true_result, report.true_words) = (None, None);
        let output = report.output.as_deref().unwrap_or("the result");
        report.notes.push(format!(
            "{output} is no better where numbers have no limits: rounding makes it what it is, and `labrys accuracy` tells how wrong that is."
        ));
    }
    report
}

/// Whether a number is lost or inaccurate: one of which it is known how far it is off.
fn is_wrong_number(report: &EffectReport) -> bool {
    matches!(report.severity, Severity::Lost | Severity::Inaccurate) && report.error_ulps.is_some()
}

/// Whether a leaf is a float that is compared with its true value.
fn is_judged_float(leaf: &Leaf) -> bool {
    matches!(leaf.scalar, ScalarType::Float(_)) && !is_error_estimate(leaf)
}

/// Whether a leaf is a struct's member `err` beside others: by custom the function's own estimate of its error, which is
/// computed from rounded values on purpose.
fn is_error_estimate(leaf: &Leaf) -> bool {
    matches!(leaf.scalar, ScalarType::Float(_)) && leaf.path.ends_with(".err")
}

/// The effect on one float of the output record.
fn effect_on(index: usize, leaves: &[Leaf], truth: &TrueOutputs, observed: &[u8]) -> EffectReport {
    let leaf = &leaves[index];
    let unclassified =
        |note: String| EffectReport { output: Some(leaf.path.clone()), ..EffectReport::unclassified(vec![note]) };
    let float = match truth.float(index) {
        TrueValue::Settled(float) => float,
        TrueValue::Doubtful(why) => {
            return unclassified(format!("The true value of {} is not known: {why}.", leaf.path));
        }
    };
    if let Some(status) = truth.failure(leaf, leaves, observed) {
        return unclassified(format!(
            "The true value of {} is not known: the function fails with {status} there.",
            leaf.path
        ));
    }
    if let Some(sibling) = truth.differing_sibling(index, leaves, observed) {
        return unclassified(format!(
            "{} cannot be compared with its true value, because {sibling} beside it differs in arbitrary precision.",
            leaf.path
        ));
    }
    let seen = labrys_float::Float::from_bits(float.format(), leaf.read(observed));
    let class = labrys_interp::class_of(&float.nearest().value);
    // What is rounded to the least normal number underflows on the way.
    let least = labrys_elementary::to_precise(&labrys_float::Float::min_normal(float.format()));
    let is_below_normal = float.value().clone().abs() < least;
    let Judgement { severity, error_ulps, note } = judge(&seen, float.value());
    EffectReport {
        severity,
        output: Some(leaf.path.clone()),
        error_ulps,
        true_result: Some(decimal(float.value())),
        true_words: Some(in_words(float)),
        is_normal: Some(class.intersects(ClassMask::NORMAL) && !is_below_normal),
        is_finite: Some(class.intersects(ClassMask::NORMAL | ClassMask::SUBNORMAL | ClassMask::ZERO)),
        reaches_outputs: true,
        is_by_rounding: false,
        notes: note.into_iter().map(|note| format!("{}: {note}.", leaf.path)).collect(),
    }
}

/// The effect on one integer of the output record, where it is not known to be right. Whether another one is a wrong result, or a status or a count that
/// may well be another, nobody knows.
fn effect_on_integer(index: usize, leaves: &[Leaf], truth: &TrueOutputs, observed: &[u8]) -> Option<EffectReport> {
    let leaf = &leaves[index];
    let (note, true_words) = match truth.integer(index, leaves, observed) {
        TrueInteger::Same => return None,
        TrueInteger::Other { seen, truth } => {
            (format!("{} is {seen}, in arbitrary precision {truth}.", leaf.path), Some(truth))
        }
        TrueInteger::Doubtful(why) => (format!("The true value of {} is not known: {why}.", leaf.path), None),
    };
    let unclassified = EffectReport::unclassified(vec![note]);
    Some(EffectReport { output: Some(leaf.path.clone()), true_words, ..unclassified })
}

/// Remarks on inputs that are no numbers.
fn special_inputs(call: &Call<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    for leaf in call.signature.input_layout().leaves {
        if let ScalarType::Float(float) = leaf.scalar {
            let value = labrys_float::Float::from_bits(float.format(), leaf.read(call.record));
            if value.is_nan() {
                notes.push(format!("The argument {} is not a number.", leaf.path));
            } else if value.is_infinite() {
                notes.push(format!("The argument {} is infinite.", leaf.path));
            }
        }
    }
    notes
}

//! What an exception does to the result: the function's outputs against those of its arbitrary-precision twin.
//!
//! After Barr, Vo, Le, Su, "Automatic Detection of Floating-Point Exceptions" (POPL 2013), section 6.4, which calls an
//! overflow or underflow avoidable if the same computation in arbitrary precision gives a normal number. Here every
//! output is compared too ([`judge`]), and the worst one speaks for the call.
//!
//! **Claim.** An effect other than "unclassified" compares what was observed with what the same operations give without
//! rounding and without limits of range: 64 bits of every number compared are the same at two precisions, and at the
//! greater either no sum lost an operand whole, or the sum of any two doubles is exact. It is no statement about the mathematical function that the code
//! was written for; see [`labrys_interp::precise`] for what the twin does. Where the twin comes to no end, looks at
//! encodings, or does not settle, the effect is unclassified, with the reason in the notes.

mod judgement;
mod outputs;
#[cfg(test)]
mod tests;

use labrys_interp::precise::Twin;
use labrys_interp::{Limits, Stop, class_of};
use labrys_program::{FunctionId, IrBinding, Leaf, Program, ScalarType, Signature};
use labrys_report::Severity;
use rustc_hash::FxHashMap;

pub use judgement::{HARMLESS_ULPS, Judgement, judge};
use outputs::{TrueOutputs, TrueValue};

/// Bits of the twin's significands, tried in turn until two successive runs agree, and the greater of them lost no operand
/// of a sum whole, or is the third: with 2,098 bits a sum of two finite doubles is exact, so that it misses no cancellation
/// among inputs. The fourth sees the noise of the third.
const PRECISIONS: [u32; 4] = [256, 512, 2304, 4608];

/// Instructions the twin executes at most: a million, for a tenth of a second or so.
pub const DEFAULT_LIMITS: Limits = Limits { instructions: 1_000_000, depth: 256, object: 1 << 26 };

/// What a classifier may spend altogether, in microseconds of an ordinary machine: ten seconds, or some ten thousand calls of
/// ordinary functions.
pub const DEFAULT_BUDGET: u64 = 10_000_000;

/// What an exception does to the result of one call.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectReport {
    /// One of [`Severity::EFFECTS`].
    pub severity: Severity,
    /// The output that this is about, as users write it: `result`, `r.val`. The worst of all.
    pub output: Option<String>,
    /// How far it is from the true value in ulps, where both are finite.
    pub error_ulps: Option<f64>,
    /// Its true value in decimals.
    pub true_result: Option<String>,
    /// Whether its true value is a normal number of its format, so that an overflow or underflow on the way was avoidable.
    pub avoidable: Option<bool>,
    /// Reasons and remarks, a sentence each.
    pub notes: Vec<String>,
}

/// A call whose effect is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The function.
    pub function: FunctionId,
    /// How its IR takes what its source declares.
    pub binding: &'a IrBinding,
    /// What it takes and returns.
    pub signature: &'a Signature,
    /// The input record.
    pub record: &'a [u8],
    /// The output record that was observed.
    pub observed: &'a [u8],
}

/// Classifies calls of one program's functions; made once for many calls.
#[derive(Debug)]
pub struct Classifier<'p> {
    twin: Twin<'p>,
    /// Work that is left, in the twin's microseconds.
    budget: u64,
    /// What is known already: one input raises exceptions at many sites.
    known: FxHashMap<(FunctionId, Vec<u8>, Vec<u8>), EffectReport>,
}

/// Classifies one call; see [`Classifier`] for many.
///
/// `init` is a function that is called first, as in the native run.
#[expect(clippy::too_many_arguments, reason = "a call and what surrounds it")]
pub fn classify(
    program: &Program,
    function: FunctionId,
    binding: &IrBinding,
    signature: &Signature,
    init: Option<FunctionId>,
    record: &[u8],
    observed: &[u8],
    limits: &Limits,
) -> EffectReport {
    Classifier::new(program, init, *limits).classify(&Call { function, binding, signature, record, observed })
}

impl<'p> Classifier<'p> {
    /// A classifier for a program; `init` is a function that is called once before everything else.
    pub fn new(program: &'p Program, init: Option<FunctionId>, limits: Limits) -> Classifier<'p> {
        Classifier { twin: Twin::new(program, init, limits), budget: DEFAULT_BUDGET, known: FxHashMap::default() }
    }

    /// From now on at most about so much work, in microseconds of an ordinary machine ([`DEFAULT_BUDGET`] otherwise); calls
    /// beyond it are unclassified. An estimate instead of a clock, so that equal calls in equal order have equal effects.
    pub fn set_budget(&mut self, microseconds: u64) {
        self.budget = microseconds;
    }

    /// What the exceptions of a call do to its result.
    pub fn classify(&mut self, call: &Call<'_>) -> EffectReport {
        let key = (call.function, call.record.to_vec(), call.observed.to_vec());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let report = self.compute(call);
        self.known.insert(key, report.clone());
        report
    }

    fn compute(&mut self, call: &Call<'_>) -> EffectReport {
        let mut notes = special_inputs(call);
        let truth = match self.settle(call) {
            Ok(truth) => truth,
            Err(stop) => {
                notes.push(format!("The true result is not known: in arbitrary precision, {}.", reason(&stop)));
                return EffectReport::unclassified(notes);
            }
        };
        let leaves = call.signature.output_layout().leaves;
        let mut worst: Option<EffectReport> = None;
        for (index, leaf) in leaves.iter().enumerate() {
            if !matches!(leaf.scalar, ScalarType::Float(_)) || is_error_estimate(leaf) {
                continue;
            }
            let report = effect_on(index, &leaves, &truth, call.observed);
            if worst.as_ref().is_none_or(|worst| report.severity < worst.severity) {
                worst = Some(report);
            }
        }
        let mut report = worst.unwrap_or_else(|| integers_only(&leaves, &truth, call.observed));
        report.notes.splice(0..0, notes);
        report.notes.extend(truth.differing_integers(&leaves, call.observed));
        report
    }

    /// The outputs in arbitrary precision, of the greatest precision that was needed.
    fn settle(&mut self, call: &Call<'_>) -> Result<TrueOutputs, Stop> {
        let mut previous: Option<TrueOutputs> = None;
        for precision in PRECISIONS {
            if self.budget == 0 {
                return Err(Stop::unsupported("more work than is allowed"));
            }
            let run = self.twin.call(call.function, call.binding, call.signature, call.record, precision);
            self.budget = self.budget.saturating_sub(run.work);
            let is_enough = !run.marks.absorbed || precision >= PRECISIONS[2];
            let mut outputs = TrueOutputs::new(run.outputs?, run.marks);
            if let Some(previous) = &previous
                && outputs.compare(previous)
                && is_enough
            {
                return Ok(outputs);
            }
            previous = Some(outputs);
        }
        previous.ok_or(Stop::InstructionLimit)
    }
}

impl EffectReport {
    /// The effect where the true result is not known, with the reasons.
    pub fn unclassified(notes: Vec<String>) -> EffectReport {
        EffectReport {
            severity: Severity::Unclassified,
            output: None,
            error_ulps: None,
            true_result: None,
            avoidable: None,
            notes,
        }
    }
}

/// Whether a leaf is a struct's member `err` beside others: by custom the function's own estimate of its error, which is
/// computed from rounded values on purpose.
fn is_error_estimate(leaf: &Leaf) -> bool {
    leaf.path.ends_with(".err")
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
    let Judgement { severity, error_ulps, note } = judge(&seen, float.value());
    EffectReport {
        severity,
        output: Some(leaf.path.clone()),
        error_ulps,
        true_result: Some(outputs::decimal(float.value())),
        avoidable: Some(class_of(&float.nearest().value).intersects(labrys_interp::ClassMask::NORMAL)),
        notes: note.into_iter().map(|note| format!("{}: {note}.", leaf.path)).collect(),
    }
}

/// The effect on a function without floats among its outputs.
fn integers_only(leaves: &[Leaf], truth: &TrueOutputs, observed: &[u8]) -> EffectReport {
    if leaves.is_empty() {
        return EffectReport::unclassified(vec!["The function has no outputs to compare.".to_owned()]);
    }
    let mut report = EffectReport::unclassified(Vec::new());
    if let Some(why) = truth.doubt() {
        report.notes.push(format!("The true outputs are not known: {why}."));
    } else if truth.differing_integers(leaves, observed).is_empty() {
        report.severity = Severity::Harmless;
    }
    report
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

/// Why the twin has no result, as the end of a sentence.
fn reason(stop: &Stop) -> String {
    match stop {
        Stop::InstructionLimit => "the function does not end within the limit of instructions".to_owned(),
        other => format!("the call ends with: {other}"),
    }
}

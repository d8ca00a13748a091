//! How two observations of one input differ, and how bad that is.
//!
//! The definitions: *flags* are the union of exceptions raised; the *result class* is NaN, infinite, zero, subnormal or
//! normal, with its sign; *ulps* is the distance in representable numbers. A NaN's sign and payload never differ.

use labrys_float::{Class, Flags};
use labrys_native::{Observation, Outcome};
use labrys_program::{FloatType, InputLayout, Leaf, OutputLayout, ScalarType};
use labrys_report::Severity;
use num_traits::ToPrimitive;

use crate::observation::class::{OutputClass, output_class};

/// What counts as a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The exceptions that are compared.
    pub watched: Flags,
    /// Results that are further apart than so many ulps differ.
    pub ulps: u64,
    /// Whether traces are compared too.
    pub traces: bool,
    /// Whether results are compared, and not only exceptions and how calls end.
    pub results: bool,
}

/// A difference between two observations, as far as the fast path sees it. Equal differences belong together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Difference {
    /// How bad it is.
    pub severity: SeverityRank,
    /// Whether the baseline is clean (see [`is_clean`]).
    pub baseline_clean: bool,
    /// The baseline's watched exceptions.
    pub baseline_flags: Flags,
    /// The variant's watched exceptions.
    pub variant_flags: Flags,
    /// Both outcomes, where one did not return.
    pub outcomes: Option<(OutcomeKey, OutcomeKey)>,
    /// Which outputs differ in class, with both classes; integers by the fact, and small ones by their values.
    pub classes: Vec<(usize, ClassChange)>,
    /// Which outputs of equal class are further apart than allowed.
    pub distant: Vec<usize>,
}

impl Difference {
    /// Whether a call ran out of time.
    pub fn is_late(&self) -> bool {
        self.outcomes.is_some_and(|(ours, theirs)| [ours, theirs].contains(&OutcomeKey::Timeout))
    }

    /// Whether outputs differ by more than is allowed.
    pub fn changes_results(&self) -> bool {
        !(self.classes.is_empty() && self.distant.is_empty())
    }

    /// Whether this output does.
    pub fn changes(&self, output: usize) -> bool {
        self.class_change(output).is_some() || self.distant.contains(&output)
    }

    /// How this output changes class, if it does.
    pub fn class_change(&self, output: usize) -> Option<ClassChange> {
        self.classes.iter().find(|(index, _)| *index == output).map(|(_, change)| *change)
    }

    /// The output that stands for all that differ, which is told, and whose cause is sought: the first that becomes an infinity or NaN, else
    /// the first of another class, else the first that is further apart than allowed. `None` where none differs by so much, or a call did not return.
    pub fn told_by(&self, [baseline, variant]: [&Observation; 2]) -> Option<usize> {
        if [baseline, variant].iter().any(|of| of.outcome != Outcome::Returned) {
            return None;
        }
        let is_spoilt = |change: &ClassChange| match change {
            ClassChange::Float((before, _), (after, _)) => is_finite(*before) && !is_finite(*after),
            ClassChange::Int(_) => false,
        };
        let spoilt = self.classes.iter().find(|(_, change)| is_spoilt(change)).or(self.classes.first());
        spoilt.map(|(index, _)| *index).or(self.distant.first().copied())
    }

    /// The exceptions that the baseline alone raises, and those that the variant alone does: those that make the difference as bad as it is. An underflow beside an invalid
    /// operation is none of these.
    pub fn told_exceptions(&self) -> [Flags; 2] {
        let both = [self.baseline_flags - self.variant_flags, self.variant_flags - self.baseline_flags];
        let is_severe = (both[0] | both[1]).intersects(Flags::SEVERE);
        both.map(|of| if is_severe { of & Flags::SEVERE } else { of })
    }

    /// The same with these exceptions alone.
    pub fn only(&self, exceptions: Flags) -> Difference {
        let mut difference = self.clone();
        difference.baseline_flags &= exceptions;
        difference.variant_flags &= exceptions;
        difference
    }
}

/// A severity that orders worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SeverityRank {
    /// See [`Severity::Introduced`].
    Introduced,
    /// See [`Severity::Masked`].
    Masked,
    /// See [`Severity::Underflow`].
    Underflow,
    /// See [`Severity::Ulps`].
    Ulps,
    /// See [`Severity::Trace`].
    Trace,
}

impl From<SeverityRank> for Severity {
    fn from(rank: SeverityRank) -> Severity {
        match rank {
            SeverityRank::Introduced => Severity::Introduced,
            SeverityRank::Masked => Severity::Masked,
            SeverityRank::Underflow => Severity::Underflow,
            SeverityRank::Ulps => Severity::Ulps,
            SeverityRank::Trace => Severity::Trace,
        }
    }
}

/// An outcome in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OutcomeKey {
    /// The function returned.
    Returned,
    /// A signal ended it.
    Signal(i32),
    /// It ran out of time.
    Timeout,
    /// It ended the process.
    Exit(i32),
    /// It panicked.
    Panic,
}

impl From<&Outcome> for OutcomeKey {
    fn from(outcome: &Outcome) -> OutcomeKey {
        match outcome {
            Outcome::Returned => OutcomeKey::Returned,
            Outcome::Signal(number) => OutcomeKey::Signal(*number),
            Outcome::Timeout => OutcomeKey::Timeout,
            Outcome::Exit(code) => OutcomeKey::Exit(*code),
            Outcome::Panic => OutcomeKey::Panic,
        }
    }
}

/// A change of class of one output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClassChange {
    /// From the baseline's to the variant's float class.
    Float((Class, bool), (Class, bool)),
    /// Two integers that are not equal: which, if both are small, as codes for kinds of results are.
    Int(Option<(u8, u8)>),
}

/// Integers below this are told apart in [`ClassChange::Int`].
const SMALL_INTS: u8 = 16;

fn is_finite(class: Class) -> bool {
    !matches!(class, Class::Nan | Class::Infinite)
}

/// Whether two output records differ in a leaf; every NaN is the same.
pub fn differs(leaf: &Leaf, baseline: &[u8], variant: &[u8]) -> bool {
    let both_nan = || [baseline, variant].iter().all(|of| leaf.float(of).is_some_and(|float| float.is_nan()));
    leaf.read(baseline) != leaf.read(variant) && !both_nan()
}

fn all_finite(leaves: &[Leaf], record: &[u8]) -> bool {
    leaves.iter().filter_map(|leaf| leaf.float(record)).all(|float| float.is_finite())
}

/// Whether an input is inside fast-math's contract on the baseline: inputs and results finite, no invalid, division by
/// zero or overflow.
pub fn is_clean(inputs: &InputLayout, outputs: &OutputLayout, input: &[u8], baseline: &Observation) -> bool {
    baseline.outcome == Outcome::Returned
        && !baseline.flags.intersects(Flags::SEVERE)
        && all_finite(&inputs.leaves, input)
        && all_finite(&outputs.leaves, &baseline.output)
}

/// Compares a variant's observation with the baseline's. `None`: they do not differ under this policy.
pub fn compare(
    policy: &Policy,
    inputs: &InputLayout,
    outputs: &OutputLayout,
    input: &[u8],
    baseline: &Observation,
    variant: &Observation,
) -> Option<Difference> {
    let both_returned = baseline.outcome == Outcome::Returned && variant.outcome == Outcome::Returned;
    let (baseline_flags, variant_flags) = comparable_flags(policy, baseline, variant);
    let same_bytes = both_returned && (!policy.results || baseline.output == variant.output);
    if same_bytes && baseline_flags == variant_flags {
        return None;
    }
    let (mut classes, mut distant) = (Vec::new(), Vec::new());
    if both_returned && !same_bytes {
        compare_outputs(policy, outputs, baseline, variant, &mut classes, &mut distant);
    }
    let outcomes = (!both_returned && baseline.outcome != variant.outcome)
        .then(|| (OutcomeKey::from(&baseline.outcome), OutcomeKey::from(&variant.outcome)));
    if baseline_flags == variant_flags && classes.is_empty() && distant.is_empty() && outcomes.is_none() {
        return None;
    }
    let mut difference = Difference {
        severity: SeverityRank::Ulps,
        baseline_clean: is_clean(inputs, outputs, input, baseline),
        baseline_flags,
        variant_flags,
        outcomes,
        classes,
        distant,
    };
    difference.severity = severity(policy, &difference, outputs, variant);
    Some(difference)
}

/// The exceptions of both. Those of a call that did not return are not known to the end: they are taken for the other's.
fn comparable_flags(policy: &Policy, baseline: &Observation, variant: &Observation) -> (Flags, Flags) {
    let flags = |of: &Observation| (of.outcome == Outcome::Returned).then_some(of.flags & policy.watched);
    match (flags(baseline), flags(variant)) {
        (Some(baseline), Some(variant)) => (baseline, variant),
        (Some(only), None) | (None, Some(only)) => (only, only),
        (None, None) => (Flags::empty(), Flags::empty()),
    }
}

fn compare_outputs(
    policy: &Policy,
    outputs: &OutputLayout,
    baseline: &Observation,
    variant: &Observation,
    classes: &mut Vec<(usize, ClassChange)>,
    distant: &mut Vec<usize>,
) {
    for (index, leaf) in outputs.leaves.iter().enumerate() {
        match (output_class(leaf, &baseline.output), output_class(leaf, &variant.output)) {
            (OutputClass::Float(a, a_negative), OutputClass::Float(b, b_negative)) => {
                if (a, a_negative) != (b, b_negative) {
                    classes.push((index, ClassChange::Float((a, a_negative), (b, b_negative))));
                } else if a != Class::Nan && is_distant(policy, leaf, baseline, variant) {
                    distant.push(index);
                }
            }
            (OutputClass::Int(a), OutputClass::Int(b)) if a != b => {
                let small = |value: u128| u8::try_from(value).ok().filter(|value| *value < SMALL_INTS);
                classes.push((index, ClassChange::Int(small(a).zip(small(b)))));
            }
            _ => {}
        }
    }
}

/// How far the results of two calls are apart, in ulps: the most of any output that is a number in both; 0 where they are the same, or
/// not all comparable. For a search to climb on.
pub fn distance(outputs: &OutputLayout, baseline: &Observation, variant: &Observation) -> f64 {
    let returned = baseline.outcome == Outcome::Returned && variant.outcome == Outcome::Returned;
    if !returned || baseline.output == variant.output {
        return 0.0;
    }
    outputs.leaves.iter().map(|leaf| distance_at(leaf, baseline, variant)).fold(0.0, f64::max)
}

/// The same of one output of calls that returned.
pub fn distance_at(leaf: &Leaf, baseline: &Observation, variant: &Observation) -> f64 {
    match leaf.scalar {
        // By far the most frequent, and without big integers.
        ScalarType::Float(FloatType::F64) => {
            let of = |output: &[u8]| f64::from_bits(leaf.read(output) as u64);
            doubles_apart(of(&baseline.output), of(&variant.output))
        }
        ScalarType::Float(_) => match (leaf.float(&baseline.output), leaf.float(&variant.output)) {
            (Some(a), Some(b)) if a.is_finite() && b.is_finite() => {
                a.ulp_distance(&b).and_then(|distance| distance.to_f64()).unwrap_or(0.0)
            }
            _ => 0.0,
        },
        _ => 0.0,
    }
}

/// The distance of two finite doubles in ulps.
fn doubles_apart(a: f64, b: f64) -> f64 {
    if !(a.is_finite() && b.is_finite()) {
        return 0.0;
    }
    let ordinal = |x: f64| {
        let magnitude = i128::from(x.abs().to_bits());
        if x.is_sign_negative() { -magnitude } else { magnitude }
    };
    (ordinal(a) - ordinal(b)).unsigned_abs() as f64
}

fn is_distant(policy: &Policy, leaf: &Leaf, baseline: &Observation, variant: &Observation) -> bool {
    let distance = match (leaf.float(&baseline.output), leaf.float(&variant.output)) {
        (Some(a), Some(b)) => a.ulp_distance(&b),
        _ => None,
    };
    distance.is_some_and(|distance| distance > policy.ulps.into())
}

fn severity(policy: &Policy, difference: &Difference, outputs: &OutputLayout, variant: &Observation) -> SeverityRank {
    let severe_in_variant = difference.variant_flags.intersects(Flags::SEVERE)
        || variant.outcome != Outcome::Returned
        || policy.results && !all_finite(&outputs.leaves, &variant.output);
    let differs_severely = (difference.baseline_flags ^ difference.variant_flags).intersects(Flags::SEVERE)
        || !difference.classes.is_empty()
        || difference.outcomes.is_some();
    if difference.baseline_clean && severe_in_variant {
        SeverityRank::Introduced
    } else if differs_severely {
        SeverityRank::Masked
    } else if difference.baseline_flags != difference.variant_flags {
        SeverityRank::Underflow
    } else {
        SeverityRank::Ulps
    }
}

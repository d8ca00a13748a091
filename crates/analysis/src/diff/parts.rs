//! What of a difference strict optimisation makes, too, and what it does not.
//!
//! Dead code that an optimiser drops takes its exceptions along, on nearly every input of a function that has it. A result that only fast-math changes
//! on the same inputs must neither be told as that difference nor be hidden by it. So the strict control is asked: where it has the same exceptions as
//! the variant that the baseline has not, or lacks the same, and not the variant's results, the input shows two divergences.
//!
//! 1. *Exceptions*: those in which the control differs, too, and no results.
//! 2. *The rest*: all results, and the exceptions in which the control does not differ.
//!
//! Where there is no control, or it changes the results as well, the difference is one.

use labrys_float::Flags;
use labrys_native::Observation;
use labrys_program::{InputLayout, OutputLayout};

use super::compare::{Difference, Policy, compare};

/// What is looked at of two observations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Exceptions that are not compared.
    pub without: Flags,
    /// Whether results are compared.
    pub results: bool,
}

/// The parts of a difference: one or two.
pub type Parts = Vec<(Part, Difference)>;

impl Part {
    /// All there is.
    pub const WHOLE: Part = Part { without: Flags::empty(), results: true };

    /// What counts as a difference in this part.
    pub fn policy(self, policy: &Policy) -> Policy {
        Policy { watched: policy.watched - self.without, results: policy.results && self.results, ..*policy }
    }

    /// What both compare.
    #[must_use]
    pub fn common(self, other: Part) -> Part {
        Part { without: self.without | other.without, results: self.results && other.results }
    }
}

/// How a variant's observation differs from the baseline's, in parts; the control's, if there is one.
pub fn parts(
    policy: &Policy,
    (inputs, outputs): (&InputLayout, &OutputLayout),
    input: &[u8],
    [baseline, variant]: [&Observation; 2],
    control: Option<&Observation>,
) -> Parts {
    let with = |policy: &Policy, other: &Observation| compare(policy, inputs, outputs, input, baseline, other);
    let Some(whole) = with(policy, variant) else { return Parts::new() };
    let differing = whole.baseline_flags ^ whole.variant_flags;
    let has_results = !(whole.classes.is_empty() && whole.distant.is_empty());
    let of_control = control.filter(|_| !differing.is_empty() && has_results).and_then(|control| with(policy, control));
    let shared =
        of_control.filter(|of| of.outcomes.is_none() && (&of.classes, &of.distant) != (&whole.classes, &whole.distant));
    let shared = shared.map_or(Flags::empty(), |of| differing & (of.baseline_flags ^ of.variant_flags));
    if shared.is_empty() {
        return vec![(Part::WHOLE, whole)];
    }
    let exceptions = Part { without: differing - shared, results: false };
    let rest = Part { without: shared, results: true };
    let of = |part: Part| Some((part, with(&part.policy(policy), variant)?));
    [rest, exceptions].into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use labrys_native::Outcome;
    use labrys_program::{LengthOptions, parse_signature};

    use super::*;
    use crate::diff::compare::SeverityRank;

    fn seen(result: f64, flags: Flags) -> Observation {
        Observation { output: result.to_le_bytes().to_vec(), flags, outcome: Outcome::Returned, trace: None }
    }

    /// A dead multiplication that underflows was dropped by the strict control, too, and hid that fast-math returned 4 instead of 3.
    #[test]
    fn what_the_control_does_too_hides_nothing_else() {
        let signature = parse_signature("double f(double x)", &LengthOptions::default()).expect("a signature");
        let layouts = (&signature.input_layout(), &signature.output_layout());
        let policy = Policy { watched: Flags::NOTABLE, ulps: 4, traces: false, results: true };
        let told = |variant: &Observation, control: Option<&Observation>| -> Vec<(SeverityRank, Flags, usize)> {
            let baseline = seen(3.0, Flags::UNDERFLOW);
            let all = parts(&policy, layouts, &1f64.to_le_bytes(), [&baseline, variant], control);
            all.iter().map(|(part, of)| (of.severity, part.without, of.distant.len())).collect()
        };
        let (quiet, other) = (seen(3.0, Flags::empty()), seen(4.0, Flags::empty()));
        let none = Flags::empty();
        assert_eq!(
            told(&other, Some(&quiet)),
            [(SeverityRank::Ulps, Flags::UNDERFLOW, 1), (SeverityRank::Underflow, none, 0)]
        );
        // The optimiser's doing altogether, or nobody knows.
        assert_eq!(told(&other, Some(&other)), [(SeverityRank::Underflow, none, 1)]);
        assert_eq!(told(&other, None), [(SeverityRank::Underflow, none, 1)]);
        assert_eq!(told(&quiet, Some(&quiet)), [(SeverityRank::Underflow, none, 0)]);
        // What only the variant raises belongs to its results.
        let raises = seen(4.0, Flags::OVERFLOW);
        assert_eq!(
            told(&raises, Some(&quiet)),
            [(SeverityRank::Introduced, Flags::UNDERFLOW, 1), (SeverityRank::Underflow, Flags::OVERFLOW, 0)]
        );
    }
}

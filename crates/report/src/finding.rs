//! One distinct finding.

use labrys_float::Flags;
use serde::{Deserialize, Serialize};

use crate::{ExceptionDetails, ObservationRecord, Value, exceptions};

/// How bad a finding is; for each analysis the order is worst first. The first five are divergences; the others are what an
/// exception does to the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The variant raises invalid, division by zero or overflow, or returns NaN or infinity, where the baseline is clean.
    Introduced,
    /// The baseline raises one, the variant does not, or the result's class differs.
    Masked,
    /// Only underflow differs.
    Underflow,
    /// Results of one class are further apart than allowed.
    Ulps,
    /// The same exceptions from other sites, or in another order.
    Trace,
    /// The result is NaN, infinity or zero where the true value is representable.
    Lost,
    /// The result is further than 4 ulps from the true value, and further than the problem itself brings about.
    Unstable,
    /// The program takes another branch than it would without rounding, and the result is off by more than the problem brings about.
    Branch,
    /// The result is further than 4 ulps from the true value.
    Inaccurate,
    /// The true value is not known.
    Unclassified,
    /// The result is further than 4 ulps from the true value, and so is that of inputs half an ulp away.
    #[serde(rename = "ill-conditioned")]
    IllConditioned,
    /// The true result does overflow or underflow, or is undefined.
    Honest,
    /// The result is within 4 ulps of the true value.
    Harmless,
    /// The error is within 4 ulps.
    Benign,
}

/// Who found the first input of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FoundBy {
    /// A solver's model, rounded to the floats.
    Solver,
    /// A neighbour of a solver's model.
    Neighbourhood,
    /// Mutation under feedback, or a special value.
    Guided,
    /// A plain sampler.
    Random,
    /// All inputs were run.
    Enumeration,
    /// The user gave it.
    Given,
}

/// A divergence (or another analysis' finding) with a witness and what was observed on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable over runs of the same program and builds; see [`crate::stable_id`]. A file name.
    pub id: String,
    /// How bad it is.
    pub severity: Severity,
    /// Roles of the builds that differ: the baseline first.
    pub between: Vec<String>,
    /// Whether the witness is inside fast-math's contract: it and the baseline's result are finite and the baseline
    /// raises no invalid, division by zero or overflow.
    pub baseline_clean: bool,
    /// Whether the control (strict at the variant's level) differs in the same way: the optimiser's doing, not fast-math's.
    pub in_control: bool,
    /// Who found the first input.
    pub found_by: FoundBy,
    /// How many inputs of the run show it.
    pub count: u64,
    /// One sentence.
    pub summary: String,
    /// The witness in call order.
    pub inputs: Vec<Value>,
    /// What each build did on the witness.
    pub observations: Vec<ObservationRecord>,
    /// The one command that replays it, for a shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Of the exceptions analysis: which exception, where, and what it means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exception: Option<ExceptionDetails>,
    /// Of divergences: what differs, by how much, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<DifferenceDetails>,
    /// Remarks: rarely needed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What a divergence is about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DifferenceDetails {
    /// The exceptions that were compared: those that are watched and hang on nothing that the caller leaves behind.
    #[serde(with = "exceptions")]
    pub compared: Flags,
    /// How far the results on the witness are apart, in ulps: the most of any output that is finite in both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ulps: Option<f64>,
    /// The input on which results are furthest apart, where that is not the witness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<WorstDifference>,
    /// What differs first between the builds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// How the first output that differs does.
    #[serde(default)]
    pub change: Change,
    /// Whether the finding stands for all divergences of its cause.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_grouped: bool,
    /// How many distinct divergences have this cause, this one included.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub divergences: u64,
}

/// How an output differs between two builds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// No output does: exceptions alone.
    #[default]
    Exceptions,
    /// One build did not return.
    Outcome,
    /// One is NaN.
    Nan,
    /// One is infinite.
    Infinity,
    /// The sign alone: of zeros, infinities.
    Sign,
    /// Another number.
    Number,
    /// Another integer.
    Integer,
}

/// An input on which results are far apart; confirmed as the witness is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstDifference {
    /// How far, in ulps.
    pub ulps: f64,
    /// The input, in call order.
    pub inputs: Vec<Value>,
}

/// The first operation or branch whose outcome differs between two builds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cause {
    /// What it is.
    pub kind: CauseKind,
    /// The source file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The operation, as sites name it; empty where it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub operator: String,
}

impl Cause {
    /// It in words: `fadd at f.c:3:18 gives another result`.
    pub fn words(&self) -> String {
        let place: Vec<String> = self
            .file
            .iter()
            .cloned()
            .chain([self.line, self.column].into_iter().flatten().map(|number| number.to_string()))
            .collect();
        let place = if place.is_empty() { "an unknown place".to_owned() } else { place.join(":") };
        match self.kind {
            CauseKind::Operation => format!("{} at {place} gives another result", self.operator),
            CauseKind::Branch => format!("the comparison at {place} is of other numbers, or is not made"),
            CauseKind::Exception => format!("{} at {place} raises an exception in one build alone", self.operator),
            CauseKind::CodeGeneration => "the machine code of a build does something else than its IR says".to_owned(),
        }
    }
}

/// What a cause is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CauseKind {
    /// An operation computes another value.
    Operation,
    /// A comparison is of other numbers, or one build does not make it.
    Branch,
    /// An operation raises an exception in one build alone.
    Exception,
    /// The machine code of a build does something else than its IR says: contraction, another order, another sign of zero.
    #[serde(rename = "code generation")]
    CodeGeneration,
}

fn is_false(value: &bool) -> bool {
    !value
}

fn one() -> u64 {
    1
}

fn is_one(count: &u64) -> bool {
    *count == 1
}

impl Severity {
    /// Those of divergences, worst first.
    pub const DIVERGENCES: [Severity; 5] =
        [Severity::Introduced, Severity::Masked, Severity::Underflow, Severity::Ulps, Severity::Trace];

    /// What exceptions do to results, worst first.
    pub const EFFECTS: [Severity; 5] =
        [Severity::Lost, Severity::Inaccurate, Severity::Unclassified, Severity::Honest, Severity::Harmless];

    /// What errors are, worst first.
    pub const ERRORS: [Severity; 6] = [
        Severity::Lost,
        Severity::Unstable,
        Severity::Branch,
        Severity::Unclassified,
        Severity::IllConditioned,
        Severity::Benign,
    ];

    /// Whether it is worth a look before all others of its analysis: not an exception that the true result explains, or
    /// that the result does not show.
    pub fn matters(self) -> bool {
        !matches!(self, Severity::Honest | Severity::Harmless | Severity::IllConditioned | Severity::Benign)
    }

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Introduced => "introduced",
            Severity::Masked => "masked",
            Severity::Underflow => "underflow",
            Severity::Ulps => "ulps",
            Severity::Trace => "trace",
            Severity::Lost => "lost",
            Severity::Unstable => "unstable",
            Severity::Branch => "branch",
            Severity::Inaccurate => "inaccurate",
            Severity::Unclassified => "unclassified",
            Severity::Honest => "honest",
            Severity::IllConditioned => "ill-conditioned",
            Severity::Harmless => "harmless",
            Severity::Benign => "benign",
        }
    }

    /// What it means, in one sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Severity::Introduced => {
                "The variant raises invalid, division by zero or overflow, or returns NaN or infinity, where the baseline is clean."
            }
            Severity::Masked => {
                "The baseline raises an exception that the variant does not, or the class of the result differs."
            }
            Severity::Underflow => "The builds differ in underflow only.",
            Severity::Ulps => "Results of the same class are further apart than the allowed number of ulps.",
            Severity::Trace => "The builds raise the same exceptions at other places or in another order.",
            Severity::Lost => "The result is NaN, infinity or zero where the true value is representable.",
            Severity::Unstable => {
                "The result is further from the true value than the problem itself brings about: another algorithm does better."
            }
            Severity::Branch => "The program takes another branch than it would without rounding.",
            Severity::IllConditioned => {
                "The result is far from the true value, and so are results of inputs half an ulp away: no algorithm does much better."
            }
            Severity::Benign => "The result is within 4 ulps of the true value.",
            Severity::Inaccurate => "The result is further than 4 ulps from the true value.",
            Severity::Unclassified => "The true value of the result is not known.",
            Severity::Honest => "The true result does overflow or underflow, or is undefined.",
            Severity::Harmless => "The result is within 4 ulps of the true value.",
        }
    }
}

impl FoundBy {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            FoundBy::Solver => "solver",
            FoundBy::Neighbourhood => "neighbourhood",
            FoundBy::Guided => "guided",
            FoundBy::Random => "random",
            FoundBy::Enumeration => "enumeration",
            FoundBy::Given => "given",
        }
    }
}

impl Finding {
    /// The observation of a role.
    pub fn observation(&self, role: &str) -> Option<&ObservationRecord> {
        self.observations.iter().find(|observation| observation.role == role)
    }

    /// The key that findings are ordered by. Divergences: those outside fast-math's contract last, then worst severity
    /// first, then those that the control shows too, then by variant and id. Exceptions: worst effect first, then those
    /// that public functions reach, then invalid, division by zero, overflow, underflow, inexact, then by site and id.
    pub fn rank(&self) -> impl Ord + use<> {
        let exception = self.exception.as_ref().map(|details| {
            (details.reachable_from.is_empty(), exceptions::class(details.exception), details.site.clone())
        });
        let outside_contract = exception.is_none() && !self.baseline_clean;
        (outside_contract, self.severity, self.in_control, exception, self.between.clone(), self.id.clone())
    }
}

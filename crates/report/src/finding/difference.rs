//! What a finding of `diff` says.

use labrys_float::Flags;
use serde::{Deserialize, Serialize};

use crate::{SourcePlace, Value, exceptions};

/// What a divergence is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DifferenceDetails {
    /// Roles of the builds that differ: the baseline first. In reports it stands beside `difference`, not in it, as the next two do.
    #[serde(skip)]
    pub between: Vec<String>,
    /// Whether the witness is inside fast-math's contract: it and the baseline's result are finite and the baseline
    /// raises no invalid, division by zero or overflow.
    #[serde(skip)]
    pub baseline_clean: bool,
    /// Whether the control (strict at the variant's level) differs in the same way: the optimiser's doing, not fast-math's.
    #[serde(skip)]
    pub in_control: bool,
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

impl Default for DifferenceDetails {
    /// One divergence of which nothing is known.
    fn default() -> DifferenceDetails {
        DifferenceDetails {
            between: Vec::new(),
            baseline_clean: false,
            in_control: false,
            compared: Flags::empty(),
            ulps: None,
            worst: None,
            cause: None,
            change: Change::default(),
            is_grouped: false,
            divergences: one(),
        }
    }
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
    /// Where it is.
    #[serde(flatten)]
    pub place: SourcePlace,
    /// The operation, as sites name it; empty where it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub operator: String,
}

impl Cause {
    /// It in words: `fadd at f.c:3:18 gives another result`.
    pub fn words(&self) -> String {
        let place = self.place.words_or_unknown();
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

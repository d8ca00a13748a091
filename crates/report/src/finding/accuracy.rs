//! What a finding of the accuracy analysis is about.

use serde::{Deserialize, Serialize};

use super::reach::Reach;
use crate::{SourcePlace, Value};

/// An error of a result: how large, whose fault, and which operations made it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AccuracyDetails {
    /// The output, as users write it: `result`, `out[3]`.
    pub output: String,
    /// What the build returned, with enough digits to tell it from every other number.
    pub result: String,
    /// What it should have returned, with 20 digits.
    pub truth: String,
    /// The encoding of the truth, rounded correctly: `0x3ff0000000000000`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rounded_truth: String,
    /// Bits of the arithmetic that certified the truth.
    pub precision: u32,
    /// Bits of a second run, which gave the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_precision: Option<u32>,
    /// What the truth is, where it is not what the function's own formulas give without rounding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<Box<ReferenceDetails>>,
    /// The error.
    pub error: ErrorMeasures,
    /// Why it is not known whose fault the error is; of unclassified findings alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault_unknown: Option<String>,
    /// The condition number of the true result: its relative change over the inputs', componentwise. Absent where it is infinite or not
    /// known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<f64>,
    /// The smallest relative change of the inputs that makes the result exact, to first order. Absent where none does, or it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backward_error: Option<f64>,
    /// The same of all outputs at once, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint_backward_error: Option<JointBackwardError>,
    /// The error as a multiple of what half an ulp of change in the inputs, or of the result, brings about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub excess: Option<f64>,
    /// The operations that made the error, worst first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<ErrorCause>,
    /// What would mend it, where a known formula made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
    /// What the function computes along the path that the input takes, as FPCore, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fpcore: Option<String>,
    /// Pictures of the error along inputs; of the worst finding of a function alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<ErrorCurve>,
    /// The input with the largest error, where that is not the witness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<Box<WorstError>>,
    /// Of a library's function that only others of it can call, what is known of these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub callers: Option<Box<Reach>>,
}

/// What a result was compared with, and what of its error is not rounding's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReferenceDetails {
    /// As the user wrote it: `mpfr:erf`, `slow.c:slow`.
    pub name: String,
    /// What the function's own formulas give without rounding, with 20 digits. Absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formulas: Option<String>,
    /// How far that is from the truth. Absent where it is not known, or infinite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncation_error: Option<f64>,
    /// How far the result is from that. Absent where it is not known, or infinite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounding_error: Option<f64>,
}

/// The smallest relative change of the inputs that makes several outputs exact at once, to first order.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointBackwardError {
    /// How many outputs.
    pub outputs: u32,
    /// The change. Absent where none does: the outputs together are those of no inputs near these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<f64>,
}

/// An error by several measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ErrorMeasures {
    /// log2(1 + ulps). Absent where the result is no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bits: Option<f64>,
    /// Floats from the rounded truth to the result. Absent where the result is no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ulps: Option<f64>,
    /// |r − t| / |t|. Absent where it is infinite: the truth is zero, or one of the two is no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative: Option<f64>,
    /// |r − t|. Absent where the result is no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absolute: Option<f64>,
    /// |r − t| / max(|t|, floor), where a floor was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floored: Option<f64>,
}

/// An operation's part in an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ErrorCause {
    /// Where it is.
    #[serde(flatten)]
    pub place: SourcePlace,
    /// The operation, as sites name it.
    pub operator: String,
    /// Its part of the error, from 0 to 1: what rounding its results alone makes, over the sum of all operations'.
    pub share: f64,
    /// The absolute error that is left where it alone is computed exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<f64>,
    /// The most leading bits that a sum of it cancelled.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cancelled_bits: u32,
    /// How many of its sums lost an operand whole.
    #[serde(default, skip_serializing_if = "is_none")]
    pub absorbed: u64,
}

/// A known formula that loses digits, and what computes the same without the loss.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remedy {
    /// The better one: `log1p(x)`.
    pub better: String,
    /// The formula that stands there, with letters for its operands: `log(1 + x)`.
    pub formula: String,
    /// Where its last operation is.
    #[serde(flatten)]
    pub place: SourcePlace,
    /// The absolute error that is left where the operations that the better one does without are exact, and all others round.
    pub left: f64,
}

/// The error of a result along one input, the others as in the witness. To be looked at: true values are not certified here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorCurve {
    /// The input that is varied.
    pub input: String,
    /// Over all of its range, in parts with equally many floats; each point is the worst of some.
    pub whole: Vec<CurvePoint>,
    /// At distances of powers of two floats on both sides of the witness.
    pub near: Vec<CurvePoint>,
    /// How many points of `whole` lie below the witness.
    pub at: u32,
    /// How many points of `near` lie below the witness, which is the one behind them.
    pub below: u32,
}

/// A point of a curve: the input's value to a double's digits, and the error in bits, to two digits behind the point; absent where there is
/// no number to compare.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint(pub f64, pub Option<f64>);

/// An input with a large error; confirmed as the witness is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstError {
    /// The error.
    pub error: ErrorMeasures,
    /// The input, in call order.
    pub inputs: Vec<Value>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

fn is_none(number: &u64) -> bool {
    *number == 0
}

impl ErrorCause {
    /// Where it is, and what: `fsub at f.c:3:18`.
    pub fn words(&self) -> String {
        format!("{} at {}", self.operator, self.place.words_or_unknown())
    }
}

impl Remedy {
    /// It in words, without what it leaves: `log1p(x) in place of log(1 + x) at f.c:3:10`.
    pub fn words(&self) -> String {
        let Remedy { better, formula, .. } = self;
        format!("{better} in place of {formula} at {}", self.place.words_or_unknown())
    }
}

impl ErrorMeasures {
    /// It in words, by the measures that say most: `53.0 bits, relative 1.2e+3`.
    pub fn words(&self) -> String {
        let Some(bits) = self.bits else { return "no number of the right kind".to_owned() };
        let relative = self.relative.map_or_else(|| "infinite".to_owned(), |relative| format!("{relative:.2e}"));
        let floored = self.floored.map_or_else(String::new, |floored| format!(", floored {floored:.2e}"));
        format!("{bits:.1} bits, relative {relative}{floored}")
    }
}

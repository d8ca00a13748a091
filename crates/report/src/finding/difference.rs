//! What a finding of `diff` says.

use labrys_float::Flags;
use serde::{Deserialize, Serialize};

use super::reach::Reach;
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
    /// The output that is told where outputs differ, whose cause is sought, as users write it: `result`, `out[3]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// How far the results on the witness are apart, in ulps: the most of any output that is finite in both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ulps: Option<f64>,
    /// The input on which results are furthest apart, where that is not the witness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst: Option<WorstDifference>,
    /// Outputs that differ, without rounding, as far as that is known: the one that is told first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub truths: Vec<OutputTruth>,
    /// What differs first between the builds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// What divergences are one finding by, where `cause` is another since it is known what of the variant's making it takes. Ids are of this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grouped_by: Option<Cause>,
    /// What of the variant's making it takes, by experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blame: Option<Blame>,
    /// Why it is not known what of the variant's making it takes, where that was looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unblamed: Option<String>,
    /// How the output that is told differs.
    #[serde(default)]
    pub change: Change,
    /// Whether the finding stands for all divergences of its cause.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_grouped: bool,
    /// Of a library the other functions in which the same cause shows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_in: Vec<String>,
    /// Of a library's function that only others of it can call, what is known of these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub callers: Option<Box<Reach>>,
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
            output: None,
            ulps: None,
            worst: None,
            truths: Vec::new(),
            cause: None,
            grouped_by: None,
            blame: None,
            unblamed: None,
            change: Change::default(),
            is_grouped: false,
            also_in: Vec::new(),
            callers: None,
            divergences: one(),
        }
    }
}

impl DifferenceDetails {
    /// Enters another cause, of which the finding's id does not become another one.
    pub fn set_cause(&mut self, cause: Option<Cause>) {
        let before = std::mem::replace(&mut self.cause, cause);
        self.grouped_by = self.grouped_by.take().or(before).filter(|before| self.cause.as_ref() != Some(before));
    }

    /// What divergences are one finding by.
    pub fn group(&self) -> Option<&Cause> {
        self.grouped_by.as_ref().or(self.cause.as_ref())
    }

    /// Whether results are compared: of a difference in exceptions that strict optimisation makes, too, another result is a finding of its own.
    pub fn compares_results(&self) -> bool {
        self.change != Change::Exceptions
    }
}

/// How an output differs between two builds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// No output does, or none is compared: exceptions alone.
    #[default]
    Exceptions,
    /// One build did not return.
    Outcome,
    /// One is NaN.
    Nan,
    /// One is infinite.
    Infinity,
    /// The sign of a zero alone.
    Sign,
    /// Another number.
    Number,
    /// Another integer.
    Integer,
}

impl Change {
    /// What divergences of one cause have in common: which of NaN and infinity comes out, and whether a number or only the sign of a zero is
    /// another, hangs on the input.
    #[must_use]
    pub fn in_common(self) -> Change {
        match self {
            Change::Nan | Change::Infinity => Change::Infinity,
            Change::Sign | Change::Number => Change::Number,
            other => other,
        }
    }
}

/// What an output is by the baseline's own formulas without rounding, and how far from that both builds are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OutputTruth {
    /// The output, as users write it: `result`, `out[3]`.
    pub output: String,
    /// Its value without rounding, with 20 digits, or that it is beyond the finite numbers of its format; `0` where it is so near to zero that no precision
    /// tells its sign.
    pub truth: String,
    /// The encoding of the float that is nearest to it: `0x3ff0000000000000`.
    pub rounded_truth: String,
    /// How many floats the baseline's is from that one; absent where one of both is no finite number, or another integer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline_ulps: Option<f64>,
    /// How many floats the variant's is from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant_ulps: Option<f64>,
    /// How many floats a result may be from it that no other formula with these inputs does better than by much: an excess of 8, as `accuracy` counts it. Absent
    /// where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_ulps: Option<f64>,
}

impl OutputTruth {
    /// It in words: `without rounding out.x is 0.25: baseline has it, variant is 12 ulps off`.
    pub fn words(&self, [baseline, variant]: [&str; 2]) -> String {
        let of = |role: &str, ulps: Option<f64>| match ulps {
            None if self.allowed_ulps == Some(0.0) => format!("{role} has another"),
            None => format!("{role} is not near"),
            Some(0.0) => format!("{role} has it"),
            Some(1.0) => format!("{role} is 1 ulp off"),
            Some(ulps) if ulps < 1e7 => format!("{role} is {ulps:.0} ulps off"),
            Some(ulps) => format!("{role} is {ulps:.1e} ulps off"),
        };
        let output = if self.output == "result" { "the result" } else { &self.output };
        let nearest = format!("{}, {}", of(baseline, self.baseline_ulps), of(variant, self.variant_ulps));
        match self.is_ill_conditioned() {
            true => format!(
                "without rounding {output} is {}: {nearest}, both as near as the inputs' own last bits let a result be",
                self.truth
            ),
            false => format!("without rounding {output} is {}: {nearest}", self.truth),
        }
    }

    /// Whether a result is as near as can be asked for.
    fn is_near(&self, ulps: Option<f64>) -> bool {
        self.allowed_ulps.is_some_and(|allowed| ulps.is_some_and(|ulps| ulps <= allowed))
    }

    /// Whether both results are, though they are far apart: small changes of the inputs bring about as much. Where the baseline has the very value it may
    /// know more than the inputs' last bits, as code does that computes with numbers in two parts.
    pub fn is_ill_conditioned(&self) -> bool {
        self.is_near(self.baseline_ulps) && self.is_near(self.variant_ulps) && self.baseline_ulps != Some(0.0)
    }
}

/// An input on which results are far apart; confirmed as the witness is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstDifference {
    /// How far, in ulps.
    pub ulps: f64,
    /// The input, in call order.
    pub inputs: Vec<Value>,
}

/// What of a variant's making a divergence takes: found by making it otherwise and running the witness, so that it is observed, not
/// inferred from what flags mean.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blame {
    /// Flags with which the variant's compiler makes code that diverges in this way, and without any one of which it does not, with those that a
    /// compiler ignores one of them without; flags that stand for several taken apart; and gcc's start-up code, in words. Empty where the compiler needs none beyond the baseline's.
    pub flags: Vec<String>,
    /// Which of them is the level of optimisation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The first optimisation pass of LLVM's with which it diverges, all later ones left out, and what it ran on: `instcombine on function (f)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass: Option<String>,
    /// Of a library the sources that are compiled so, all others as the baseline's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// The place of an operation at which the flags are needed; where that was not shown, of the operation or comparison that is first to differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<SourcePlace>,
    /// Whether the place is one at which the flags are needed: compiled without them at this place alone, or with the others of several, the variant no longer diverges so.
    #[serde(default, skip_serializing_if = "is_false")]
    pub place_is_tried: bool,
    /// Whether the flags are needed at further places, too: without them at this one alone something is left of the divergence.
    #[serde(default, skip_serializing_if = "is_false")]
    pub place_is_of_several: bool,
    /// Other sets of flags, at most two, with each of which it diverges alike without those that are named before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Vec<String>>,
    /// Flags of both builds' own on which results may depend, where the variant needs none beside a level.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<String>,
}

impl Blame {
    /// It in words: `-fno-honor-nans at -O3, in instcombine on function (f), at f.c:3:18`.
    pub fn words(&self) -> String {
        let mut words = self.flags_in_words();
        if !self.sources.is_empty() {
            words.push_str(&format!(" of {}", self.sources.join(", ")));
        }
        if let Some(pass) = &self.pass {
            words.push_str(&format!(", in {pass}"));
        }
        if let Some(place) = &self.place {
            let at = if self.place_is_tried { "at" } else { "differing first at" };
            let others = if self.place_is_of_several { " and elsewhere" } else { "" };
            words.push_str(&format!(", {at} {}{others}", place.words_or_unknown()));
        }
        words
    }

    /// Its flags and level in words: `-fno-honor-nans at -O3`.
    pub fn flags_in_words(&self) -> String {
        let flags: Vec<&str> =
            self.flags.iter().map(String::as_str).filter(|flag| Some(*flag) != self.level.as_deref()).collect();
        let own =
            if self.own.is_empty() { String::new() } else { format!(" with both builds' {}", self.own.join(" ")) };
        match (flags.as_slice(), &self.level) {
            ([], None) if own.is_empty() => "the compiler, whatever the flags".to_owned(),
            ([], None) => format!("the compiler{own}"),
            ([], Some(level)) => format!("{level}{own}"),
            (flags, None) => flags.join(", "),
            (flags, Some(level)) => format!("{} at {level}", flags.join(", ")),
        }
    }
}

/// The first operation or branch whose outcome differs between two builds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cause {
    /// What it is.
    pub kind: CauseKind,
    /// Where it is.
    #[serde(flatten)]
    pub place: SourcePlace,
    /// The operation, as sites name it; empty where it is not known. Of a licence the flag.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub operator: String,
}

impl Cause {
    /// What a flag allows, as a cause.
    pub fn licence(flag: &str) -> Cause {
        Cause { operator: flag.to_owned(), ..Cause::nowhere(CauseKind::Licence) }
    }

    /// A cause without a place.
    pub fn nowhere(kind: CauseKind) -> Cause {
        Cause { kind, place: SourcePlace::default(), operator: String::new() }
    }

    /// What divergences of this cause have in common: of several operations at one place, such as the product and the sum that
    /// are fused, sometimes one differs first and sometimes the other.
    #[must_use]
    pub fn in_common(&self) -> Cause {
        let operator = if self.place.line.is_some() { String::new() } else { self.operator.clone() };
        Cause { operator, ..self.clone() }
    }

    /// It in words: `fadd at f.c:3:18 gives another result`.
    pub fn words(&self) -> String {
        self.words_with(&format!(" at {}", self.place.words_or_unknown()))
    }

    /// It in words that do not say where: `fadd gives another result`.
    pub fn words_without_place(&self) -> String {
        self.words_with("")
    }

    fn words_with(&self, place: &str) -> String {
        match self.kind {
            CauseKind::Operation => format!("{}{place} gives another result", self.operator),
            CauseKind::Branch => format!("the comparison{place} is of other numbers, or is not made"),
            CauseKind::Exception => format!("{}{place} raises an exception in one build alone", self.operator),
            CauseKind::Flushing => "the variant flushes subnormal numbers to zero".to_owned(),
            CauseKind::Licence => format!("{} promises that no value is infinite or NaN, and one is", self.operator),
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
    /// One build flushes subnormal numbers to zero, and that alone makes such a difference.
    Flushing,
    /// A flag says that there are no NaNs and infinities, and there is one: what each operation then does is no cause of its own.
    Licence,
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

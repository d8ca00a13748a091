//! The outputs of the arbitrary-precision twin, and how far they can be trusted.

use labrys_elementary::rug;
use labrys_interp::precise::{Encoding, Marks, Precise, PreciseFloat};
use labrys_interp::{Datum, Int, ScalarOf};
use labrys_program::{Leaf, ScalarType};

/// How many leading bits two runs must share.
const SETTLED_BITS: i32 = 64;

/// The outputs of a run, leaf by leaf.
pub(super) struct TrueOutputs {
    scalars: Vec<ScalarOf<Precise>>,
    marks: Marks,
    /// For each leaf whether a run of lower precision gave the same.
    is_settled: Vec<bool>,
}

/// What is known of one true value.
pub(super) enum TrueValue<'a> {
    /// The value.
    Settled(&'a PreciseFloat),
    /// Nothing, and why: a clause.
    Doubtful(&'static str),
}

/// What is known of one true integer.
pub(super) enum TrueInteger {
    /// It is no integer, or the one that was observed.
    Same,
    /// It is another one. Both as C prints them.
    Other {
        /// What was observed.
        seen: String,
        /// What it is in arbitrary precision.
        truth: String,
    },
    /// Nothing, and why: a clause.
    Doubtful(&'static str),
}

impl TrueOutputs {
    /// The outputs of a run; nothing is settled yet.
    pub(super) fn new(scalars: Vec<ScalarOf<Precise>>, marks: Marks) -> TrueOutputs {
        let is_settled = vec![false; scalars.len()];
        TrueOutputs { scalars, marks, is_settled }
    }

    /// Settles what a run of lower precision gave too; whether that is everything.
    pub(super) fn compare(&mut self, lower: &TrueOutputs) -> bool {
        for ((settled, scalar), other) in self.is_settled.iter_mut().zip(&self.scalars).zip(&lower.scalars) {
            *settled = match (&scalar.datum, &other.datum) {
                (Datum::Float(a), Datum::Float(b)) => agree(a, b),
                (Datum::Int(a), Datum::Int(b)) => value_of(a) == value_of(b),
                _ => true,
            };
        }
        self.is_settled.iter().all(|settled| *settled)
    }

    /// What makes every output doubtful.
    pub(super) fn doubt(&self) -> Option<&'static str> {
        let is_tainted = self.scalars.iter().all(|scalar| scalar.tainted);
        if self.marks.rounded_encoding {
            Some("the code makes a number of bits of another one's encoding, which arbitrary precision does not have")
        } else if is_tainted && !self.scalars.is_empty() {
            Some("it depends on an undefined value")
        } else {
            None
        }
    }

    /// The true value of a float leaf.
    pub(super) fn float(&self, index: usize) -> TrueValue<'_> {
        let (Some(scalar), Some(settled)) = (self.scalars.get(index), self.is_settled.get(index)) else {
            return TrueValue::Doubtful("the twin has no such output");
        };
        let Datum::Float(float) = &scalar.datum else {
            return TrueValue::Doubtful("it is no number there");
        };
        if let Some(doubt) = self.doubt() {
            TrueValue::Doubtful(doubt)
        } else if scalar.tainted {
            TrueValue::Doubtful("it depends on an undefined value")
        } else if self.marks.beyond_exponents && float.value().is_nan() {
            TrueValue::Doubtful("a value left even the exponents of arbitrary precision")
        } else if !settled {
            TrueValue::Doubtful("it still changes with the precision")
        } else {
            TrueValue::Settled(float)
        }
    }

    /// What is known of an integer leaf beside the one observed. Where every output is doubtful, that is said of all at once.
    pub(super) fn integer(&self, index: usize, leaves: &[Leaf], observed: &[u8]) -> TrueInteger {
        let leaf = &leaves[index];
        if let Some(truth) = self.known_integer(index) {
            let seen = leaf.read(observed);
            return match truth == seen {
                true => TrueInteger::Same,
                false => TrueInteger::Other { seen: shown(leaf, seen), truth: shown(leaf, truth) },
            };
        }
        if matches!(leaf.scalar, ScalarType::Float(_)) || self.doubt().is_some() {
            return TrueInteger::Same;
        }
        TrueInteger::Doubtful(match self.scalars.get(index) {
            None => "the twin has no such output",
            Some(scalar) if scalar.tainted => "it depends on an undefined value",
            Some(_) if !self.is_settled[index] => "it still changes with the precision",
            Some(_) => "it is the encoding of a number, which arbitrary precision does not have",
        })
    }

    /// The true value of an integer leaf, where it is known.
    fn known_integer(&self, index: usize) -> Option<u128> {
        let scalar = self.scalars.get(index).filter(|scalar| !scalar.tainted && self.is_settled[index])?;
        match &scalar.datum {
            Datum::Int(int) => value_of(int),
            _ => None,
        }
    }

    /// An integer leaf in the same struct that was observed to be another: both may only mean something together, as the
    /// significand and the exponent of a scaled result do.
    pub(super) fn differing_sibling<'a>(&self, index: usize, leaves: &'a [Leaf], observed: &[u8]) -> Option<&'a str> {
        let (parent, _) = leaves[index].path.rsplit_once('.')?;
        let is_sibling = |leaf: &Leaf| leaf.path.rsplit_once('.').is_some_and(|(other, _)| other == parent);
        let sibling = (0..leaves.len()).find(|&at| is_sibling(&leaves[at]) && self.differs(at, leaves, observed));
        sibling.map(|at| leaves[at].path.as_str())
    }

    /// What the function returns in arbitrary precision, where that is no longer the integer observed and not 0: by custom a
    /// status, which says that what it wrote through pointers is no result.
    pub(super) fn failure(&self, leaf: &Leaf, leaves: &[Leaf], observed: &[u8]) -> Option<String> {
        let is_status = |other: &Leaf| other.parameter.is_none() && other.path == "result";
        let at = leaves
            .iter()
            .position(is_status)
            .filter(|at| leaf.parameter.is_some() && self.differs(*at, leaves, observed))?;
        self.known_integer(at).filter(|status| *status != 0).map(|status| shown(&leaves[at], status))
    }

    fn differs(&self, index: usize, leaves: &[Leaf], observed: &[u8]) -> bool {
        let leaf = &leaves[index];
        self.known_integer(index).is_some_and(|truth| truth != leaf.read(observed))
    }
}

/// An integer's value, whether or not it was made of an encoding.
pub(super) fn value_of(int: &Int<Encoding>) -> Option<u128> {
    int.concrete().or_else(|| int.symbol().and_then(Encoding::word))
}

/// An integer as C prints it.
pub fn shown(leaf: &Leaf, bits: u128) -> String {
    match leaf.scalar {
        ScalarType::Int { bits: width, signed: true } => {
            let shift = 128 - width;
            (((bits << shift) as i128) >> shift).to_string()
        }
        _ => bits.to_string(),
    }
}

/// Whether two runs agree on a number: in its leading bits, or on its being far below the format's smallest number.
fn agree(a: &PreciseFloat, b: &PreciseFloat) -> bool {
    let (x, y) = (a.value(), b.value());
    if x.is_nan() || y.is_nan() {
        return x.is_nan() && y.is_nan();
    }
    if x == y {
        return true;
    }
    if x.is_infinite() || y.is_infinite() {
        return false;
    }
    let exponent = |value: &rug::Float| value.get_exp().map_or(i64::MIN / 2, i64::from);
    let negligible = a.format().min_lsb_exponent() - i64::from(SETTLED_BITS);
    if exponent(x).max(exponent(y)) < negligible {
        return true;
    }
    let difference = rug::Float::with_val(SETTLED_BITS as u32, x - y);
    exponent(&difference) <= exponent(x) - i64::from(SETTLED_BITS)
}

/// A true value in a sentence about results: in decimals, and of what is larger than every finite number of the results' format no more than that.
/// A double "should be 1e615" for nobody.
pub fn in_words(truth: &PreciseFloat) -> String {
    let (value, nearest) = (truth.value(), truth.nearest().value);
    match (value.is_finite() && nearest.is_infinite(), nearest.is_negative()) {
        (false, _) => decimal(value),
        (true, false) => "above the largest finite number".to_owned(),
        (true, true) => "below the least finite number".to_owned(),
    }
}

/// A true value with 20 digits.
pub fn decimal(value: &rug::Float) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value.is_sign_negative() { "-infinity" } else { "infinity" }.to_owned();
    }
    if value.is_zero() {
        return "0".to_owned();
    }
    let (negative, digits, exponent) = value.to_sign_string_exp(10, Some(20));
    let digits = digits.trim_end_matches('0');
    let (first, rest) = digits.split_at(digits.len().min(1));
    let sign = if negative { "-" } else { "" };
    let point = if rest.is_empty() { "" } else { "." };
    let exponent = exponent.unwrap_or_default() - 1;
    match exponent {
        0 => format!("{sign}{first}{point}{rest}"),
        _ => format!("{sign}{first}{point}{rest}e{exponent}"),
    }
}

//! One generated file: declarations, definitions and assertions, and whether its witness satisfies them all.

use std::fmt::Write;

use super::random::Random;
use super::term::{Bits, Float, Truth};
use super::width::Width;

/// How an intermediate value gets its name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// By `define-fun`, as a person writes.
    Defined,
    /// By a variable and an equality, as symbolic execution writes.
    Equated,
}

/// A file in the making.
pub struct Script {
    body: String,
    naming: Naming,
    names: usize,
    with_vectors: bool,
    satisfied: bool,
    claimed_unsat: bool,
    /// The stream that the file is made from.
    pub random: Random,
}

impl Script {
    pub fn new(naming: Naming, random: Random) -> Self {
        let body = String::new();
        Self { body, naming, names: 0, with_vectors: false, satisfied: true, claimed_unsat: false, random }
    }

    /// A fresh name.
    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        writeln!(self.body, "{text}").expect("writing to a string");
    }

    /// A variable, which has the value `witness` rounded to its format.
    pub fn variable(&mut self, width: Width, witness: f64) -> Float {
        let text = self.name("x");
        self.line(format_args!("(declare-const {text} {})", width.sort()));
        Float { text, value: Some(width.round(witness)), width }
    }

    /// A variable between two bounds; its witness is drawn from there.
    pub fn bounded(&mut self, width: Width, low: f64, high: f64) -> Float {
        let witness = self.random.between(low, high);
        self.bounded_at(width, low, high, witness)
    }

    /// A variable between two bounds, with its witness.
    pub fn bounded_at(&mut self, width: Width, low: f64, high: f64, witness: f64) -> Float {
        let variable = self.variable(width, witness);
        self.assert(&variable.within(low, high));
        variable
    }

    /// A bit-vector variable.
    pub fn vector(&mut self, size: u32, witness: u64) -> Bits {
        self.with_vectors = true;
        let text = self.name("v");
        self.line(format_args!("(declare-const {text} (_ BitVec {size}))"));
        Bits { text, value: Some(witness), size }
    }

    /// A variable for a rounding mode. No witness: what uses it has no known value.
    pub fn mode(&mut self) -> String {
        let text = self.name("m");
        self.line(format_args!("(declare-const {text} RoundingMode)"));
        text
    }

    /// Names an intermediate value.
    pub fn float(&mut self, float: &Float) -> Float {
        let text = self.name("t");
        self.named(&text, &float.width.sort(), &float.text);
        Float { text, value: float.value, width: float.width }
    }

    /// Names an intermediate bit vector.
    pub fn bits(&mut self, bits: &Bits) -> Bits {
        self.with_vectors = true;
        let text = self.name("b");
        self.named(&text, &format!("(_ BitVec {})", bits.size), &bits.text);
        Bits { text, value: bits.value, size: bits.size }
    }

    /// The encoding of a float that is no NaN, as a variable whose reading is the float.
    pub fn encoding(&mut self, float: &Float) -> Bits {
        let (exponent, significand) = float.width.bits();
        let bits = self.vector(exponent + significand, 0);
        let bits = Bits { value: float.value.map(|value| float.width.encode(value)), ..bits };
        let reading = Float::from_encoding(float.width, &bits);
        self.assert(&reading.same(float));
        bits
    }

    fn named(&mut self, name: &str, sort: &str, text: &str) {
        match self.naming {
            Naming::Defined => self.line(format_args!("(define-fun {name} () {sort} {text})")),
            Naming::Equated => {
                self.line(format_args!("(declare-const {name} {sort})"));
                self.line(format_args!("(assert (= {name} {text}))"));
            }
        }
    }

    pub fn assert(&mut self, truth: &Truth) {
        self.satisfied &= truth.value == Some(true);
        self.line(format_args!("(assert {})", truth.text));
    }

    /// Records that the file is unsatisfiable by a theorem, which the family names.
    pub fn claim_unsat(&mut self) {
        self.claimed_unsat = true;
    }

    /// The text. The status is stated where the construction gives it: a witness, or a theorem.
    pub fn finish(self) -> String {
        assert!(!(self.satisfied && self.claimed_unsat), "a witness contradicts a theorem:\n{}", self.body);
        let logic = if self.with_vectors { "QF_BVFP" } else { "QF_FP" };
        let status = match (self.satisfied, self.claimed_unsat) {
            (true, _) => "(set-info :status sat)\n",
            (_, true) => "(set-info :status unsat)\n",
            _ => "",
        };
        format!("(set-logic {logic})\n{status}{}(check-sat)\n(exit)\n", self.body)
    }
}

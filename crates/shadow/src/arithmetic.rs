//! Floating-point instructions on numbers and their shadows.
//!
//! **Claim.** The own values are the program's. While no mark is set, the shadow of a sum, difference, product, quotient or
//! root is within 15·2^−106 + O(2^−159) of the exact result on the operands' shadows, relative to it; negation, absolute value,
//! copysign, minimum, maximum and conversions are exact.
//!
//! **Argument.** Own values are computed by C's operation on the same format, compiled without contraction. Sums are those
//! of two exact sums (Dekker, "A floating-point technique for extending the available precision", Numerische Mathematik 18,
//! 1971; Knuth, The Art of Computer Programming 2, section 4.2.2), put together as algorithm 6 of Joldes, Muller and Popescu, "Tight and
//! rigorous error bounds for basic building blocks of double-word arithmetic", ACM TOMS 44, 2017 (3·2^−106); that bound holds
//! with cancellation, which algorithms with fewer operations lose. Products are their algorithm 12 (5·2^−106), quotients their
//! algorithm 17 (15·2^−106), roots one step of Newton's iteration from the rounded root. Exact products need a fused
//! instruction, or Dekker's splitting where there is none, and are exact unless they are subnormal or overflow; without the
//! instruction the small terms have a few roundings more, each of 2^−53 of 2^−52. A fused product and sum is a
//! product and a sum here: where they cancel, its error is relative to the product.
//!
//! **What is marked.** Results that are not finite, of the own or the shadow, make the own value its own shadow
//! ([`crate::ShadowMarks::not_finite`]); nonzero products, quotients and roots below 2^−959 may have lost bits of the
//! lower half ([`crate::ShadowMarks::subnormal`]).
//!
//! **Control** is the own values': a comparison that comes out otherwise for the shadows is noted, not followed.

use labrys_float::RoundingMode;
use labrys_program::{FloatBinary, FloatOperation, FloatPredicate, Operand};

use crate::error::{Reason, Scalars};
use crate::function::Writer;
use crate::kind::Own;

/// The predicate as the runtime has it: 4 less, 2 greater, 1 equal, 8 unordered.
fn accepted(predicate: FloatPredicate) -> u32 {
    let bit = |is_set: bool, value: u32| if is_set { value } else { 0 };
    bit(predicate.less, 4) | bit(predicate.greater, 2) | bit(predicate.equal, 1) | bit(predicate.unordered, 8)
}

/// The runtime's number for a rounding; `None` is the current mode, which is to nearest.
pub(crate) fn mode(mode: Option<RoundingMode>) -> u32 {
    match mode {
        Some(RoundingMode::TowardNegative) => 0,
        Some(RoundingMode::TowardPositive) => 1,
        Some(RoundingMode::TowardZero) => 2,
        Some(RoundingMode::NearestEven) | None => 3,
        Some(RoundingMode::NearestAway) => 4,
    }
}

impl Writer<'_, '_> {
    /// `fadd`, `fsub`, `fmul`, `fdiv`, `frem`.
    pub(crate) fn float_binary(&mut self, op: FloatBinary, a: &Operand, b: &Operand) -> Scalars {
        let own = self.own(a)?;
        let (a, b) = (self.operand(a)?, self.operand(b)?);
        a.iter().zip(&b).map(|(a, b)| self.operate(own, op.into(), &[a, b])).collect()
    }

    /// `fneg`.
    pub(crate) fn float_negate(&mut self, a: &Operand) -> Scalars {
        let own = self.own(a)?;
        let a = self.operand(a)?;
        a.iter().map(|a| self.operate(own, FloatOperation::Neg, &[a])).collect()
    }

    /// `fcmp`.
    pub(crate) fn float_compare(&mut self, predicate: FloatPredicate, a: &Operand, b: &Operand) -> Scalars {
        let own = self.own(a)?;
        let (a, b) = (self.operand(a)?, self.operand(b)?);
        let site = self.site("fcmp");
        let compare = own.function("compare");
        let accepted = accepted(predicate);
        Ok(a.iter().zip(&b).map(|(a, b)| format!("(u1){compare}({a}, {b}, {accepted}, {site})")).collect())
    }

    /// One operation on scalars.
    pub(crate) fn operate(
        &mut self,
        own: Own,
        operation: FloatOperation,
        operands: &[&String],
    ) -> Result<String, Reason> {
        use FloatOperation::*;
        let site = self.site(operation.operator());
        let suffix = own.suffix();
        let call = |name: &str, arguments: &str| format!("{}({arguments})", own.function(name));
        let (a, b) = match operands {
            [a] => (a.as_str(), ""),
            [a, b, ..] => (a.as_str(), b.as_str()),
            [] => return Err("an operation without operands".into()),
        };
        Ok(match operation {
            Add => call("add", &format!("{a}, {b}, {site}")),
            Sub => call("subtract", &format!("{a}, {b}, {site}")),
            Mul => call("multiply", &format!("{a}, {b}")),
            Div => call("divide", &format!("{a}, {b}")),
            Neg => call("negate", a),
            Abs => call("abs", a),
            CopySign => call("copysign", &format!("{a}, {b}")),
            Canonicalize => a.to_owned(),
            Sqrt => call("sqrt", &format!("{a}, __builtin_sqrt{suffix}({a}.v)")),
            Fma => {
                let [a, b, c] = operands else { return Err("fma without its operands".into()) };
                call("fma", &format!("{a}, {b}, {c}, __builtin_fma{suffix}({a}.v, {b}.v, {c}.v), {site}"))
            }
            Rem | IeeeRemainder => {
                let name = if operation == Rem { "fmod" } else { "remainder" };
                let (value, quad) = self.remainder(own, name);
                let word =
                    format!("word_of_quad({quad}(quad_of({s}({a})), quad_of({s}({b}))))", s = own.function("shadow"));
                call("remainder", &format!("{a}, {b}, {value}({a}.v, {b}.v), {word}, {site}"))
            }
            RoundToIntegral { mode: rounding, .. } => {
                let name = match mode(rounding) {
                    0 => "floor",
                    1 => "ceil",
                    2 => "trunc",
                    3 => "roundeven",
                    _ => "round",
                };
                call("round", &format!("{a}, __builtin_{name}{suffix}({a}.v), {}, {site}", mode(rounding)))
            }
            Convert(_) => return Err("a conversion without its format".into()),
            MinNum | MinimumNumber => self.extreme(own, &format!("__builtin_fmin{suffix}({a}.v, {b}.v)"), a, b, false),
            MaxNum | MaximumNumber => self.extreme(own, &format!("__builtin_fmax{suffix}({a}.v, {b}.v)"), a, b, true),
            Minimum => self.extreme(own, &propagating(suffix, "fmin", a, b), a, b, false),
            Maximum => self.extreme(own, &propagating(suffix, "fmax", a, b), a, b, true),
            X86Min => self.extreme(own, &format!("({a}.v < {b}.v ? {a}.v : {b}.v)"), a, b, false),
            X86Max => self.extreme(own, &format!("({a}.v > {b}.v ? {a}.v : {b}.v)"), a, b, true),
        })
    }

    fn extreme(&self, own: Own, value: &str, a: &str, b: &str, is_greatest: bool) -> String {
        format!("{}({value}, {a}, {b}, {})", own.function("extreme"), u8::from(is_greatest))
    }

    /// The functions for a remainder: of the format, and of binary128.
    fn remainder(&mut self, own: Own, name: &str) -> (String, String) {
        let of = own.c_type();
        let value = self.module.external(&format!("{name}{}", own.suffix()), of, &format!("{of}, {of}"));
        (value, self.module.external(&format!("{name}f128"), "Q", "Q, Q"))
    }

    /// `fmuladd`: fused where the target has the instruction, else a product and a sum.
    pub(crate) fn multiply_add(&mut self, own: Own, operands: &[&String]) -> Result<String, Reason> {
        if self.function.features.fma {
            return self.operate(own, FloatOperation::Fma, operands);
        }
        let [a, b, c] = operands else { return Err("fmuladd without its operands".into()) };
        let product = self.operate(own, FloatOperation::Mul, &[a, b])?;
        let product = self.temporary(own.number(), &product);
        self.operate(own, FloatOperation::Add, &[&product, c])
    }

    /// A number of another format with the same shadow.
    pub(crate) fn convert(&self, from: Own, to: Own, a: &str) -> String {
        if from == to {
            return a.to_owned();
        }
        let (settle, shadow) = (to.function("settle"), from.function("shadow"));
        format!("{settle}(({}){a}.v, {shadow}({a}), 0)", to.c_type())
    }
}

/// A minimum or maximum that is NaN where an operand is.
fn propagating(suffix: &str, name: &str, a: &str, b: &str) -> String {
    format!("({a}.v == {a}.v && {b}.v == {b}.v ? __builtin_{name}{suffix}({a}.v, {b}.v) : {a}.v + {b}.v)")
}

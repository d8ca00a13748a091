//! What calls ask of floats, whether an intrinsic or a function of a library is called.

use labrys_elementary::Function;
use labrys_float::RoundingMode;

use super::FloatOperation;

/// The float operations behind a call, elementwise where operands are vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatCall {
    /// One operation.
    Operation(FloatOperation),
    /// A function that is not one correctly rounded operation.
    Elementary(Function),
    /// Sine and cosine.
    SineCosine,
    /// `fmuladd`: fused where the target has the instruction, else a product and a sum.
    MultiplyAdd,
    /// `powi`: products, and a quotient where the exponent is negative.
    IntegerPower,
    /// x · 2^n, rounded once.
    Scale,
    /// frexp: fraction and exponent. C's has the exponent through a pointer, LLVM's returns both.
    FractionExponent,
    /// modf: fraction and integral part. C's has the integral part through a pointer, LLVM's returns both.
    FractionIntegral,
    /// C's fdim: x − y where x > y, else +0.
    PositiveDifference,
    /// To the format of the result.
    Convert,
    /// To an integer of the result's type.
    ToInteger {
        /// Whether it is signed.
        signed: bool,
        /// Rounding; `None` for the current mode.
        mode: Option<RoundingMode>,
        /// Whether numbers out of range saturate and NaN gives 0; otherwise they are poison.
        saturating: bool,
    },
    /// From an integer of the operand's type.
    FromInteger {
        /// Whether it is signed.
        signed: bool,
    },
    /// A reduction by an operation, lane after lane.
    Reduction(FloatOperation),
}

impl FloatCall {
    /// How many operands it needs; C's frexp and modf have a pointer behind them.
    pub fn arity(self) -> usize {
        match self {
            FloatCall::Operation(operation) => operation.arity(),
            FloatCall::Elementary(function) => function.arity(),
            FloatCall::MultiplyAdd => 3,
            FloatCall::IntegerPower | FloatCall::Scale | FloatCall::PositiveDifference => 2,
            // Sums and products have a start, behind which the vector stands.
            FloatCall::Reduction(FloatOperation::Add | FloatOperation::Mul) => 2,
            FloatCall::SineCosine
            | FloatCall::FractionExponent
            | FloatCall::FractionIntegral
            | FloatCall::Convert
            | FloatCall::ToInteger { .. }
            | FloatCall::FromInteger { .. }
            | FloatCall::Reduction(_) => 1,
        }
    }

    /// Of a conversion to an integer of `bits`, how many bits what converts gives, of which the result are the lowest: `llvm.lround` is a call of libm's
    /// `lround`, which gives 64, whatever is left of them.
    pub fn converted_bits(self, bits: u32) -> u32 {
        match self {
            FloatCall::ToInteger { mode: Some(RoundingMode::NearestAway), saturating: false, .. } => bits.max(64),
            _ => bits,
        }
    }

    /// The name that reports have for it.
    pub fn operator(self) -> &'static str {
        match self {
            FloatCall::Operation(operation) | FloatCall::Reduction(operation) => operation.operator(),
            FloatCall::Elementary(function) => function.name(),
            FloatCall::SineCosine => "sincos",
            FloatCall::MultiplyAdd => FloatOperation::Fma.operator(),
            FloatCall::IntegerPower => "powi",
            FloatCall::Scale => "ldexp",
            FloatCall::FractionExponent => "frexp",
            FloatCall::FractionIntegral => "modf",
            FloatCall::PositiveDifference => FloatOperation::Sub.operator(),
            FloatCall::Convert | FloatCall::ToInteger { .. } | FloatCall::FromInteger { .. } => "fconvert",
        }
    }
}

//! The operators of terms: SMT-LIB 2.6's Core, FixedSizeBitVectors, FloatingPoint, Reals and ArraysEx.

use std::hash::{Hash, Hasher};

use labrys_float::{Float, Format, RoundingMode};
use num_bigint::BigUint;
use num_rational::BigRational;

use crate::Sort;
use crate::VariableId;

/// An operator with its indices; constants and variables are operators without arguments.
///
/// Argument order is SMT-LIB's: operators that round take the rounding mode first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    // Leaves.
    /// A free variable.
    Variable(VariableId),
    /// `true` or `false`.
    BoolConst(bool),
    /// A bit-vector literal; the width is the node's sort.
    BitVecConst(BigUint),
    /// A floating-point literal.
    FloatConst(Float),
    /// A rounding-mode literal.
    RoundingModeConst(RoundingMode),
    /// A real literal.
    RealConst(BigRational),

    // Core.
    /// Negation.
    Not,
    /// Conjunction, n-ary.
    And,
    /// Disjunction, n-ary.
    Or,
    /// Exclusive or.
    Xor,
    /// Implication.
    Implies,
    /// Equality of two terms of any one sort (for floats: SMT-LIB's `=`, one NaN, −0 ≠ +0).
    Eq,
    /// Pairwise distinct.
    Distinct,
    /// If-then-else of any one sort.
    Ite,

    // Bit vectors.
    /// Bitwise not.
    BvNot,
    /// Two's-complement negation.
    BvNeg,
    /// Bitwise and.
    BvAnd,
    /// Bitwise or.
    BvOr,
    /// Bitwise exclusive or.
    BvXor,
    /// Addition.
    BvAdd,
    /// Subtraction.
    BvSub,
    /// Multiplication.
    BvMul,
    /// Unsigned division; all ones where the divisor is zero.
    BvUdiv,
    /// Unsigned remainder; the dividend where the divisor is zero.
    BvUrem,
    /// Signed division, truncating.
    BvSdiv,
    /// Signed remainder, of the dividend's sign.
    BvSrem,
    /// Signed remainder, of the divisor's sign.
    BvSmod,
    /// Shift left.
    BvShl,
    /// Logical shift right.
    BvLshr,
    /// Arithmetic shift right.
    BvAshr,
    /// Unsigned less than.
    BvUlt,
    /// Unsigned at most.
    BvUle,
    /// Signed less than.
    BvSlt,
    /// Signed at most.
    BvSle,
    /// Concatenation, first argument highest.
    Concat,
    /// Bits `high` down to `low`.
    Extract {
        /// Highest bit kept.
        high: u32,
        /// Lowest bit kept.
        low: u32,
    },
    /// Widening by zeros, by so many bits.
    ZeroExtend(u32),
    /// Widening by the sign, by so many bits.
    SignExtend(u32),

    // Floating point.
    /// `fp.abs`.
    FpAbs,
    /// `fp.neg`.
    FpNeg,
    /// `fp.add`: mode, two floats.
    FpAdd,
    /// `fp.sub`.
    FpSub,
    /// `fp.mul`.
    FpMul,
    /// `fp.div`.
    FpDiv,
    /// `fp.fma`: mode, three floats.
    FpFma,
    /// `fp.sqrt`: mode, float.
    FpSqrt,
    /// `fp.rem`: IEEE remainder.
    FpRem,
    /// C's fmod: the quotient truncated. Not in SMT-LIB; printed by its definition.
    FpFmod,
    /// `fp.roundToIntegral`: mode, float.
    FpRoundToIntegral,
    /// `fp.min`.
    FpMin,
    /// `fp.max`.
    FpMax,
    /// `fp.eq`: IEEE equality.
    FpEq,
    /// `fp.lt`.
    FpLt,
    /// `fp.leq`.
    FpLe,
    /// `fp.isNormal`.
    FpIsNormal,
    /// `fp.isSubnormal`.
    FpIsSubnormal,
    /// `fp.isZero`.
    FpIsZero,
    /// `fp.isInfinite`.
    FpIsInfinite,
    /// `fp.isNaN`.
    FpIsNan,
    /// `fp.isNegative`.
    FpIsNegative,
    /// `fp.isPositive`.
    FpIsPositive,
    /// `(_ to_fp e s)` of a bit vector: reinterpretation.
    FpFromBits(Format),
    /// `(_ to_fp e s)`: mode, float.
    FpFromFloat(Format),
    /// `(_ to_fp e s)`: mode, signed bit vector.
    FpFromSigned(Format),
    /// `(_ to_fp_unsigned e s)`: mode, bit vector.
    FpFromUnsigned(Format),
    /// `(_ to_fp e s)`: mode, real.
    FpFromReal(Format),
    /// `(_ fp.to_ubv w)`: mode, float.
    FpToUnsigned(u32),
    /// `(_ fp.to_sbv w)`: mode, float.
    FpToSigned(u32),
    /// `fp.to_real`.
    FpToReal,
    /// The encoding as a bit vector (`fp.to_ieee_bv` of common solvers); every NaN gives the canonical one.
    FpToBits,

    // Reals.
    /// Sum, n-ary.
    RealAdd,
    /// Difference.
    RealSub,
    /// Product, n-ary.
    RealMul,
    /// Quotient; the value at a zero divisor is left open.
    RealDiv,
    /// Negation.
    RealNeg,
    /// Absolute value (printed as if-then-else).
    RealAbs,
    /// Less than.
    RealLt,
    /// At most.
    RealLe,

    // Arrays.
    /// Read: array, index.
    Select,
    /// Write: array, index, element.
    StoreAt,
    /// The array over this index sort that has its argument everywhere: `((as const (Array I E)) e)`.
    ConstArray(Sort),
}

/// By hand for the sake of one variant: `Ratio` hashes its continued fraction, by recursion and in time quadratic in its
/// length. Rational numbers are kept in lowest terms, so that equal ones have equal parts.
impl Hash for Op {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Op::RealConst(value) => {
                value.numer().hash(state);
                value.denom().hash(state);
            }
            Op::Variable(variable) => variable.hash(state),
            Op::BoolConst(value) => value.hash(state),
            Op::BitVecConst(bits) => bits.hash(state),
            Op::FloatConst(value) => value.hash(state),
            Op::RoundingModeConst(mode) => mode.hash(state),
            Op::Extract { high, low } => (high, low).hash(state),
            Op::ZeroExtend(width) | Op::SignExtend(width) | Op::FpToUnsigned(width) | Op::FpToSigned(width) => {
                width.hash(state);
            }
            Op::FpFromBits(format)
            | Op::FpFromFloat(format)
            | Op::FpFromSigned(format)
            | Op::FpFromUnsigned(format)
            | Op::FpFromReal(format) => format.hash(state),
            Op::ConstArray(index) => index.hash(state),
            _ => {}
        }
    }
}

//! Operations on floats, and the classes that floats are sorted into.

use labrys_float::{Format, RoundingMode};

use crate::FloatBinary;

/// Operations from floats to one float.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatOperation {
    /// x + y.
    Add,
    /// x − y.
    Sub,
    /// x · y.
    Mul,
    /// x / y.
    Div,
    /// C's fmod.
    Rem,
    /// IEEE 754's remainder, C's `remainder`.
    IeeeRemainder,
    /// x · y + z, rounded once.
    Fma,
    /// √x.
    Sqrt,
    /// Sign flipped; quiet even on signaling NaNs.
    Neg,
    /// Sign cleared; quiet.
    Abs,
    /// The first with the second's sign; quiet.
    CopySign,
    /// To an integral value.
    RoundToIntegral {
        /// How to round; `None` for the current mode.
        mode: Option<RoundingMode>,
        /// Whether inexact is raised (C's rint) or not (nearbyint).
        inexact: bool,
    },
    /// To another format.
    Convert(Format),
    /// IEEE 754-2008's minNum, C's fmin.
    MinNum,
    /// IEEE 754-2008's maxNum, C's fmax.
    MaxNum,
    /// IEEE 754-2019's minimum: NaN if an operand is, −0 < +0.
    Minimum,
    /// IEEE 754-2019's maximum.
    Maximum,
    /// IEEE 754-2019's minimumNumber: the other operand if one is NaN.
    MinimumNumber,
    /// IEEE 754-2019's maximumNumber.
    MaximumNumber,
    /// x86's `minsd`: x < y ? x : y, signaling.
    X86Min,
    /// x86's `maxsd`: x > y ? x : y, signaling.
    X86Max,
    /// The same datum, a signaling NaN quieted.
    Canonicalize,
}

impl FloatOperation {
    /// How many operands it has.
    pub fn arity(self) -> usize {
        match self {
            FloatOperation::Fma => 3,
            FloatOperation::Sqrt
            | FloatOperation::Neg
            | FloatOperation::Abs
            | FloatOperation::RoundToIntegral { .. }
            | FloatOperation::Convert(_)
            | FloatOperation::Canonicalize => 1,
            _ => 2,
        }
    }

    /// Its name in traces.
    pub fn operator(self) -> &'static str {
        match self {
            FloatOperation::Add => "fadd",
            FloatOperation::Sub => "fsub",
            FloatOperation::Mul => "fmul",
            FloatOperation::Div => "fdiv",
            FloatOperation::Rem => "frem",
            FloatOperation::IeeeRemainder => "remainder",
            FloatOperation::Fma => "fma",
            FloatOperation::Sqrt => "fsqrt",
            FloatOperation::Neg => "fneg",
            FloatOperation::Abs => "fabs",
            FloatOperation::CopySign => "copysign",
            FloatOperation::RoundToIntegral { .. } => "fround",
            FloatOperation::Convert(_) => "fconvert",
            FloatOperation::MinNum | FloatOperation::MinimumNumber | FloatOperation::X86Min => "fmin",
            FloatOperation::MaxNum | FloatOperation::MaximumNumber | FloatOperation::X86Max => "fmax",
            FloatOperation::Minimum => "fminimum",
            FloatOperation::Maximum => "fmaximum",
            FloatOperation::Canonicalize => "canonicalize",
        }
    }
}

impl From<FloatBinary> for FloatOperation {
    fn from(op: FloatBinary) -> Self {
        match op {
            FloatBinary::Add => FloatOperation::Add,
            FloatBinary::Sub => FloatOperation::Sub,
            FloatBinary::Mul => FloatOperation::Mul,
            FloatBinary::Div => FloatOperation::Div,
            FloatBinary::Rem => FloatOperation::Rem,
        }
    }
}

bitflags::bitflags! {
    /// The classes of `llvm.is.fpclass`, with its bit values.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct ClassMask: u32 {
        /// Signaling NaN.
        const SIGNALING_NAN = 1;
        /// Quiet NaN.
        const QUIET_NAN = 1 << 1;
        /// −∞.
        const NEGATIVE_INFINITY = 1 << 2;
        /// Negative normal.
        const NEGATIVE_NORMAL = 1 << 3;
        /// Negative subnormal.
        const NEGATIVE_SUBNORMAL = 1 << 4;
        /// −0.
        const NEGATIVE_ZERO = 1 << 5;
        /// +0.
        const POSITIVE_ZERO = 1 << 6;
        /// Positive subnormal.
        const POSITIVE_SUBNORMAL = 1 << 7;
        /// Positive normal.
        const POSITIVE_NORMAL = 1 << 8;
        /// +∞.
        const POSITIVE_INFINITY = 1 << 9;
        /// Both NaNs.
        const NAN = 0x3;
        /// Both infinities.
        const INFINITY = 0x204;
        /// Both zeros.
        const ZERO = 0x60;
        /// Both subnormals.
        const SUBNORMAL = 0x90;
        /// Both normals.
        const NORMAL = 0x108;
        /// Everything with a negative sign but NaN.
        const NEGATIVE = 0x3c;
        /// Everything finite.
        const FINITE = 0x1f8;
    }
}

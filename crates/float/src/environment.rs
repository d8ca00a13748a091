//! What an operation's result depends on besides its operands.

use crate::Format;

/// The five rounding-direction attributes of IEEE 754.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RoundingMode {
    /// To nearest, ties to even (RNE).
    #[default]
    NearestEven,
    /// To nearest, ties away from zero (RNA).
    NearestAway,
    /// Toward +∞ (RTP).
    TowardPositive,
    /// Toward −∞ (RTN).
    TowardNegative,
    /// Toward zero (RTZ).
    TowardZero,
}

/// When a result counts as tiny (IEEE 754-2019, section 7.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tininess {
    /// After rounding with unbounded exponent: x86.
    #[default]
    AfterRounding,
    /// Before rounding: AArch64.
    BeforeRounding,
}

/// The control state that operations read: rounding, tininess and the flush modes. The default is IEEE 754's on x86.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Environment {
    /// Rounding direction.
    pub rounding: RoundingMode,
    /// When a result counts as tiny.
    pub tininess: Tininess,
    /// FTZ: a tiny result becomes a zero of its sign and raises underflow and inexact.
    pub flush_to_zero: bool,
    /// DAZ: subnormal operands are read as zeros of their sign.
    pub denormals_are_zero: bool,
}

impl RoundingMode {
    /// All five modes, in a fixed order.
    pub const ALL: [RoundingMode; 5] = [
        RoundingMode::NearestEven,
        RoundingMode::NearestAway,
        RoundingMode::TowardPositive,
        RoundingMode::TowardNegative,
        RoundingMode::TowardZero,
    ];

    /// Whether a magnitude is incremented, given the sign, whether the kept significand is odd, the first bit cut off
    /// and whether anything below that bit was cut off.
    pub(crate) fn increments(self, negative: bool, odd: bool, half: bool, rest: bool) -> bool {
        match self {
            RoundingMode::NearestEven => half && (rest || odd),
            RoundingMode::NearestAway => half,
            RoundingMode::TowardPositive => !negative && (half || rest),
            RoundingMode::TowardNegative => negative && (half || rest),
            RoundingMode::TowardZero => false,
        }
    }
}

impl Environment {
    /// The default environment with another rounding direction.
    pub fn with_rounding(rounding: RoundingMode) -> Environment {
        Environment { rounding, ..Environment::default() }
    }

    /// The environment that operations of `format` see: the x87 unit has neither FTZ nor DAZ.
    pub(crate) fn of(&self, format: Format) -> Environment {
        if format.has_explicit_leading_bit() {
            Environment { flush_to_zero: false, denormals_are_zero: false, ..*self }
        } else {
            *self
        }
    }
}

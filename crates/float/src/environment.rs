//! What an operation's result depends on besides its operands.

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

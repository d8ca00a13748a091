//! What kind of number an encoding denotes.

use crate::Float;
use crate::unpacked::Unpacked;

/// IEEE 754's classes, signs apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Not a number.
    Nan,
    /// ±∞.
    Infinite,
    /// ±0.
    Zero,
    /// Smaller than the smallest normal number.
    Subnormal,
    /// Everything else.
    Normal,
}

impl Float {
    /// Its class, by value: x87's pseudo-subnormals are normal, its invalid encodings are NaNs.
    pub fn class(&self) -> Class {
        match self.unpack() {
            Unpacked::Nan { .. } => Class::Nan,
            Unpacked::Infinite { .. } => Class::Infinite,
            Unpacked::Finite(finite) if finite.is_zero() => Class::Zero,
            Unpacked::Finite(finite) if finite.top() < self.format().min_exponent() => Class::Subnormal,
            Unpacked::Finite(_) => Class::Normal,
        }
    }

    /// Whether it is a NaN, quiet or signaling, or one of x87's invalid encodings.
    pub fn is_nan(&self) -> bool {
        self.class() == Class::Nan
    }

    /// Whether using it as an operand raises invalid.
    pub fn is_signaling_nan(&self) -> bool {
        matches!(self.unpack(), Unpacked::Nan { signaling: true })
    }

    /// Whether it is ±∞.
    pub fn is_infinite(&self) -> bool {
        self.class() == Class::Infinite
    }

    /// Whether it is ±0.
    pub fn is_zero(&self) -> bool {
        self.class() == Class::Zero
    }

    /// Whether it is zero, subnormal or normal.
    pub fn is_finite(&self) -> bool {
        !matches!(self.class(), Class::Nan | Class::Infinite)
    }

    /// The e of 1.f × 2^e, also for subnormals; `None` for zeros, infinities and NaNs.
    pub fn exponent(&self) -> Option<i64> {
        self.to_finite().filter(|finite| !finite.is_zero()).map(|finite| finite.top())
    }

    /// Equality of encodings, except that all NaNs are equal.
    pub fn same_value(&self, other: &Float) -> bool {
        self.format() == other.format() && (self.bits() == other.bits() || (self.is_nan() && other.is_nan()))
    }
}

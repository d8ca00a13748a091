//! Sets of floating-point numbers: for each sign an interval of magnitudes, the zeros, the infinities and NaN apart.
//!
//! Botella, Gotlieb, Michel, STVR 2006, section 4, keep one interval and the special values; one interval a sign costs
//! little more and makes products, quotients and square roots monotone on each part.

use labrys_float::{Float, Format};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

/// An interval of magnitudes: places in the order of the format's magnitudes, where zero is 0, the smallest subnormal 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    /// The least, at least 1.
    pub low: u128,
    /// The greatest, finite and not less than `low`.
    pub high: u128,
}

/// A set of numbers of one format of at most 128 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatDomain {
    /// The format.
    pub format: Format,
    /// Magnitudes of the negative numbers, zero and infinity apart.
    pub negative: Option<Range>,
    /// Magnitudes of the positive numbers, zero and infinity apart.
    pub positive: Option<Range>,
    /// Whether −0 is a member.
    pub minus_zero: bool,
    /// Whether +0 is a member.
    pub plus_zero: bool,
    /// Whether −∞ is a member.
    pub minus_infinity: bool,
    /// Whether +∞ is a member.
    pub plus_infinity: bool,
    /// Whether NaN, of which there is one, is a member.
    pub nan: bool,
}

impl FloatDomain {
    /// Whether formats of this width have domains.
    pub fn supports(format: Format) -> bool {
        format.width() <= 128
    }

    /// The empty set.
    pub fn empty(format: Format) -> FloatDomain {
        FloatDomain {
            format,
            negative: None,
            positive: None,
            minus_zero: false,
            plus_zero: false,
            minus_infinity: false,
            plus_infinity: false,
            nan: false,
        }
    }

    /// Every value of the format.
    pub fn top(format: Format) -> FloatDomain {
        let all = Some(Range { low: 1, high: magnitude(&Float::max_finite(format)) });
        FloatDomain {
            format,
            negative: all,
            positive: all,
            minus_zero: true,
            plus_zero: true,
            minus_infinity: true,
            plus_infinity: true,
            nan: true,
        }
    }

    /// One value.
    pub fn only(value: &Float) -> FloatDomain {
        let mut domain = FloatDomain::empty(value.format());
        let negative = value.is_negative();
        if value.is_nan() {
            domain.nan = true;
        } else if value.is_infinite() {
            *(if negative { &mut domain.minus_infinity } else { &mut domain.plus_infinity }) = true;
        } else if value.is_zero() {
            *(if negative { &mut domain.minus_zero } else { &mut domain.plus_zero }) = true;
        } else {
            let magnitude = magnitude(value);
            *(if negative { &mut domain.negative } else { &mut domain.positive }) =
                Some(Range { low: magnitude, high: magnitude });
        }
        domain
    }

    /// Whether nothing is a member.
    pub fn is_empty(&self) -> bool {
        *self == FloatDomain::empty(self.format)
    }
}

/// The place of |value| among the format's magnitudes; `value` is not NaN.
fn magnitude(value: &Float) -> u128 {
    value.ordinal().and_then(|ordinal| ordinal.magnitude().to_u128()).unwrap_or_else(|| {
        debug_assert!(false, "domains hold numbers of at most 128 bits");
        BigUint::default().to_u128().unwrap_or(0)
    })
}

//! Unrounded results, and the one function that rounds.
//!
//! **Claim.** [`round`] returns IEEE 754-2019's correctly rounded result and flags (sections 4.3 and 7), given an
//! [`Exact`] that satisfies its invariant.
//!
//! **Argument.** Write the magnitude as (s + δ)·2^e with s an integer, 0 ≤ δ < 1, and δ = 0 unless `sticky`. Rounding at
//! the bit of weight 2^l needs three facts only: the integer part of magnitude/2^l, whether the next bit is set, and whether
//! anything lies below. With l > e these come from s and from δ ≠ 0; with l ≤ e they are exact because the invariant
//! then forbids `sticky`. Precision p puts l at top − p + 1; the smallest subnormal's weight bounds l from below. Magnitudes of
//! a format, ordered, are numbered 0, 1, 2, … by (l − l_min)·2^(p−1) + q, q the rounded integer, also when rounding carried
//! q to 2^p; a number not below infinity's overflows. Tininess after rounding compares the result of
//! rounding with unbounded exponent, that is at top − p + 1, with the smallest normal number.

use num_bigint::BigUint;
use num_traits::Zero;

use crate::unpacked::Finite;
use crate::{Environment, Flags, Float, Format, Rounded, RoundingMode};

/// An exact magnitude with a sign: (significand + δ)·2^exponent with 0 ≤ δ < 1.
#[derive(Clone, Debug)]
pub(crate) struct Exact {
    /// Its sign.
    pub negative: bool,
    /// The integer part; not zero.
    pub significand: BigUint,
    /// The weight of its last bit.
    pub exponent: i64,
    /// Whether δ ≠ 0. Then the significand is longer than the precision it will be rounded to.
    pub sticky: bool,
}

impl From<Finite> for Exact {
    fn from(finite: Finite) -> Exact {
        let Finite { negative, significand, exponent } = finite;
        Exact { negative, significand, exponent, sticky: false }
    }
}

impl Exact {
    /// The magnitude in units of 2^`lsb`, rounded to an integer, and whether that changed it.
    pub fn round_at(&self, lsb: i64, mode: RoundingMode) -> (BigUint, bool) {
        let shift = lsb - self.exponent;
        if shift <= 0 {
            debug_assert!(!self.sticky, "sticky needs a longer significand");
            return (&self.significand << -shift, self.sticky);
        }
        let shift = shift as u64;
        let (kept, half, rest) = if shift > self.significand.bits() {
            (BigUint::ZERO, false, true)
        } else {
            let half = self.significand.bit(shift - 1);
            let below = self.significand.trailing_zeros().is_some_and(|zeros| zeros < shift - 1);
            (&self.significand >> shift, half, below || self.sticky)
        };
        let up = mode.increments(self.negative, kept.bit(0), half, rest);
        (kept + u8::from(up), half || rest)
    }
}

/// Rounds to `format`. An exact zero never comes here: its sign is the operation's business.
pub(crate) fn round(format: Format, environment: &Environment, exact: &Exact) -> Rounded {
    debug_assert!(!exact.significand.is_zero());
    let precision = i64::from(format.precision());
    let mode = environment.rounding;
    let top = exact.exponent + exact.significand.bits() as i64 - 1;
    let unbounded_lsb = top - precision + 1;
    let min_lsb = format.min_lsb_exponent();
    let (unbounded, unbounded_inexact) = exact.round_at(unbounded_lsb, mode);

    let tiny = match environment.tininess {
        crate::Tininess::BeforeRounding => top < format.min_exponent(),
        crate::Tininess::AfterRounding => unbounded_lsb + (unbounded.bits() as i64) - 1 < format.min_exponent(),
    };
    if tiny && environment.flush_to_zero {
        let value = Float::zero(format, exact.negative);
        return Rounded { value, flags: Flags::UNDERFLOW | Flags::INEXACT };
    }
    let (kept, lsb, inexact) = if unbounded_lsb < min_lsb {
        let (kept, inexact) = exact.round_at(min_lsb, mode);
        (kept, min_lsb, inexact)
    } else {
        (unbounded, unbounded_lsb, unbounded_inexact)
    };

    let number = (BigUint::from((lsb - min_lsb) as u64) << (format.precision() - 1)) + kept;
    if number >= format.infinity_magnitude() {
        return overflow(format, mode, exact.negative);
    }
    let mut flags = Flags::empty();
    flags.set(Flags::INEXACT, inexact);
    flags.set(Flags::UNDERFLOW, tiny && inexact);
    Rounded { value: Float::from_magnitude(format, exact.negative, &number), flags }
}

/// The result when a rounded magnitude exceeds the largest finite one (IEEE 754-2019, section 7.4).
fn overflow(format: Format, mode: RoundingMode, negative: bool) -> Rounded {
    // The direction treats the excess over the largest number as it treats any other excess of more than a half.
    let value = if mode.increments(negative, true, true, true) {
        Float::infinity(format, negative)
    } else {
        Float::from_magnitude(format, negative, &(format.infinity_magnitude() - 1u8))
    };
    Rounded { value, flags: Flags::OVERFLOW | Flags::INEXACT }
}

/// Rounds a value that may be zero: a zero keeps the value's sign.
pub(crate) fn round_finite(format: Format, environment: &Environment, finite: Finite) -> Rounded {
    if finite.is_zero() {
        return Rounded::exact(Float::zero(format, finite.negative));
    }
    round(format, environment, &finite.into())
}

/// The quotient of two positive integers as an [`Exact`] of weight 2^0 fit for rounding to `precision` bits.
pub(crate) fn quotient(negative: bool, numerator: &BigUint, denominator: &BigUint, precision: u32) -> Exact {
    // A quotient of an a-bit by a b-bit integer has at least a − b bits: two to spare over the precision.
    let lack = i64::from(precision) + 2 - (numerator.bits() as i64 - denominator.bits() as i64);
    let shift = lack.max(0);
    let shifted = numerator << shift;
    let significand = &shifted / denominator;
    let sticky = &significand * denominator != shifted;
    Exact { negative, significand, exponent: -shift, sticky }
}

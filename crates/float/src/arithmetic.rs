//! The arithmetic operations of IEEE 754-2019, section 5.4.1: exact results here, rounding in `exact`.
//!
//! Where x86 and the standard leave a choice, x86's is taken: fma(0, ∞, NaN) is a quiet NaN without invalid.

use num_bigint::BigUint;

use crate::exact::{Exact, quotient, round, round_finite};
use crate::operand::propagate_nan;
use crate::unpacked::{Finite, Unpacked};
use crate::{Environment, Flags, Float, Format, Rounded, RoundingMode};

/// An exact sum, fit for rounding to `precision` bits; `None` if it is zero. Neither operand is zero.
///
/// Where the smaller operand lies wholly below the last bit of the larger one, extended to two bits more than the
/// precision, only its being there matters: it becomes δ, or 1 − δ after a borrow of one unit.
fn sum(a: Finite, b: Finite, precision: u32) -> Option<Exact> {
    let (mut large, small) = if a.top() >= b.top() { (a, b) } else { (b, a) };
    let lack = u64::from(precision + 3).saturating_sub(large.significand.bits());
    large.significand <<= lack;
    large.exponent -= lack as i64;
    if small.top() < large.exponent {
        let borrow = u8::from(large.negative != small.negative);
        return Some(Exact {
            negative: large.negative,
            significand: large.significand - borrow,
            exponent: large.exponent,
            sticky: true,
        });
    }
    let exponent = large.exponent.min(small.exponent);
    let left = large.significand << (large.exponent - exponent);
    let right = small.significand << (small.exponent - exponent);
    let (negative, significand) = if large.negative == small.negative {
        (large.negative, left + right)
    } else if left > right {
        (large.negative, left - right)
    } else if left < right {
        (small.negative, right - left)
    } else {
        return None;
    };
    Some(Exact { negative, significand, exponent, sticky: false })
}

/// The rounded sum of two finite numbers, with the standard's signs of zero.
fn add_finite(format: Format, environment: &Environment, a: Finite, b: Finite) -> Rounded {
    match (a.is_zero(), b.is_zero()) {
        (true, true) if a.negative == b.negative => return Rounded::exact(Float::zero(format, a.negative)),
        (true, true) => {}
        (true, false) => return round(format, environment, &b.into()),
        (false, true) => return round(format, environment, &a.into()),
        (false, false) => {
            if let Some(exact) = sum(a, b, format.precision()) {
                return round(format, environment, &exact);
            }
        }
    }
    Rounded::exact(Float::zero(format, environment.rounding == RoundingMode::TowardNegative))
}

fn product(a: &Finite, b: &Finite) -> Finite {
    Finite {
        negative: a.negative != b.negative,
        significand: &a.significand * &b.significand,
        exponent: a.exponent + b.exponent,
    }
}

fn add_unpacked(format: Format, environment: &Environment, a: Unpacked, b: Unpacked) -> Rounded {
    if let Some(nan) = propagate_nan(format, &[&a, &b]) {
        return nan;
    }
    match (a, b) {
        (Unpacked::Finite(a), Unpacked::Finite(b)) => add_finite(format, environment, a, b),
        (Unpacked::Infinite { negative: a }, Unpacked::Infinite { negative: b }) if a != b => Rounded::invalid(format),
        (Unpacked::Infinite { negative }, _) | (_, Unpacked::Infinite { negative }) => {
            Rounded::exact(Float::infinity(format, negative))
        }
        _ => Rounded::exact(Float::nan(format)),
    }
}

/// The sign of a number that is not a NaN.
fn sign(operand: &Unpacked) -> bool {
    match operand {
        Unpacked::Nan { .. } => false,
        Unpacked::Infinite { negative } => *negative,
        Unpacked::Finite(finite) => finite.negative,
    }
}

fn is_zero(operand: &Unpacked) -> bool {
    matches!(operand, Unpacked::Finite(finite) if finite.is_zero())
}

impl Environment {
    /// a + b. Both operands of every operation have one format, the result's.
    pub fn add(&self, a: &Float, b: &Float) -> Rounded {
        let (format, environment) = (a.format(), self.of(a.format()));
        add_unpacked(format, &environment, environment.operand(a), environment.operand(b))
    }

    /// a − b.
    pub fn sub(&self, a: &Float, b: &Float) -> Rounded {
        self.add(a, &b.neg())
    }

    /// a · b.
    pub fn mul(&self, a: &Float, b: &Float) -> Rounded {
        let (format, environment) = (a.format(), self.of(a.format()));
        let (a, b) = (environment.operand(a), environment.operand(b));
        if let Some(nan) = propagate_nan(format, &[&a, &b]) {
            return nan;
        }
        match (&a, &b) {
            (Unpacked::Finite(a), Unpacked::Finite(b)) => round_finite(format, &environment, product(a, b)),
            _ if is_zero(&a) || is_zero(&b) => Rounded::invalid(format),
            _ => Rounded::exact(Float::infinity(format, sign(&a) != sign(&b))),
        }
    }

    /// a / b.
    pub fn div(&self, a: &Float, b: &Float) -> Rounded {
        let (format, environment) = (a.format(), self.of(a.format()));
        let (a, b) = (environment.operand(a), environment.operand(b));
        if let Some(nan) = propagate_nan(format, &[&a, &b]) {
            return nan;
        }
        let negative = sign(&a) != sign(&b);
        let (a, b) = match (a, b) {
            (Unpacked::Finite(a), Unpacked::Finite(b)) => (a, b),
            (Unpacked::Infinite { .. }, Unpacked::Infinite { .. }) => return Rounded::invalid(format),
            (Unpacked::Infinite { .. }, _) => return Rounded::exact(Float::infinity(format, negative)),
            _ => return Rounded::exact(Float::zero(format, negative)),
        };
        match (a.is_zero(), b.is_zero()) {
            (true, true) => Rounded::invalid(format),
            (false, true) => Rounded { value: Float::infinity(format, negative), flags: Flags::DIVBYZERO },
            (true, false) => Rounded::exact(Float::zero(format, negative)),
            (false, false) => {
                let mut exact = quotient(negative, &a.significand, &b.significand, format.precision());
                exact.exponent += a.exponent - b.exponent;
                round(format, &environment, &exact)
            }
        }
    }

    /// The square root; √−0 is −0.
    pub fn sqrt(&self, a: &Float) -> Rounded {
        let (format, environment) = (a.format(), self.of(a.format()));
        let finite = match environment.operand(a) {
            Unpacked::Nan { signaling: true } | Unpacked::Infinite { negative: true } => {
                return Rounded::invalid(format);
            }
            Unpacked::Nan { .. } => return Rounded::exact(Float::nan(format)),
            Unpacked::Infinite { .. } => return Rounded::exact(Float::infinity(format, false)),
            Unpacked::Finite(finite) => finite,
        };
        if finite.is_zero() {
            return Rounded::exact(Float::zero(format, finite.negative));
        }
        if finite.negative {
            return Rounded::invalid(format);
        }
        round(format, &environment, &square_root(&finite, format.precision()))
    }

    /// a · b + c with one rounding.
    pub fn fma(&self, a: &Float, b: &Float, c: &Float) -> Rounded {
        let (format, environment) = (a.format(), self.of(a.format()));
        let (a, b, c) = (environment.operand(a), environment.operand(b), environment.operand(c));
        if let Some(nan) = propagate_nan(format, &[&a, &b, &c]) {
            return nan;
        }
        let scaled = match (&a, &b) {
            (Unpacked::Finite(a), Unpacked::Finite(b)) => Unpacked::Finite(product(a, b)),
            _ if is_zero(&a) || is_zero(&b) => return Rounded::invalid(format),
            _ => Unpacked::Infinite { negative: sign(&a) != sign(&b) },
        };
        add_unpacked(format, &environment, scaled, c)
    }
}

/// The square root of a positive number, fit for rounding to `precision` bits.
fn square_root(finite: &Finite, precision: u32) -> Exact {
    // A root of an n-bit integer has at least n/2 bits; the exponent must be even to be halved.
    let lack = (2 * (i64::from(precision) + 2) - finite.significand.bits() as i64).max(0);
    let shift = lack + (finite.exponent - lack).rem_euclid(2);
    let radicand: BigUint = &finite.significand << shift;
    let significand = radicand.sqrt();
    let sticky = &significand * &significand != radicand;
    Exact { negative: false, significand, exponent: (finite.exponent - shift) / 2, sticky }
}

//! Comparisons in binary128 without its arithmetic: a search asks them of every input.
//!
//! **Claim.** The ordinal is [`Float::ordinal`]'s of the number in binary128, so that ordinals compare as the numbers do;
//! `None` for NaNs. It fits i128, since binary128 has 127 bits beside the sign.
//!
//! **Argument.** A significand of at most 64 bits and an exponent of x87's are exact in binary128. The last bit has the
//! weight 2^l, l 112 below the leading bit's exponent but not below −16494; numbers in order are (l + 16494)·2^112 + q, q
//! the significand in units of 2^l (see `labrys_float`'s `exact`).

use labrys_float::{Float, Format};
use labrys_program::{FloatType, Leaf, ScalarType};
use num_traits::ToPrimitive;

use super::leaf::{integer, quadruple};

/// The exponent of the last bit of binary128's subnormal numbers.
const MIN_LSB: i32 = -16494;
/// Bits of a binary128 significand after the leading one.
const FRACTION: i32 = 112;
/// Infinity's ordinal.
const INFINITY: i128 = 0x7fff << FRACTION;

/// Whether an ordinal is a finite number's.
pub(super) fn is_finite(ordinal: Option<i128>) -> bool {
    ordinal.is_some_and(|ordinal| ordinal.abs() < INFINITY)
}

/// The ordinal of a binary128 number.
pub(super) fn of_float(float: &Float) -> Option<i128> {
    debug_assert_eq!(float.format(), Format::BINARY128);
    float.ordinal()?.to_i128()
}

/// The ordinal of an input's value in binary128.
pub(super) fn of_leaf(leaf: &Leaf, record: &[u8]) -> Option<i128> {
    match leaf.scalar {
        ScalarType::Float(FloatType::X87) => of_x87(leaf.read(record)),
        ScalarType::Float(FloatType::F16 | FloatType::F32 | FloatType::F64) => of_float(&quadruple(leaf, record)),
        ScalarType::Int { .. } | ScalarType::Bool => {
            let value = integer(leaf, record);
            Some(signed(value < 0, value.unsigned_abs() as u64, 0))
        }
    }
}

fn of_x87(bits: u128) -> Option<i128> {
    let (negative, field, significand) = (bits >> 79 & 1 == 1, (bits >> 64) as i32 & 0x7fff, bits as u64);
    match (field, significand >> 63, significand << 1) {
        (0x7fff, 1, 0) => Some(if negative { -INFINITY } else { INFINITY }),
        // NaNs, and encodings that the unit rejects.
        (0x7fff, ..) | (1.., 0, _) => None,
        _ => Some(signed(negative, significand, field.max(1) - 16383 - 63)),
    }
}

/// The ordinal of ±significand · 2^exponent.
fn signed(negative: bool, significand: u64, exponent: i32) -> i128 {
    if significand == 0 {
        return 0;
    }
    let top = exponent + significand.ilog2() as i32;
    let lsb = (top - FRACTION).max(MIN_LSB);
    let magnitude = (i128::from(lsb - MIN_LSB) << FRACTION) + (i128::from(significand) << (exponent - lsb));
    if negative { -magnitude } else { magnitude }
}

//! How simple an input reads.
//!
//! Fewest values other than 0 and ±1 first, then the shortest decimals: digits weigh most, then the length of the
//! exponent (`1e+150` reads easier than `1e+152`) or the zeros that stand in for it, then the sign.

use std::ops::{Add, Sub};

use labrys_float::Float;
use labrys_program::ScalarType;

use crate::domain::Variable;
use crate::space::Space;

/// What reading an input costs; smaller is simpler. A sum over its leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cost {
    /// Values other than 0 and ±1.
    nontrivial: u32,
    /// Weighted length of the decimals.
    text: u64,
    /// Sum of the integers' magnitudes and of the floats' decimal exponents' magnitudes: between values of one length the
    /// one nearer to everyday size is simpler.
    magnitude: u128,
}

/// Weight of one significant digit.
const DIGIT: u64 = 10;
/// An infinity reads as easily as five digits, a NaN as six: finite witnesses are better as long as they are short.
const INFINITY: u64 = 5 * DIGIT;
const NAN: u64 = 6 * DIGIT;
/// What a value costs that is none of 0, 1, −1, whose costs are smaller.
const NONTRIVIAL: u64 = 4;

impl Cost {
    /// The cost of a record of a space.
    pub fn of(space: &Space, record: &[u8]) -> Cost {
        space
            .variables
            .iter()
            .map(|variable| leaf_cost(variable, variable.leaf.read(record)))
            .fold(Cost::default(), Cost::add)
    }
}

impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost {
            nontrivial: self.nontrivial + other.nontrivial,
            text: self.text + other.text,
            magnitude: self.magnitude + other.magnitude,
        }
    }
}

/// Takes away a part that was added.
impl Sub for Cost {
    type Output = Cost;

    fn sub(self, part: Cost) -> Cost {
        Cost {
            nontrivial: self.nontrivial - part.nontrivial,
            text: self.text - part.text,
            magnitude: self.magnitude - part.magnitude,
        }
    }
}

/// The cost of one leaf's value.
pub(crate) fn leaf_cost(variable: &Variable, bits: u128) -> Cost {
    match variable.leaf.scalar {
        ScalarType::Float(float) => float_cost(&Float::from_bits(float.format(), bits)),
        ScalarType::Int { .. } | ScalarType::Bool => int_cost(variable.domain.place(bits).unwrap_or(0)),
    }
}

fn trivial(text: u64, magnitude: u128) -> Cost {
    Cost { nontrivial: 0, text, magnitude }
}

fn nontrivial(text: u64, magnitude: u128) -> Cost {
    Cost { nontrivial: 1, text: NONTRIVIAL + text, magnitude }
}

fn int_cost(value: i128) -> Cost {
    let magnitude = value.unsigned_abs();
    let sign = u64::from(value < 0);
    match magnitude {
        0 => trivial(0, 0),
        1 => trivial(1 + sign, 1),
        _ => nontrivial(DIGIT * u64::from(magnitude.ilog10() + 1) + sign, magnitude),
    }
}

fn float_cost(float: &Float) -> Cost {
    let sign = u64::from(float.is_negative());
    let Some((digits, exponent)) = float.shortest_digits() else {
        return match (float.is_nan(), float.is_infinite()) {
            (true, _) => nontrivial(NAN, 0),
            (_, true) => nontrivial(INFINITY + sign, 0),
            _ => trivial(3 * sign, 0),
        };
    };
    if digits == [1] && exponent == 0 {
        return trivial(1 + sign, 0);
    }
    let text = DIGIT * digits.len() as u64 + exponent_cost(digits.len(), exponent) + sign;
    nontrivial(text, exponent.unsigned_abs().into())
}

/// The zeros a plain decimal needs beside its digits, or the length of an exponent, its trailing zeros apart.
fn exponent_cost(digits: usize, exponent: i64) -> u64 {
    match exponent {
        0..=15 => (exponent + 1 - digits as i64).max(0) as u64,
        -5..=-1 => -exponent as u64,
        _ => {
            let mut rest = exponent.unsigned_abs();
            while rest.is_multiple_of(10) {
                rest /= 10;
            }
            8 + 2 * u64::from(rest.ilog10() + 1) + u64::from(exponent < 0)
        }
    }
}

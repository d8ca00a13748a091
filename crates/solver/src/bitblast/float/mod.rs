//! Floating-point operators as circuits.
//!
//! Numbers are held unpacked, as in Brain, Schanda, Sun, "Building Better Bit-Blasting for Floating-Point Problems",
//! TACAS 2019: flags for NaN, infinities and zeros, a sign, a signed exponent and a significand whose leading bit is one
//! also for subnormal numbers. A chain of operations never packs; the variables' encodings and constants do unpack, once.
//!
//! # Correctness
//!
//! Each circuit computes a superset of the bits that matter. Of a NaN only `nan` matters; of an infinity the flag and
//! the sign; of a zero likewise; exponent and significand matter only where none of the three flags holds. At most one
//! flag holds. Every operator computes its result exactly (as a normalised significand and a sticky bit that stands for
//! all that lies below) and rounds it once, in `round`. Bounds of exponents ([`Signed`]) hold where exponents matter,
//! so a bit that bounds fix may be replaced by a constant. All circuits are compared with labrys-float on every input
//! of tiny formats in every mode, and on random and special inputs of the usual ones.
//!
//! # Facts
//!
//! What is known of a result (`known`) is an implication of the whole query, not of the circuit: the circuit is simplified
//! as if the fact held and the fact is added to [`FloatCircuits::constraints`], which must be asserted with the query.

mod add;
mod compare;
mod convert;
mod div;
mod encoding;
mod integral;
mod known;
mod mode;
mod mul;
mod remainder;
mod round;
mod shift;
mod signed;
mod sqrt;
#[cfg(test)]
mod tests;

pub use super::vector::Bits;
pub use mode::ModeBits;
pub use signed::Signed;

use labrys_float::Format;

use super::{Gates, Lit};

/// A floating-point number, unpacked.
#[derive(Clone, Debug)]
pub struct FloatCircuit {
    /// The format.
    pub format: Format,
    /// Whether it is NaN; then nothing else matters.
    pub nan: Lit,
    /// Whether it is ±∞; then only the sign matters.
    pub infinite: Lit,
    /// Whether it is ±0; then only the sign matters.
    pub zero: Lit,
    /// Its sign.
    pub negative: Lit,
    /// One less than the exponent of the leading bit: the number is ±1.f · 2^(exponent + 1). This way the exponent field
    /// of a normal number is this one with its sign inverted, and products and quotients need no correction but a carry.
    pub exponent: Signed,
    /// As many bits as the precision, low bit first, the last one TRUE.
    pub significand: Bits,
    /// The encoding, where it is at hand: with the leading bit implied, and any of the NaNs.
    pub packed: Option<Bits>,
}

/// Makes circuits, and collects what has to be asserted for them to be right.
#[derive(Clone, Debug, Default)]
pub struct FloatCircuits {
    /// Literals that hold in every model of the query whose facts were given. Definitions of fresh inputs are among
    /// them: assert all of them, also when there are no facts.
    pub constraints: Vec<Lit>,
}

impl FloatCircuits {
    /// With no constraints yet.
    pub fn new() -> FloatCircuits {
        FloatCircuits::default()
    }
}

/// The exponents of a format, one less than the usual ones as everywhere in the circuits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exponents {
    /// Of the smallest subnormal number.
    least: i128,
    /// Of the smallest normal number.
    normal: i128,
    /// Of the greatest number.
    greatest: i128,
}

impl Exponents {
    fn of(format: Format) -> Exponents {
        Exponents {
            least: i128::from(format.min_lsb_exponent()) - 1,
            normal: i128::from(format.min_exponent()) - 1,
            greatest: i128::from(format.max_exponent()) - 1,
        }
    }
}

impl FloatCircuit {
    /// Neither NaN nor infinite nor zero: the exponent and the significand matter.
    pub fn regular(&self, gates: &mut Gates) -> Lit {
        gates.all(&[!self.nan, !self.infinite, !self.zero])
    }

    /// The precision.
    fn precision(&self) -> usize {
        self.format.precision() as usize
    }
}

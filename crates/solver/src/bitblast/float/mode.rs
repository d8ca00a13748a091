//! Rounding modes as literals.

use labrys_float::RoundingMode;

use crate::bitblast::{Gates, Lit};

/// A rounding mode: of the five literals exactly one is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModeBits {
    /// In the order of `RoundingMode::ALL`.
    modes: [Lit; 5],
}

impl ModeBits {
    /// A mode that is known.
    pub fn constant(mode: RoundingMode) -> ModeBits {
        ModeBits { modes: RoundingMode::ALL.map(|other| Lit::of(mode == other)) }
    }

    /// The mode of which exactly one literal is true, in the order of `RoundingMode::ALL`.
    pub fn one_hot(modes: [Lit; 5]) -> ModeBits {
        ModeBits { modes }
    }

    /// The mode whose place in `RoundingMode::ALL` is this number of three bits, which the caller constrains to be at
    /// most 4.
    pub fn decode(gates: &mut Gates, bits: [Lit; 3]) -> ModeBits {
        let mut modes = [Lit::FALSE; 5];
        for (place, mode) in modes.iter_mut().enumerate() {
            // Of the numbers up to 4, only the last has the high bit.
            *mode = if place == 4 {
                bits[2]
            } else {
                let wanted = [0, 1, 2].map(|i| if place >> i & 1 == 1 { bits[i] } else { !bits[i] });
                gates.all(&wanted)
            };
        }
        ModeBits { modes }
    }

    /// Whether it is this mode.
    pub fn is(&self, mode: RoundingMode) -> Lit {
        self.modes[RoundingMode::ALL.iter().position(|other| *other == mode).unwrap_or(0)]
    }

    /// Whether a magnitude is incremented: the sign, whether the kept significand is odd, the first bit cut off, and
    /// whether anything below it was cut off.
    pub fn increments(&self, gates: &mut Gates, negative: Lit, odd: Lit, half: Lit, rest: Lit) -> Lit {
        let tail = gates.or(rest, odd);
        let even = gates.and(half, tail);
        let even = gates.and(self.is(RoundingMode::NearestEven), even);
        let away = gates.and(self.is(RoundingMode::NearestAway), half);
        let directed = self.away_from_zero(gates, negative);
        let inexact = gates.or(half, rest);
        let directed = gates.and(directed, inexact);
        gates.any(&[even, away, directed])
    }

    /// Whether it is directed and away from zero for numbers of the sign.
    pub fn away_from_zero(&self, gates: &mut Gates, negative: Lit) -> Lit {
        let up = gates.and(self.is(RoundingMode::TowardPositive), !negative);
        let down = gates.and(self.is(RoundingMode::TowardNegative), negative);
        gates.or(up, down)
    }

    /// Whether what is too great becomes an infinity, not the greatest number.
    pub fn overflows_to_infinity(&self, gates: &mut Gates, negative: Lit) -> Lit {
        let directed = self.away_from_zero(gates, negative);
        gates.any(&[self.is(RoundingMode::NearestEven), self.is(RoundingMode::NearestAway), directed])
    }
}

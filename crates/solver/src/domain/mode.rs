//! Sets of rounding modes.

use labrys_float::RoundingMode;

/// A set of rounding modes: bit i stands for `RoundingMode::ALL[i]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModeDomain(pub u8);

impl ModeDomain {
    /// All five.
    pub const ALL: ModeDomain = ModeDomain(0b11111);

    /// Only one.
    pub fn only(mode: RoundingMode) -> ModeDomain {
        ModeDomain(1 << RoundingMode::ALL.iter().position(|other| *other == mode).unwrap_or(0))
    }

    /// Its members, in the order of `RoundingMode::ALL`.
    pub fn modes(self) -> impl Iterator<Item = RoundingMode> {
        RoundingMode::ALL.into_iter().enumerate().filter(move |(i, _)| self.0 >> i & 1 == 1).map(|(_, mode)| mode)
    }
}

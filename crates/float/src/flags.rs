//! The status flags of IEEE 754-2019, section 7.

bitflags::bitflags! {
    /// A set of floating-point exceptions. The bit values are this crate's own, not the processor's.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Flags: u8 {
        /// No usefully definable result: 0/0, ∞−∞, √−1, a signaling NaN operand.
        const INVALID = 1;
        /// An exact infinite result from finite operands.
        const DIVBYZERO = 1 << 1;
        /// The rounded result exceeds the largest finite number.
        const OVERFLOW = 1 << 2;
        /// Tiny and inexact; under flush-to-zero, tiny.
        const UNDERFLOW = 1 << 3;
        /// The result differs from the exact one.
        const INEXACT = 1 << 4;
    }
}

impl Flags {
    /// The four exceptions that are reported unless the user asks for more.
    pub const NOTABLE: Flags = Flags::INVALID.union(Flags::DIVBYZERO).union(Flags::OVERFLOW).union(Flags::UNDERFLOW);
    /// The exceptions whose appearance in only one build is severe.
    pub const SEVERE: Flags = Flags::INVALID.union(Flags::DIVBYZERO).union(Flags::OVERFLOW);

    /// The names used in every report, in fixed order: divbyzero, invalid, overflow, underflow, inexact.
    pub fn names(self) -> Vec<&'static str> {
        const ORDER: [(Flags, &str); 5] = [
            (Flags::DIVBYZERO, "divbyzero"),
            (Flags::INVALID, "invalid"),
            (Flags::OVERFLOW, "overflow"),
            (Flags::UNDERFLOW, "underflow"),
            (Flags::INEXACT, "inexact"),
        ];
        ORDER.iter().filter(|(flag, _)| self.contains(*flag)).map(|(_, name)| *name).collect()
    }
}

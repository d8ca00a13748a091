//! The processor's status bits and what they mean.

use labrys_float::Flags;

/// The order of both MXCSR and the x87 status word; bit 1, a subnormal operand, is nobody's exception.
const BITS: [(u32, Flags); 5] = [
    (1, Flags::INVALID),
    (1 << 2, Flags::DIVBYZERO),
    (1 << 3, Flags::OVERFLOW),
    (1 << 4, Flags::UNDERFLOW),
    (1 << 5, Flags::INEXACT),
];

/// The exceptions of status bits.
pub fn flags_of(status: u32) -> Flags {
    BITS.iter().filter(|(bit, _)| status & bit != 0).fold(Flags::empty(), |flags, (_, flag)| flags | *flag)
}

/// The status bits of exceptions.
pub fn status_of(flags: Flags) -> u32 {
    BITS.iter().filter(|(_, flag)| flags.contains(*flag)).fold(0, |status, (bit, _)| status | bit)
}

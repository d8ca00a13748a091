//! The floating-point control registers that calls start with.

/// What MXCSR, without its status bits, and the x87 control word are; on other processors, what they would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// MXCSR, sticky bits clear.
    pub mxcsr: u32,
    /// The x87 control word.
    pub x87: u16,
}

impl Control {
    /// MXCSR's bit that has tiny results flushed to zero.
    pub const FTZ: u32 = 0x8000;
    /// MXCSR's bit that has subnormal operands read as zeros.
    pub const DAZ: u32 = 0x40;

    /// As a process starts: everything masked, to nearest, no flushing; x87 in extended precision.
    pub const DEFAULT: Control = Control { mxcsr: 0x1f80, x87: 0x37f };

    /// The default with these bits of MXCSR set.
    pub const fn flushing(bits: u32) -> Control {
        Control { mxcsr: Control::DEFAULT.mxcsr | bits, ..Control::DEFAULT }
    }
}

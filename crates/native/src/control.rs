//! The floating-point control registers that calls start with.

/// MXCSR without its status bits, and the x87 control word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// MXCSR, sticky bits clear.
    pub mxcsr: u32,
    /// The x87 control word.
    pub x87: u16,
}

/// MXCSR's sticky bits.
const STATUS: u32 = 0x3f;

impl Control {
    /// As a process starts: everything masked, to nearest, no flushing; x87 in extended precision.
    pub const DEFAULT: Control = Control { mxcsr: 0x1f80, x87: 0x37f };
    /// As an executable linked with -ffast-math starts: FTZ and DAZ set.
    pub const FTZ: Control = Control { mxcsr: 0x1f80 | 0x8040, x87: 0x37f };

    /// What this thread has now.
    pub fn read() -> Control {
        #[cfg(target_arch = "x86_64")]
        {
            let (mut mxcsr, mut x87) = (0u32, 0u16);
            // SAFETY: stores four bytes into one variable and two into the other.
            unsafe {
                std::arch::asm!("stmxcsr [{0}]", in(reg) &mut mxcsr);
                std::arch::asm!("fnstcw [{0}]", in(reg) &mut x87);
            }
            Control { mxcsr: mxcsr & !STATUS, x87 }
        }
        #[cfg(not(target_arch = "x86_64"))]
        Control::DEFAULT
    }

    /// MXCSR with these exceptions (status bits, in the processor's order) unmasked.
    pub fn unmasked(self, status: u32) -> u32 {
        self.mxcsr & !((status & STATUS) << 7)
    }
}

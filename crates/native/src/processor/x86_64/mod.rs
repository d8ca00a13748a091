//! x86-64 Linux.

mod caller;
mod disassembly;
mod handlers;
mod places;
mod setup;
mod status_access;
mod tracer;
mod trial;
mod x87_use;

use std::arch::asm;

pub use disassembly::{callee, doubles, operator};
pub use tracer::Tracer;
pub use trial::support;

use super::control::Control;
use super::x87_reading::X87Reading;
use crate::Startup;
use x87_use::X87Use;

/// Sticky bits of MXCSR, and of the x87 status word.
const STATUS: u32 = 0x3f;
/// MXCSR's mask bits stand so far above its status bits.
const MASK_SHIFT: u32 = 7;

/// The control registers that every call starts with: the driver loop sets them.
///
/// # Errors
///
/// None on this processor.
pub fn start(startup: Startup) -> Result<Control, String> {
    Ok(match startup {
        Startup::Default => Control::DEFAULT,
        // As an executable linked with -ffast-math starts.
        Startup::Ftz => Control::flushing(Control::FTZ | Control::DAZ),
        Startup::Loaded => {
            let (mut mxcsr, mut x87) = (0u32, 0u16);
            // SAFETY: stores four bytes into one variable and two into the other.
            unsafe {
                asm!("stmxcsr [{0}]", in(reg) &mut mxcsr);
                asm!("fnstcw [{0}]", in(reg) &mut x87);
            }
            Control { mxcsr: mxcsr & !STATUS, x87 }
        }
    })
}

/// Words for the driver loop's compiler: what the processor is, and which vector registers there are to be filled.
pub fn driver_flags() -> Vec<&'static str> {
    let mut flags = vec!["-DLABRYS_X86_64"];
    if std::arch::is_x86_feature_detected!("avx") {
        flags.push("-DLABRYS_AVX");
        if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512vl") {
            flags.push("-DLABRYS_AVX512");
        }
    }
    flags
}

/// How the x87 status is read for calls of the function at this address.
pub fn x87_reading(function: u64) -> X87Reading {
    match x87_use::reachable(function) {
        X87Use::None => X87Reading::Never,
        X87Use::Sticky => X87Reading::Sticky,
        X87Use::Any => X87Reading::Recorded,
    }
}

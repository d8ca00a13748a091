//! Operations that the processor executes itself: on x86-64 with SSE in any rounding mode, with exceptions and NaNs; elsewhere
//! none, and software computes.

use labrys_float::{Format, RoundingMode};
use labrys_interp::FloatOperation;

use super::concrete::Computed;

/// The result of one SSE instruction; `None` where there is none, or the processor is another one.
#[cfg(target_arch = "x86_64")]
pub(super) fn compute(
    operation: FloatOperation,
    mode: RoundingMode,
    format: Format,
    operands: &[u128],
) -> Option<Computed> {
    sse::compute(operation, mode, format, operands)
}

/// No instruction.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn compute(_: FloatOperation, _: RoundingMode, _: Format, _: &[u128]) -> Option<Computed> {
    None
}

#[cfg(target_arch = "x86_64")]
mod sse {
    use std::arch::asm;

    use labrys_float::Flags;

    use super::{Computed, FloatOperation, Format, RoundingMode};

    /// MXCSR with all exceptions masked and no flag set.
    const MASKED: u32 = 0x1f80;

    macro_rules! instruction {
        ($name:ident, $instruction:literal, $from:ty, $to:ty) => {
            /// Executes the instruction under a control register: its result and the register afterwards.
            fn $name(first: $to, second: $from, control: u32) -> ($to, u32) {
                let (mut result, mut register, mut saved) = (first, control, 0u32);
                // SAFETY: all exceptions are masked, and the register is as before at the end.
                unsafe {
                    asm!(
                        "stmxcsr [{saved}]",
                        "ldmxcsr [{register}]",
                        concat!($instruction, " {result}, {second}"),
                        "stmxcsr [{register}]",
                        "ldmxcsr [{saved}]",
                        saved = in(reg) &raw mut saved,
                        register = in(reg) &raw mut register,
                        result = inout(xmm_reg) result,
                        second = in(xmm_reg) second,
                        options(nostack, preserves_flags)
                    );
                }
                (result, register)
            }
        };
    }

    instruction!(add_double, "addsd", f64, f64);
    instruction!(sub_double, "subsd", f64, f64);
    instruction!(mul_double, "mulsd", f64, f64);
    instruction!(div_double, "divsd", f64, f64);
    instruction!(sqrt_double, "sqrtsd", f64, f64);
    instruction!(add_single, "addss", f32, f32);
    instruction!(sub_single, "subss", f32, f32);
    instruction!(mul_single, "mulss", f32, f32);
    instruction!(div_single, "divss", f32, f32);
    instruction!(sqrt_single, "sqrtss", f32, f32);
    instruction!(narrow, "cvtsd2ss", f64, f32);
    instruction!(widen, "cvtss2sd", f32, f64);

    fn control(mode: RoundingMode) -> Option<u32> {
        let rounding = match mode {
            RoundingMode::NearestEven => 0,
            RoundingMode::TowardNegative => 0x2000,
            RoundingMode::TowardPositive => 0x4000,
            RoundingMode::TowardZero => 0x6000,
            RoundingMode::NearestAway => return None,
        };
        Some(MASKED | rounding)
    }

    fn flags(register: u32) -> Flags {
        let mut flags = Flags::empty();
        flags.set(Flags::INVALID, register & 1 != 0);
        flags.set(Flags::DIVBYZERO, register & 4 != 0);
        flags.set(Flags::OVERFLOW, register & 8 != 0);
        flags.set(Flags::UNDERFLOW, register & 16 != 0);
        flags.set(Flags::INEXACT, register & 32 != 0);
        flags
    }

    pub(super) fn compute(
        operation: FloatOperation,
        mode: RoundingMode,
        format: Format,
        operands: &[u128],
    ) -> Option<Computed> {
        let control = control(mode)?;
        let double = |index: usize| operands.get(index).map(|bits| f64::from_bits(*bits as u64));
        let single = |index: usize| operands.get(index).map(|bits| f32::from_bits(*bits as u32));
        let doubles = |(result, register): (f64, u32)| Computed { bits: result.to_bits().into(), flags: flags(register) };
        let singles = |(result, register): (f32, u32)| Computed { bits: result.to_bits().into(), flags: flags(register) };
        Some(match (format, operation) {
            (Format::BINARY64, FloatOperation::Add) => doubles(add_double(double(0)?, double(1)?, control)),
            (Format::BINARY64, FloatOperation::Sub) => doubles(sub_double(double(0)?, double(1)?, control)),
            (Format::BINARY64, FloatOperation::Mul) => doubles(mul_double(double(0)?, double(1)?, control)),
            (Format::BINARY64, FloatOperation::Div) => doubles(div_double(double(0)?, double(1)?, control)),
            (Format::BINARY64, FloatOperation::Sqrt) => doubles(sqrt_double(0.0, double(0)?, control)),
            (Format::BINARY64, FloatOperation::Convert(Format::BINARY32)) => {
                singles(narrow(0.0, double(0)?, control))
            }
            (Format::BINARY32, FloatOperation::Add) => singles(add_single(single(0)?, single(1)?, control)),
            (Format::BINARY32, FloatOperation::Sub) => singles(sub_single(single(0)?, single(1)?, control)),
            (Format::BINARY32, FloatOperation::Mul) => singles(mul_single(single(0)?, single(1)?, control)),
            (Format::BINARY32, FloatOperation::Div) => singles(div_single(single(0)?, single(1)?, control)),
            (Format::BINARY32, FloatOperation::Sqrt) => singles(sqrt_single(0.0, single(0)?, control)),
            (Format::BINARY32, FloatOperation::Convert(Format::BINARY64)) => {
                doubles(widen(0.0, single(0)?, control))
            }
            _ => return None,
        })
    }
}

//! Elementary functions by the machine's own libm, with the exceptions it raises.
//!
//! No claim of correct rounding: this is what the program under test calls when it runs on this machine. Only binary32
//! and binary64 exist here; nothing else changes the default environment.

use labrys_float::{Flags, Float, Format, Rounded};

use crate::{Elementary, Stop};

macro_rules! functions {
    ($($name:ident $single:ident),*; $($name2:ident $single2:ident),*) => {
        mod c {
            use std::ffi::c_int;
            unsafe extern "C" {
                $(pub(super) fn $name(x: f64) -> f64; pub(super) fn $single(x: f32) -> f32;)*
                $(pub(super) fn $name2(x: f64, y: f64) -> f64; pub(super) fn $single2(x: f32, y: f32) -> f32;)*
                pub(super) fn feclearexcept(excepts: c_int) -> c_int;
                pub(super) fn fetestexcept(excepts: c_int) -> c_int;
            }
        }

        fn double(name: &str, x: f64, y: f64) -> Option<f64> {
            // SAFETY: libm's functions are defined for all arguments and touch only errno and the status flags.
            Some(unsafe {
                match name {
                    $(stringify!($name) => c::$name(x),)*
                    $(stringify!($name2) => c::$name2(x, y),)*
                    _ => return None,
                }
            })
        }

        fn single(name: &str, x: f32, y: f32) -> Option<f32> {
            // SAFETY: as in `double`.
            Some(unsafe {
                match name {
                    $(stringify!($name) => c::$single(x),)*
                    $(stringify!($name2) => c::$single2(x, y),)*
                    _ => return None,
                }
            })
        }
    };
}

functions!(
    sin sinf, cos cosf, tan tanf, asin asinf, acos acosf, atan atanf, sinh sinhf, cosh coshf, tanh tanhf,
    asinh asinhf, acosh acoshf, atanh atanhf, exp expf, exp2 exp2f, exp10 exp10f, expm1 expm1f, log logf, log2 log2f,
    log10 log10f, log1p log1pf, logb logbf, cbrt cbrtf, erf erff, erfc erfcf, tgamma tgammaf, lgamma lgammaf,
    j0 j0f, j1 j1f, y0 y0f, y1 y1f;
    atan2 atan2f, pow powf, hypot hypotf
);

/// All exception bits of C's fenv.h on x86 (denormal operand included) and on AArch64.
const ALL: std::ffi::c_int = if cfg!(target_arch = "x86_64") { 0x3d } else { 0x1f };

/// The flags' bits in fenv.h: invalid, divbyzero, overflow, underflow, inexact.
const BITS: [(Flags, std::ffi::c_int); 5] = if cfg!(target_arch = "x86_64") {
    [(Flags::INVALID, 1), (Flags::DIVBYZERO, 4), (Flags::OVERFLOW, 8), (Flags::UNDERFLOW, 16), (Flags::INEXACT, 32)]
} else {
    [(Flags::INVALID, 1), (Flags::DIVBYZERO, 2), (Flags::OVERFLOW, 4), (Flags::UNDERFLOW, 8), (Flags::INEXACT, 16)]
};

/// The function's value and flags.
///
/// # Errors
///
/// Formats other than binary32 and binary64.
pub(crate) fn call(function: &Elementary, operands: &[Float]) -> Result<Rounded, Stop> {
    let unsupported = || Stop::unsupported(format!("{} in this format", function.name));
    let format = operands.first().map(Float::format).ok_or_else(unsupported)?;
    // SAFETY: clears status flags of this thread; Rust code does not read them.
    unsafe { c::feclearexcept(ALL) };
    let value = if format == Format::BINARY64 {
        let x: Vec<f64> = operands.iter().filter_map(Float::to_f64).collect();
        double(function.name, x[0], x.get(1).copied().unwrap_or(0.0)).map(Float::from_f64)
    } else if format == Format::BINARY32 {
        let x: Vec<f32> = operands.iter().filter_map(Float::to_f32).collect();
        single(function.name, x[0], x.get(1).copied().unwrap_or(0.0)).map(Float::from_f32)
    } else {
        None
    };
    // SAFETY: reads status flags of this thread.
    let raised = unsafe { c::fetestexcept(ALL) };
    let mut flags = Flags::empty();
    for (flag, bit) in BITS {
        flags.set(flag, raised & bit != 0);
    }
    let value = value.ok_or_else(unsupported)?;
    let value = if value.is_nan() { Float::nan(format) } else { value };
    Ok(Rounded { value, flags })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_flags_are_libms() {
        let log = crate::library::elementary("log").unwrap();
        let zero = call(log, &[Float::from_f64(0.0)]).unwrap();
        assert_eq!(zero.value, Float::from_f64(f64::NEG_INFINITY));
        assert_eq!(zero.flags, Flags::DIVBYZERO);
        let two = call(log, &[Float::from_f64(2.0)]).unwrap();
        assert_eq!(two.value, Float::from_f64(std::f64::consts::LN_2));
        assert_eq!(two.flags, Flags::INEXACT);
        let exp = crate::library::elementary("exp").unwrap();
        assert!(call(exp, &[Float::from_f32(200.0)]).unwrap().flags.contains(Flags::OVERFLOW));
    }

    #[test]
    fn other_formats_are_refused() {
        let sin = crate::library::elementary("sin").unwrap();
        assert!(call(sin, &[Float::zero(Format::X87, false)]).is_err());
    }
}

//! Elementary functions by the machine's own libm, with the exceptions it raises.
//!
//! No claim of correct rounding: this is what the program under test calls when it runs on this machine. binary32 and binary64
//! exist here, and on x86-64 its long double; nothing else changes the default environment.

use labrys_elementary::Function;
use std::ffi::{CStr, c_void};
use std::sync::OnceLock;

use labrys_float::{Flags, Float, Format, Rounded, RoundingMode};

use crate::Stop;

/// The function of that name in the libraries that are loaded. What is linked may be another one: Rust's own library has a cbrt that rounds
/// correctly, and linkers prefer it to libm's.
macro_rules! loaded {
    ($name:ident, fn($($operand:ty),*) -> $result:ty) => {{
        static ADDRESS: OnceLock<usize> = OnceLock::new();
        let name = concat!(stringify!($name), "\0");
        let address = *ADDRESS.get_or_init(|| address(name).unwrap_or(c::$name as *const () as usize));
        std::mem::transmute::<usize, unsafe extern "C" fn($($operand),*) -> $result>(address)
    }};
}

/// The address of a function whose name ends with a zero byte.
fn address(name: &str) -> Option<usize> {
    let name = CStr::from_bytes_with_nul(name.as_bytes()).ok()?;
    // C's RTLD_DEFAULT.
    let all = if cfg!(target_os = "macos") { -2isize as *mut c_void } else { std::ptr::null_mut() };
    // SAFETY: looks a name up, and nothing else.
    let found = unsafe { c::dlsym(all, name.as_ptr()) } as usize;
    (found != 0).then_some(found)
}

macro_rules! functions {
    ($($function:ident $name:ident $single:ident),*; $($function2:ident $name2:ident $single2:ident),*) => {
        mod c {
            use std::ffi::c_int;
            unsafe extern "C" {
                $(pub(super) fn $name(x: f64) -> f64; pub(super) fn $single(x: f32) -> f32;)*
                $(pub(super) fn $name2(x: f64, y: f64) -> f64; pub(super) fn $single2(x: f32, y: f32) -> f32;)*
                pub(super) fn feclearexcept(excepts: c_int) -> c_int;
                pub(super) fn fetestexcept(excepts: c_int) -> c_int;
                pub(super) fn fesetround(mode: c_int) -> c_int;
                pub(super) fn __errno_location() -> *mut c_int;
                pub(super) fn dlsym(handle: *mut std::ffi::c_void, symbol: *const std::ffi::c_char) -> *mut std::ffi::c_void;
            }
        }

        fn double(function: Function, x: f64, y: f64) -> f64 {
            // SAFETY: libm's functions are defined for all arguments and touch only errno and the status flags.
            unsafe {
                match function {
                    $(Function::$function => loaded!($name, fn(f64) -> f64)(x),)*
                    $(Function::$function2 => loaded!($name2, fn(f64, f64) -> f64)(x, y),)*
                }
            }
        }

        fn single(function: Function, x: f32, y: f32) -> f32 {
            // SAFETY: as in `double`.
            unsafe {
                match function {
                    $(Function::$function => loaded!($single, fn(f32) -> f32)(x),)*
                    $(Function::$function2 => loaded!($single2, fn(f32, f32) -> f32)(x, y),)*
                }
            }
        }
    };
}

functions!(
    Sin sin sinf, Cos cos cosf, Tan tan tanf, Asin asin asinf, Acos acos acosf, Atan atan atanf, Sinh sinh sinhf, Cosh cosh coshf, Tanh tanh tanhf,
    Asinh asinh asinhf, Acosh acosh acoshf, Atanh atanh atanhf, Exp exp expf, Exp2 exp2 exp2f, Exp10 exp10 exp10f, Expm1 expm1 expm1f, Log log logf, Log2 log2 log2f,
    Log10 log10 log10f, Log1p log1p log1pf, Logb logb logbf, Cbrt cbrt cbrtf, Erf erf erff, Erfc erfc erfcf, Tgamma tgamma tgammaf, Lgamma lgamma lgammaf,
    J0 j0 j0f, J1 j1 j1f, Y0 y0 y0f, Y1 y1 y1f;
    Atan2 atan2 atan2f, Pow pow powf, Hypot hypot hypotf
);

/// All exception bits of C's fenv.h on x86 (denormal operand included) and on AArch64.
const ALL: std::ffi::c_int = if cfg!(target_arch = "x86_64") { 0x3d } else { 0x1f };

/// The flags' bits in fenv.h: invalid, divbyzero, overflow, underflow, inexact.
const BITS: [(Flags, std::ffi::c_int); 5] = if cfg!(target_arch = "x86_64") {
    [(Flags::INVALID, 1), (Flags::DIVBYZERO, 4), (Flags::OVERFLOW, 8), (Flags::UNDERFLOW, 16), (Flags::INEXACT, 32)]
} else {
    [(Flags::INVALID, 1), (Flags::DIVBYZERO, 2), (Flags::OVERFLOW, 4), (Flags::UNDERFLOW, 8), (Flags::INEXACT, 16)]
};

/// The rounding modes' constants in fenv.h, to nearest first.
const MODES: [(RoundingMode, std::ffi::c_int); 4] = if cfg!(target_arch = "x86_64") {
    [
        (RoundingMode::NearestEven, 0),
        (RoundingMode::TowardNegative, 0x400),
        (RoundingMode::TowardPositive, 0x800),
        (RoundingMode::TowardZero, 0xc00),
    ]
} else {
    [
        (RoundingMode::NearestEven, 0),
        (RoundingMode::TowardNegative, 0x80_0000),
        (RoundingMode::TowardPositive, 0x40_0000),
        (RoundingMode::TowardZero, 0xc0_0000),
    ]
};

/// The function's value and flags; NaNs are the canonical one.
///
/// # Errors
///
/// Formats that C does not have here.
pub(crate) fn call(function: Function, operands: &[Float]) -> Result<Rounded, Stop> {
    let Rounded { value, flags } = call_host(function, operands, RoundingMode::NearestEven)?;
    let value = if value.is_nan() { Float::nan(value.format()) } else { value };
    Ok(Rounded { value, flags })
}

/// The value, bit for bit, and the flags that the machine's libm gives in a rounding mode.
///
/// # Errors
///
/// Formats and modes that C does not have here.
pub fn call_host(function: Function, operands: &[Float], mode: RoundingMode) -> Result<Rounded, Stop> {
    let mode = MODES.iter().find(|(other, _)| *other == mode).map(|(_, constant)| *constant);
    let mode = mode.ok_or_else(|| Stop::unsupported(format!("{} in this rounding mode", function.name())))?;
    // SAFETY: nothing but libm's function runs before the mode is restored.
    unsafe { c::fesetround(mode) };
    let result = call_in_mode(function, operands);
    // SAFETY: restores the default that Rust code counts on.
    unsafe { c::fesetround(MODES[0].1) };
    result
}

/// What the machine's libm leaves in `errno`, which was 0 before, to nearest.
///
/// # Errors
///
/// As for [`call_host`].
pub fn host_error(function: Function, operands: &[Float]) -> Result<i32, Stop> {
    // SAFETY: the address is this thread's own errno.
    unsafe { *c::__errno_location() = 0 };
    call_host(function, operands, RoundingMode::NearestEven)?;
    // SAFETY: as above.
    Ok(unsafe { *c::__errno_location() })
}

fn call_in_mode(function: Function, operands: &[Float]) -> Result<Rounded, Stop> {
    let unsupported = || Stop::unsupported(format!("{} in this format", function.name()));
    let format = operands.first().map(Float::format).ok_or_else(unsupported)?;
    // SAFETY: clears status flags of this thread; Rust code does not read them.
    unsafe { c::feclearexcept(ALL) };
    let value = if format == Format::BINARY64 {
        let x: Vec<f64> = operands.iter().filter_map(Float::to_f64).collect();
        Some(Float::from_f64(double(function, x[0], x.get(1).copied().unwrap_or(0.0))))
    } else if format == Format::BINARY32 {
        let x: Vec<f32> = operands.iter().filter_map(Float::to_f32).collect();
        Some(Float::from_f32(single(function, x[0], x.get(1).copied().unwrap_or(0.0))))
    } else {
        #[cfg(target_arch = "x86_64")]
        let value = (format == Format::X87).then(|| extended(function, operands)).flatten();
        #[cfg(not(target_arch = "x86_64"))]
        let value = None;
        value
    };
    // SAFETY: reads status flags of this thread.
    let raised = unsafe { c::fetestexcept(ALL) };
    let mut flags = Flags::empty();
    for (flag, bit) in BITS {
        flags.set(flag, raised & bit != 0);
    }
    let value = value.ok_or_else(unsupported)?;
    Ok(Rounded { value, flags })
}

/// The function on long doubles; Rust has no such type. `None` where the library has no such function, and for encodings that are invalid or
/// pseudo-denormals, with which functions do as they like.
#[cfg(target_arch = "x86_64")]
fn extended(function: Function, operands: &[Float]) -> Option<Float> {
    let function = address(&format!("{}l\0", function.name()))?;
    let encoding = |index: usize| operands.get(index).map_or(Some(0), Float::to_u128).map(u128::to_le_bytes);
    // The leading bit is stored, and clear where the exponent is 0.
    let is_odd = |bits: u128| (bits >> 63 & 1 == 0) != (bits >> 64 & 0x7fff == 0);
    if operands.iter().any(|operand| operand.to_u128().is_none_or(is_odd)) {
        return None;
    }
    let (x, y, mut result) = (encoding(0)?, encoding(1)?, [0u8; 16]);
    // SAFETY: both operands are where the calling convention has long doubles, on an aligned stack, and the result is popped from the
    // x87 unit's; functions of one operand ignore the second. libm's functions are defined for all valid encodings.
    unsafe {
        std::arch::asm!(
            "sub rsp, 32",
            "fld tbyte ptr [r13]",
            "fstp tbyte ptr [rsp]",
            "fld tbyte ptr [r14]",
            "fstp tbyte ptr [rsp + 16]",
            "call r12",
            "add rsp, 32",
            "fstp tbyte ptr [r15]",
            in("r12") function, in("r13") &raw const x, in("r14") &raw const y, in("r15") &raw mut result,
            clobber_abi("C")
        );
    }
    Some(Float::from_bits(Format::X87, u128::from_le_bytes(result)))
}

#[cfg(test)]
mod tests {
    use labrys_elementary::{Range, image};

    use super::*;

    #[test]
    fn values_and_flags_are_libms() {
        let zero = call(Function::Log, &[Float::from_f64(0.0)]).unwrap();
        assert_eq!(zero.value, Float::from_f64(f64::NEG_INFINITY));
        assert_eq!(zero.flags, Flags::DIVBYZERO);
        let two = call(Function::Log, &[Float::from_f64(2.0)]).unwrap();
        assert_eq!(two.value, Float::from_f64(std::f64::consts::LN_2));
        assert_eq!(two.flags, Flags::INEXACT);
        assert!(call(Function::Exp, &[Float::from_f32(200.0)]).unwrap().flags.contains(Flags::OVERFLOW));
    }

    /// Every function is the one of the library that programs load, not one that was linked in its place.
    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn functions_are_those_of_the_loaded_libm() {
        type Single = unsafe extern "C" fn(f32, f32) -> f32;
        type Double = unsafe extern "C" fn(f64, f64) -> f64;
        // SAFETY: libm is loaded already; functions of one operand ignore the second register.
        let libm = unsafe { libloading::Library::new("libm.so.6") }.unwrap();
        let numbers = (1..200).map(|n| f64::from(n) * 0.37).chain([27.0, 1e-300, 1e300, 0.1, 5e-324]);
        let numbers: Vec<f64> = numbers.collect();
        for function in Function::all() {
            let name = function.name();
            // SAFETY: these are the functions' types but for an operand that is ignored.
            let double = unsafe { libm.get::<Double>(name) }.unwrap();
            // SAFETY: as above.
            let single = unsafe { libm.get::<Single>(format!("{name}f")) }.unwrap();
            for (index, &x) in numbers.iter().enumerate() {
                let y = numbers[numbers.len() - 1 - index] * 0.01;
                let operands: Vec<Float> = [x, y].into_iter().map(Float::from_f64).take(function.arity()).collect();
                let found = call(function, &operands).unwrap().value.to_f64().unwrap();
                // SAFETY: as above; the library is loaded.
                let expected = unsafe { double(x, y) };
                assert!(found == expected || (found.is_nan() && expected.is_nan()), "{name}({x}, {y}): {found}");
                let operands: Vec<Float> =
                    [x, y].into_iter().map(|x| Float::from_f32(x as f32)).take(function.arity()).collect();
                let found = call(function, &operands).unwrap().value.to_f32().unwrap();
                // SAFETY: as above; the library is loaded.
                let expected = unsafe { single(x as f32, y as f32) };
                assert!(found == expected || (found.is_nan() && expected.is_nan()), "{name}f({x}, {y}): {found}");
            }
        }
    }

    /// Results of long doubles are among those that proofs take into account, exceptions too.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn long_doubles_keep_within_the_images() {
        let mut state = 5u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 16) as u32
        };
        for function in Function::all() {
            for _ in 0..400 {
                let operands: Vec<Float> = (0..function.arity())
                    .map(|_| {
                        let significand = 1u128 << 63 | u128::from(random()) << 32 >> 1 | u128::from(random());
                        let exponent = match random() % 8 {
                            0 => return Float::from_bits(Format::X87, u128::from(random() % 4)),
                            1 => return Float::infinity(Format::X87, random() % 2 == 0),
                            2 => u128::from(random() % 0x7ffe) + 1,
                            3 => 0x3fff + 14 - u128::from(random() % 28),
                            _ => 0x3fff + 4 - u128::from(random() % 9),
                        };
                        let sign = u128::from(random() % 2) << 79;
                        Float::from_bits(Format::X87, sign | exponent << 64 | significand)
                    })
                    .collect();
                let Rounded { value, flags } = call_host(function, &operands, RoundingMode::NearestEven).unwrap();
                let ranges: Vec<Range> = operands.iter().map(|x| Range::only(x.clone()).unwrap()).collect();
                let image = image(function, &ranges, function.ulps());
                let shown = || operands.iter().map(Float::to_hex).collect::<Vec<_>>().join(", ");
                let name = function.name();
                assert!(image.contains(&value), "{name}l({}) = {} not in {image:?}", shown(), value.to_hex());
                assert!((image.flags | Flags::INEXACT).contains(flags), "{name}l({}) raises {flags:?}", shown());
            }
        }
    }

    #[test]
    fn other_formats_are_refused() {
        assert!(call(Function::Sin, &[Float::zero(Format::BINARY128, false)]).is_err());
        for odd in [1u128 << 63, 0x3fff << 64 | 1, 0x7fff << 64] {
            assert!(call(Function::Sin, &[Float::from_bits(Format::X87, odd)]).is_err(), "{odd:x}");
        }
    }
}

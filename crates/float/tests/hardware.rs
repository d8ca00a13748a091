//! Every operation on binary32 and binary64 against the processor's SSE unit: values and flags, all four rounding
//! modes, FTZ and DAZ. The processor's flags are read from MXCSR.
#![cfg(target_arch = "x86_64")]

mod patterns;

use std::arch::asm;
use std::cmp::Ordering;

use labrys_float::{Environment, Flags, Float, Format, RoundingMode};
use num_bigint::BigInt;
use patterns::{Source, interchange};

const MODES: [(RoundingMode, u32); 4] = [
    (RoundingMode::NearestEven, 0),
    (RoundingMode::TowardNegative, 1),
    (RoundingMode::TowardPositive, 2),
    (RoundingMode::TowardZero, 3),
];

/// All sixteen environments, each with the control register that means it (all exceptions masked).
fn environments() -> Vec<(Environment, u32)> {
    let mut all = Vec::new();
    for (rounding, bits) in MODES {
        for (flush_to_zero, denormals_are_zero) in [(false, false), (true, false), (false, true), (true, true)] {
            let environment = Environment { rounding, flush_to_zero, denormals_are_zero, ..Environment::default() };
            let control = 0x1f80 | bits << 13 | u32::from(flush_to_zero) << 15 | u32::from(denormals_are_zero) << 6;
            all.push((environment, control));
        }
    }
    all
}

fn flags(mxcsr: u32) -> Flags {
    let pairs = [
        (0x01, Flags::INVALID),
        (0x04, Flags::DIVBYZERO),
        (0x08, Flags::OVERFLOW),
        (0x10, Flags::UNDERFLOW),
        (0x20, Flags::INEXACT),
    ];
    pairs.iter().filter(|(bit, _)| mxcsr & bit != 0).map(|(_, flag)| *flag).collect()
}

/// Runs one SSE instruction under a control word: `$a` is read and written, the others are read.
macro_rules! sse {
    ($control:expr, $instruction:literal, $a:expr $(, $name:ident = $operand:expr)*) => {{
        let (mut saved, mut status) = (0u32, $control);
        let mut a = $a;
        // SAFETY: only registers and the two locals are touched, and the control register is restored.
        unsafe {
            asm!(
                "stmxcsr [{saved}]", "ldmxcsr [{status}]", $instruction, "stmxcsr [{status}]", "ldmxcsr [{saved}]",
                saved = in(reg) &raw mut saved, status = in(reg) &raw mut status, a = inout(xmm_reg) a,
                $($name = in(xmm_reg) $operand,)* options(nostack)
            );
        }
        (a, flags(status))
    }};
}

/// Runs one SSE instruction that writes a general register.
macro_rules! sse_to_integer {
    ($control:expr, $instruction:literal, $ty:ty, $a:expr $(, $name:ident = $operand:expr)*) => {{
        let (mut saved, mut status) = (0u32, $control);
        let r: $ty;
        // SAFETY: only registers and the two locals are touched, and the control register is restored.
        unsafe {
            asm!(
                "stmxcsr [{saved}]", "ldmxcsr [{status}]", $instruction, "stmxcsr [{status}]", "ldmxcsr [{saved}]",
                saved = in(reg) &raw mut saved, status = in(reg) &raw mut status, a = in(xmm_reg) $a,
                r = out(reg) r, $($name = in(xmm_reg) $operand,)*
            );
        }
        (r, flags(status))
    }};
}

fn double(source: &mut Source) -> f64 {
    f64::from_bits(interchange(source, 11, 53) as u64)
}

fn single(source: &mut Source) -> f32 {
    f32::from_bits(interchange(source, 8, 24) as u32)
}

/// Compares values (all NaNs alike) and flags.
#[track_caller]
fn check(
    what: &str,
    ours: labrys_float::Rounded,
    theirs: (Float, Flags),
    operands: &[Float],
    environment: &Environment,
) {
    let shown: Vec<String> = operands.iter().map(Float::to_hex).collect();
    assert!(
        ours.value.same_value(&theirs.0) && ours.flags == theirs.1,
        "{what} {shown:?} {environment:?}: ours {} {:?}, the processor's {} {:?}",
        ours.value.to_hex(),
        ours.flags,
        theirs.0.to_hex(),
        theirs.1
    );
}

fn from64((value, flags): (f64, Flags)) -> (Float, Flags) {
    (Float::from_f64(value), flags)
}

fn from32((value, flags): (f32, Flags)) -> (Float, Flags) {
    (Float::from_f32(value), flags)
}

#[test]
fn binary64_arithmetic() {
    let mut source = Source(1);
    for (environment, control) in environments() {
        for _ in 0..6000 {
            let (x, y) = (double(&mut source), double(&mut source));
            let operands = [Float::from_f64(x), Float::from_f64(y)];
            let [a, b] = &operands;
            let of = |ours, theirs, what| check(what, ours, from64(theirs), &operands, &environment);
            of(environment.add(a, b), sse!(control, "addsd {a}, {b}", x, b = y), "add");
            of(environment.sub(a, b), sse!(control, "subsd {a}, {b}", x, b = y), "sub");
            of(environment.mul(a, b), sse!(control, "mulsd {a}, {b}", x, b = y), "mul");
            of(environment.div(a, b), sse!(control, "divsd {a}, {b}", x, b = y), "div");
            of(environment.sqrt(b), sse!(control, "sqrtsd {a}, {b}", x, b = y), "sqrt");
        }
    }
}

#[test]
fn binary32_arithmetic() {
    let mut source = Source(2);
    for (environment, control) in environments() {
        for _ in 0..6000 {
            let (x, y) = (single(&mut source), single(&mut source));
            let operands = [Float::from_f32(x), Float::from_f32(y)];
            let [a, b] = &operands;
            let of = |ours, theirs, what| check(what, ours, from32(theirs), &operands, &environment);
            of(environment.add(a, b), sse!(control, "addss {a}, {b}", x, b = y), "add");
            of(environment.sub(a, b), sse!(control, "subss {a}, {b}", x, b = y), "sub");
            of(environment.mul(a, b), sse!(control, "mulss {a}, {b}", x, b = y), "mul");
            of(environment.div(a, b), sse!(control, "divss {a}, {b}", x, b = y), "div");
            of(environment.sqrt(b), sse!(control, "sqrtss {a}, {b}", x, b = y), "sqrt");
        }
    }
}

#[test]
fn fused_multiply_add() {
    if !std::is_x86_feature_detected!("fma") {
        return;
    }
    let mut source = Source(3);
    for (environment, control) in environments() {
        for i in 0..6000 {
            let (x, y) = (double(&mut source), double(&mut source));
            // Half of the addends nearly cancel the product.
            let z = if i % 2 == 0 { double(&mut source) } else { -(x * y) };
            let operands = [x, y, z].map(Float::from_f64);
            let [a, b, c] = &operands;
            let theirs = sse!(control, "vfmadd213sd {a}, {b}, {c}", x, b = y, c = z);
            check("fma", environment.fma(a, b, c), from64(theirs), &operands, &environment);

            let (x, y, z) = (single(&mut source), single(&mut source), single(&mut source));
            let operands = [x, y, z].map(Float::from_f32);
            let [a, b, c] = &operands;
            let theirs = sse!(control, "vfmadd213ss {a}, {b}, {c}", x, b = y, c = z);
            check("fma", environment.fma(a, b, c), from32(theirs), &operands, &environment);
        }
    }
}

#[test]
fn conversions_between_formats() {
    let mut source = Source(4);
    for (environment, control) in environments() {
        for i in 0..6000 {
            let x = if i % 2 == 0 { double(&mut source) } else { f64::from(single(&mut source)) * 1.000_000_01 };
            let operand = Float::from_f64(x);
            let narrowed = sse!(control, "cvtsd2ss {a}, {a}", x);
            let theirs = (Float::from_f32(f32::from_bits(narrowed.0.to_bits() as u32)), narrowed.1);
            let ours = environment.convert(&operand, Format::BINARY32);
            check("cvtsd2ss", ours, theirs, &[operand], &environment);

            let x = single(&mut source);
            let operand = Float::from_f32(x);
            let theirs = sse!(control, "cvtss2sd {a}, {b}", 0.0f64, b = x);
            let ours = environment.convert(&operand, Format::BINARY64);
            check("cvtss2sd", ours, from64(theirs), &[operand], &environment);
        }
    }
}

#[test]
fn rounding_to_integral() {
    let mut source = Source(5);
    for (environment, control) in environments() {
        for i in 0..6000 {
            let x = if i % 2 == 0 { double(&mut source) } else { source.below(4096) as f64 / 8.0 - 256.0 };
            let operand = Float::from_f64(x);
            let signals = sse!(control, "roundsd {a}, {a}, 4", x);
            let ours = environment.round_to_integral(&operand, environment.rounding, true);
            check("rint", ours, from64(signals), std::slice::from_ref(&operand), &environment);
            let silent = sse!(control, "roundsd {a}, {a}, 12", x);
            let ours = environment.round_to_integral(&operand, environment.rounding, false);
            check("nearbyint", ours, from64(silent), &[operand], &environment);
        }
    }
    let modes = [RoundingMode::NearestAway, RoundingMode::TowardPositive, RoundingMode::TowardNegative];
    for _ in 0..20_000 {
        let x = source.below(4096) as f64 / 8.0 - 256.0;
        for (mode, native) in modes.into_iter().zip([x.round(), x.ceil(), x.floor()]) {
            let ours = Environment::default().round_to_integral(&Float::from_f64(x), mode, false);
            assert_eq!(ours.value, Float::from_f64(native), "{x}");
        }
    }
}

#[test]
fn conversions_to_and_from_integers() {
    let mut source = Source(6);
    for (environment, control) in environments() {
        for i in 0..4000 {
            let x = match i % 4 {
                0 => double(&mut source),
                1 => source.word() as i64 as f64,
                2 => source.word() as u32 as f64 * 1.5 - 3e9,
                _ => (source.below(4096) as f64 - 2048.0) / 4.0,
            };
            let operand = Float::from_f64(x);
            let nearest = environment.to_integer(&operand, environment.rounding, 64, true);
            let (value, raised) = sse_to_integer!(control, "cvtsd2si {r}, {a}", i64, x);
            check_integer(nearest, i128::from(value), raised, i64::MIN.into(), x);
            let truncated = environment.to_integer(&operand, RoundingMode::TowardZero, 32, true);
            let (value, raised) = sse_to_integer!(control, "cvttsd2si {r:e}, {a}", u32, x);
            check_integer(truncated, i128::from(value as i32), raised, i32::MIN.into(), x);

            let integer = if i % 2 == 0 { source.word() as i64 } else { source.word() as i64 >> source.below(64) };
            let ours = environment.from_integer(&BigInt::from(integer), Format::BINARY64);
            let theirs = integer_to_double(control, integer);
            check("cvtsi2sd", ours, from64(theirs), &[], &environment);
        }
    }
}

#[track_caller]
fn check_integer(ours: (Option<BigInt>, Flags), value: i128, raised: Flags, indefinite: i128, x: f64) {
    assert_eq!(ours.1, raised, "{x:e}");
    match ours.0 {
        Some(integer) => assert_eq!(integer, BigInt::from(value), "{x:e}"),
        None => assert_eq!(value, indefinite, "{x:e}"),
    }
}

fn integer_to_double(control: u32, integer: i64) -> (f64, Flags) {
    let (mut saved, mut status) = (0u32, control);
    let result: f64;
    // SAFETY: only registers and the two locals are touched, and the control register is restored.
    unsafe {
        asm!(
            "stmxcsr [{saved}]", "ldmxcsr [{status}]", "xorps {a}, {a}", "cvtsi2sd {a}, {i}", "stmxcsr [{status}]",
            "ldmxcsr [{saved}]", saved = in(reg) &raw mut saved, status = in(reg) &raw mut status,
            a = out(xmm_reg) result, i = in(reg) integer, options(nostack)
        );
    }
    (result, flags(status))
}

/// The order a comparison instruction left in the carry, zero and parity flags.
fn order(lahf: u16) -> Option<Ordering> {
    match (lahf & 0x01 != 0, lahf & 0x40 != 0, lahf & 0x04 != 0) {
        (_, _, true) => None,
        (true, ..) => Some(Ordering::Less),
        (_, true, _) => Some(Ordering::Equal),
        _ => Some(Ordering::Greater),
    }
}

#[test]
fn comparisons() {
    let mut source = Source(7);
    for (environment, control) in environments() {
        for i in 0..6000 {
            let x = double(&mut source);
            let y = if i % 3 == 0 { f64::from_bits(x.to_bits() ^ 1) } else { double(&mut source) };
            let (a, b) = (Float::from_f64(x), Float::from_f64(y));
            let (bits, raised) = sse_to_integer!(control, "ucomisd {a}, {b}\npushfq\npop {r}", u64, x, b = y);
            assert_eq!(environment.compare_quiet(&a, &b), (order(bits as u16), raised), "{x:e} {y:e} {environment:?}");
            let (bits, raised) = sse_to_integer!(control, "comisd {a}, {b}\npushfq\npop {r}", u64, x, b = y);
            let ours = environment.compare_signaling(&a, &b);
            assert_eq!(ours, (order(bits as u16), raised), "{x:e} {y:e} {environment:?}");
        }
    }
}

#[test]
fn fmod_agrees_with_libm() {
    let mut source = Source(8);
    for i in 0..40_000 {
        let x = double(&mut source);
        let y = if i % 2 == 0 { double(&mut source) } else { x * 0.37 };
        let ours = Environment::default().fmod(&Float::from_f64(x), &Float::from_f64(y));
        assert!(ours.value.same_value(&Float::from_f64(x % y)), "fmod {x:e} {y:e}: {}", ours.value.to_hex());
        assert!(!ours.flags.contains(Flags::INEXACT));
    }
}

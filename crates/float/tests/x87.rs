//! The 80-bit format against the processor's x87 unit: values and flags in all four rounding modes, the encodings that
//! processors reject included.
#![cfg(target_arch = "x86_64")]

mod patterns;

use std::arch::asm;

use labrys_float::{Environment, Flags, Float, Format, Rounded, RoundingMode};
use patterns::Source;

const MODES: [(RoundingMode, u16); 4] = [
    (RoundingMode::NearestEven, 0),
    (RoundingMode::TowardNegative, 1),
    (RoundingMode::TowardPositive, 2),
    (RoundingMode::TowardZero, 3),
];

fn flags(status: u16) -> Flags {
    let pairs = [
        (0x01, Flags::INVALID),
        (0x04, Flags::DIVBYZERO),
        (0x08, Flags::OVERFLOW),
        (0x10, Flags::UNDERFLOW),
        (0x20, Flags::INEXACT),
    ];
    pairs.iter().filter(|(bit, _)| status & bit != 0).map(|(_, flag)| *flag).collect()
}

/// Loads two operands under a control word, runs the instructions, stores with `$store`.
macro_rules! x87 {
    ($mode:expr, $instructions:literal, $store:literal, $a:expr, $b:expr) => {{
        let control = 0x037fu16 | $mode << 10;
        let (a, b, mut out, mut status) = ($a.to_le_bytes(), $b.to_le_bytes(), [0u8; 16], 0u16);
        // SAFETY: the register stack is empty before and after; only the locals are touched.
        unsafe {
            asm!(
                "fninit", "fldcw [{control}]", "fld tbyte ptr [{b}]", "fld tbyte ptr [{a}]", "fnclex", $instructions,
                $store, "fnstsw [{status}]", "fninit",
                control = in(reg) &raw const control, a = in(reg) &raw const a, b = in(reg) &raw const b,
                out = in(reg) &raw mut out, status = in(reg) &raw mut status,
                out("ax") _, out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _, out("st(4)") _,
                out("st(5)") _, out("st(6)") _, out("st(7)") _
            );
        }
        (u128::from_le_bytes(out), flags(status))
    }};
}

fn extended(source: &mut Source) -> u128 {
    let encoding = patterns::interchange(source, 15, 64);
    let (upper, fraction) = (encoding >> 63, encoding & ((1 << 63) - 1));
    let normal = upper & 0x7fff != 0;
    // One in sixteen has the wrong leading bit: unnormals, pseudo-infinities, pseudo-subnormals.
    let leading = normal != (source.below(16) == 0);
    upper << 64 | u128::from(leading) << 63 | fraction
}

#[track_caller]
fn check(what: &str, ours: Rounded, format: Format, theirs: (u128, Flags), operands: [u128; 2], mode: RoundingMode) {
    let value = Float::from_bits(format, theirs.0);
    assert!(
        ours.value.same_value(&value) && ours.flags == theirs.1,
        "{what} {operands:x?} {mode:?}: ours {} {:?}, the processor's {} {:?}",
        ours.value.to_hex(),
        ours.flags,
        value.to_hex(),
        theirs.1
    );
}

#[test]
fn arithmetic() {
    let mut source = Source(11);
    for (mode, bits) in MODES {
        let environment = Environment::with_rounding(mode);
        for _ in 0..8000 {
            let (x, y) = (extended(&mut source), extended(&mut source));
            let (a, b) = (Float::from_bits(Format::X87, x), Float::from_bits(Format::X87, y));
            let of = |ours, theirs, what| check(what, ours, Format::X87, theirs, [x, y], mode);
            of(environment.add(&a, &b), x87!(bits, "fadd st(0), st(1)", "fstp tbyte ptr [{out}]", x, y), "fadd");
            of(environment.sub(&a, &b), x87!(bits, "fsub st(0), st(1)", "fstp tbyte ptr [{out}]", x, y), "fsub");
            of(environment.mul(&a, &b), x87!(bits, "fmul st(0), st(1)", "fstp tbyte ptr [{out}]", x, y), "fmul");
            of(environment.div(&a, &b), x87!(bits, "fdiv st(0), st(1)", "fstp tbyte ptr [{out}]", x, y), "fdiv");
            of(environment.sqrt(&a), x87!(bits, "fsqrt", "fstp tbyte ptr [{out}]", x, y), "fsqrt");
            let integral = environment.round_to_integral(&a, mode, true);
            of(integral, x87!(bits, "frndint", "fstp tbyte ptr [{out}]", x, y), "frndint");
        }
    }
}

#[test]
fn remainders() {
    let mut source = Source(12);
    let environment = Environment::default();
    for i in 0..20_000 {
        let x = extended(&mut source);
        let y = if i % 2 == 0 { extended(&mut source) } else { x.wrapping_sub(u128::from(source.below(9)) << 64) };
        let (a, b) = (Float::from_bits(Format::X87, x), Float::from_bits(Format::X87, y));
        // The instructions reduce by at most 63 bits at a time and say so in C2.
        let truncated = x87!(0, "2: fprem\nfnstsw ax\ntest ah, 4\njnz 2b", "fstp tbyte ptr [{out}]", x, y);
        check("fprem", environment.fmod(&a, &b), Format::X87, truncated, [x, y], RoundingMode::NearestEven);
        let nearest = x87!(0, "2: fprem1\nfnstsw ax\ntest ah, 4\njnz 2b", "fstp tbyte ptr [{out}]", x, y);
        check("fprem1", environment.ieee_remainder(&a, &b), Format::X87, nearest, [x, y], RoundingMode::NearestEven);
    }
}

#[test]
fn conversions() {
    let mut source = Source(13);
    for (mode, bits) in MODES {
        let environment =
            Environment { flush_to_zero: true, denormals_are_zero: true, ..Environment::with_rounding(mode) };
        for i in 0..10_000 {
            // Half of the operands lie in binary64's range and around its ends.
            let x = if i % 2 == 0 {
                extended(&mut source)
            } else {
                let field = 16383 - 1100 + u128::from(source.below(2200));
                field << 64 | 1 << 63 | (source.wide() & (u128::MAX >> 65))
            };
            let a = Float::from_bits(Format::X87, x);
            let double = x87!(bits, "", "fstp qword ptr [{out}]", x, x);
            check("double", environment.convert(&a, Format::BINARY64), Format::BINARY64, double, [x, x], mode);
            let single = x87!(bits, "", "fstp dword ptr [{out}]", x, x);
            check("float", environment.convert(&a, Format::BINARY32), Format::BINARY32, single, [x, x], mode);

            let narrow = patterns::interchange(&mut source, 11, 53);
            let ours = environment.convert(&Float::from_bits(Format::BINARY64, narrow), Format::X87);
            let loaded = x87!(bits, "fld qword ptr [{a}]", "fstp tbyte ptr [{out}]", narrow, x);
            check("extended", ours, Format::X87, loaded, [narrow, x], mode);
        }
    }
}

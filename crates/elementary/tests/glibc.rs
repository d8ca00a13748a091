//! The enclosures against the machine's own libm: what it returns and raises must be a member.

use labrys_elementary::{Function, Range, image, may_raise};
use labrys_float::{Flags, Float};
use labrys_formulas::Random;

macro_rules! functions {
    ($($function:ident $name:ident $single:ident),*; $($function2:ident $name2:ident $single2:ident),*) => {
        mod c {
            use std::ffi::c_int;
            unsafe extern "C" {
                $(pub fn $name(x: f64) -> f64; pub fn $single(x: f32) -> f32;)*
                $(pub fn $name2(x: f64, y: f64) -> f64; pub fn $single2(x: f32, y: f32) -> f32;)*
                pub fn feclearexcept(excepts: c_int) -> c_int;
                pub fn fetestexcept(excepts: c_int) -> c_int;
            }
        }

        fn double(function: Function, x: f64, y: f64) -> f64 {
            // SAFETY: libm's functions are defined for all arguments.
            unsafe {
                match function {
                    $(Function::$function => c::$name(x),)*
                    $(Function::$function2 => c::$name2(x, y),)*
                }
            }
        }

        fn single(function: Function, x: f32, y: f32) -> f32 {
            // SAFETY: libm's functions are defined for all arguments.
            unsafe {
                match function {
                    $(Function::$function => c::$single(x),)*
                    $(Function::$function2 => c::$single2(x, y),)*
                }
            }
        }
    };
}

functions!(
    Sin sin sinf, Cos cos cosf, Tan tan tanf, Asin asin asinf, Acos acos acosf, Atan atan atanf, Sinh sinh sinhf,
    Cosh cosh coshf, Tanh tanh tanhf, Asinh asinh asinhf, Acosh acosh acoshf, Atanh atanh atanhf, Exp exp expf,
    Exp2 exp2 exp2f, Exp10 exp10 exp10f, Expm1 expm1 expm1f, Log log logf, Log2 log2 log2f, Log10 log10 log10f,
    Log1p log1p log1pf, Logb logb logbf, Cbrt cbrt cbrtf, Erf erf erff, Erfc erfc erfcf, Tgamma tgamma tgammaf,
    Lgamma lgamma lgammaf, J0 j0 j0f, J1 j1 j1f, Y0 y0 y0f, Y1 y1 y1f;
    Atan2 atan2 atan2f, Pow pow powf, Hypot hypot hypotf
);

/// The flags' bits in fenv.h: invalid, divbyzero, overflow, underflow.
const BITS: [(Flags, std::ffi::c_int); 4] = if cfg!(target_arch = "x86_64") {
    [(Flags::INVALID, 1), (Flags::DIVBYZERO, 4), (Flags::OVERFLOW, 8), (Flags::UNDERFLOW, 16)]
} else {
    [(Flags::INVALID, 1), (Flags::DIVBYZERO, 2), (Flags::OVERFLOW, 4), (Flags::UNDERFLOW, 8)]
};

/// What libm returns and raises; inexact apart.
fn native(function: Function, operands: &[Float]) -> (Float, Flags) {
    let all = BITS.iter().fold(0, |all, (_, bit)| all | bit);
    // SAFETY: reads and clears this thread's status flags.
    unsafe { c::feclearexcept(all) };
    let second = operands.get(1);
    let value = if let Some(x) = operands[0].to_f64() {
        let y = second.and_then(Float::to_f64).unwrap_or(0.0);
        Float::from_f64(std::hint::black_box(double(function, std::hint::black_box(x), y)))
    } else {
        let x = operands[0].to_f32().unwrap();
        let y = second.and_then(Float::to_f32).unwrap_or(0.0);
        Float::from_f32(std::hint::black_box(single(function, std::hint::black_box(x), y)))
    };
    // SAFETY: as above.
    let raised = unsafe { c::fetestexcept(all) };
    let raised =
        BITS.iter().filter(|(_, bit)| raised & bit != 0).fold(Flags::empty(), |flags, (flag, _)| flags | *flag);
    (value, raised)
}

/// A double, with special values, small integers, values of all magnitudes and values near 1 among them.
fn some_double(random: &mut Random) -> f64 {
    let bits = random.bits();
    let sign = if bits & 1 == 0 { 1.0 } else { -1.0 };
    let unit = (random.bits() >> 11) as f64 / (1u64 << 53) as f64;
    sign * match bits >> 1 & 15 {
        0 => 0.0,
        1 => f64::INFINITY,
        2 | 3 => (random.bits() % 8) as f64,
        4 => f64::from_bits(random.bits() % 4 + 1),
        5..=7 => f64::from_bits(random.bits() >> 1).min(f64::MAX),
        8..=10 => unit * 10.0,
        11 => unit * 800.0,
        12 => 1.0 + (random.bits() % 9) as f64 * f64::EPSILON,
        _ => unit.powi(3),
    }
}

fn some_float(random: &mut Random, is_double: bool) -> Float {
    let value = some_double(random);
    if is_double { Float::from_f64(value) } else { Float::from_f32(value as f32) }
}

/// A range around a number: the number alone, near neighbours, or up to another number.
fn around(random: &mut Random, value: &Float, is_double: bool) -> Range {
    let mut other = value.clone();
    match random.bits() % 4 {
        0 => {}
        1 => (0..random.bits() % 5).for_each(|_| other = other.next_up()),
        2 => other = some_float(random, is_double),
        _ => other = Float::from_f64(value.to_f64().unwrap_or(1.0) * 1.25),
    }
    if other.format() != value.format() || other.is_nan() {
        other = value.clone();
    }
    Range::new(value.clone(), other.clone()).or_else(|| Range::new(other, value.clone())).expect("both are numbers")
}

#[test]
fn libm_keeps_within_the_images() {
    let mut random = Random::new(0x9e37_79b9_7f4a_7c15);
    for function in Function::all() {
        for round in 0..300 {
            let is_double = round % 3 != 0;
            let operands: Vec<Float> = (0..function.arity()).map(|_| some_float(&mut random, is_double)).collect();
            if operands.iter().any(Float::is_nan) {
                continue;
            }
            let ranges: Vec<Range> = operands.iter().map(|x| around(&mut random, x, is_double)).collect();
            let image = image(function, &ranges, function.ulps());
            // The number drawn, and the ends.
            let low = ranges.iter().map(|range| range.low().clone()).collect();
            let high = ranges.iter().map(|range| range.high().clone()).collect();
            for point in [operands, low, high] {
                let (value, raised) = native(function, &point);
                let shown = || {
                    let point: Vec<String> = point.iter().map(Float::to_shortest_decimal).collect();
                    format!("{}({}) = {}, {raised:?}", function.name(), point.join(", "), value.to_shortest_decimal())
                };
                assert!(image.contains(&value), "{} not in {image:?}", shown());
                assert!(image.flags.contains(raised), "{} not in {:?}", shown(), image.flags);
            }
        }
    }
}

#[test]
fn images_are_tight_where_functions_are_monotone() {
    let range = |low: f64, high: f64| Range::new(Float::from_f64(low), Float::from_f64(high)).unwrap();
    let raise = |function, operands: &[Range]| may_raise(function, operands, 4) & Flags::NOTABLE;
    let none = Flags::empty();
    assert_eq!(raise(Function::Exp, &[range(-708.0, 709.0)]), none);
    assert_eq!(raise(Function::Exp, &[range(-708.0, 710.0)]), Flags::OVERFLOW);
    assert_eq!(raise(Function::Exp, &[range(-709.0, 0.0)]), Flags::UNDERFLOW);
    assert_eq!(raise(Function::Log, &[range(5e-324, f64::INFINITY)]), none);
    assert_eq!(raise(Function::Log, &[range(-0.0, 1.0)]), Flags::DIVBYZERO);
    assert_eq!(raise(Function::Sin, &[range(1.0, f64::MAX)]), none);
    assert_eq!(raise(Function::Tan, &[range(1e-3, f64::MAX)]), none);
    assert_eq!(raise(Function::Cos, &[range(-1.0, f64::INFINITY)]), Flags::INVALID);
    assert_eq!(raise(Function::Sin, &[range(0.0, 0.0)]), none);
    assert_eq!(raise(Function::Lgamma, &[range(0.5, 100.0)]), none);
    assert_eq!(raise(Function::Tgamma, &[range(-1.9, -1.1)]), none);
    assert_eq!(raise(Function::Lgamma, &[range(-2.9, -2.1)]), none);
    assert_eq!(raise(Function::J0, &[range(0.0, 8.0)]), none);
    assert_eq!(raise(Function::Pow, &[range(0.5, 2.0), range(-1000.0, 1000.0)]), none);
    assert_eq!(raise(Function::Pow, &[range(-2.0, -0.5), range(3.0, 3.0)]), none);
    assert_eq!(raise(Function::Hypot, &[range(1e-300, 1e300), range(-1e300, 1e300)]), none);
    assert_eq!(raise(Function::Atan2, &[range(0.0, 0.0), range(1.0, 2.0)]), none);

    // No float but zero is near enough to a multiple of π for a result of zero.
    for function in [Function::Sin, Function::Tan, Function::Cos] {
        assert!(!image(function, &[range(1e-300, 1e300)], 4).contains(&Float::from_f64(0.0)), "{}", function.name());
    }

    let hull = |function, operands: &[Range]| {
        let image = image(function, operands, 0);
        let ends = |pick: fn(&Range) -> &Float| image.ranges.iter().filter_map(|range| pick(range).to_f64()).collect();
        let (lows, highs): (Vec<f64>, Vec<f64>) = (ends(Range::low), ends(Range::high));
        (lows.into_iter().fold(f64::INFINITY, f64::min), highs.into_iter().fold(f64::NEG_INFINITY, f64::max))
    };
    assert_eq!(hull(Function::Cos, &[range(3.0, 4.0)]), (-1.0, 4f64.cos()));
    assert_eq!(hull(Function::Sin, &[range(1e22, 1e22)]), (-0.8522008497671888, -0.8522008497671888));
    assert_eq!(hull(Function::Cosh, &[range(-1.0, 2.0)]), (1.0, 2f64.cosh()));
    assert_eq!(hull(Function::Pow, &[range(0.5, 2.0), range(-3.0, 2.0)]), (0.125, 8.0));
    assert_eq!(hull(Function::Pow, &[range(-2.0, -1.0), range(2.0, 3.0)]), (-8.0, 8.0));
    let (low, high) = hull(Function::Tgamma, &[range(1.0, 3.0)]);
    assert!((low - 0.8856031944108887).abs() < 1e-15 && high == 2.0);
    let (low, high) = hull(Function::J0, &[range(1.0, 6.0)]);
    assert!((low + 0.4027593957025531).abs() < 1e-13 && (high - 0.7651976865579666).abs() < 1e-13);
}

//! The functions of libm that are made of encodings, as IR, beside the machine's libm: values and exceptions.

use std::ffi::{c_double, c_float, c_int};
use std::path::Path;

use labrys_float::{Environment, Flags, Float, Format};
use labrys_interp::{Datum, Limits, Scalar, interpret};
use labrys_program::Program;

// SAFETY: none of them has a condition.
unsafe extern "C" {
    safe fn nextafter(x: c_double, y: c_double) -> c_double;
    safe fn nextafterf(x: c_float, y: c_float) -> c_float;
    safe fn ilogb(x: c_double) -> c_int;
    safe fn ilogbf(x: c_float) -> c_int;
    safe fn logb(x: c_double) -> c_double;
    safe fn logbf(x: c_float) -> c_float;
    safe fn feclearexcept(exceptions: c_int) -> c_int;
    safe fn fetestexcept(exceptions: c_int) -> c_int;
}

const IR: &str = "
declare double @nextafter(double, double)
declare float @nextafterf(float, float)
declare i32 @ilogb(double)
declare i32 @ilogbf(float)
declare double @logb(double)
declare float @logbf(float)
define void @all() {
  %a = call double @nextafter(double 0.0, double 1.0)
  %b = call float @nextafterf(float 0.0, float 1.0)
  %c = call i32 @ilogb(double 1.0)
  %d = call i32 @ilogbf(float 1.0)
  %e = call double @logb(double 1.0)
  %f = call float @logbf(float 1.0)
  ret void
}";

/// Invalid, division by zero, overflow, underflow: bits of x86-64.
const NOTABLE: [(c_int, Flags); 4] =
    [(1, Flags::INVALID), (4, Flags::DIVBYZERO), (8, Flags::OVERFLOW), (16, Flags::UNDERFLOW)];

/// What a call of libm gives and raises.
fn native<T>(call: impl FnOnce() -> T) -> (T, Flags) {
    feclearexcept(0x3f);
    let result = std::hint::black_box(call());
    let raised = fetestexcept(0x3f);
    let flags = NOTABLE.iter().filter(|(bit, _)| raised & bit != 0);
    (result, flags.fold(Flags::empty(), |all, (_, flag)| all | *flag))
}

/// The same of the IR, the result as bits, every NaN one.
fn run(program: &Program, name: &str, arguments: &[Float]) -> (u128, Flags) {
    let function = program.function(name).unwrap();
    let arguments = arguments.iter().map(|float| [Scalar::float(float.clone())].into()).collect();
    let run = interpret(program, function, arguments, &Environment::default(), &Limits::default());
    let bits = match &run.result.unwrap()[0].datum {
        Datum::Float(float) if float.is_nan() => u128::MAX,
        Datum::Float(float) => float.to_u128().unwrap(),
        Datum::Int(int) => int.concrete().unwrap(),
        other => panic!("{other:?}"),
    };
    (bits, run.flags & Flags::NOTABLE)
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[test]
fn functions_of_encodings_are_those_of_libm() {
    let program = Program::from_bytes_promoted_with(IR.as_bytes(), "f.ll", Some(Path::new("none"))).unwrap();
    let of = |x: f64| if x.is_nan() { u128::MAX } else { u128::from(x.to_bits()) };
    let of_f = |x: f32| if x.is_nan() { u128::MAX } else { u128::from(x.to_bits()) };
    let doubles: Vec<f64> = [0.0, 1.0, 1.5, 2.0, 5e-324, 1e-310, f64::MIN_POSITIVE, f64::MAX, f64::INFINITY, f64::NAN]
        .into_iter()
        .flat_map(|x: f64| [x, -x, x.next_up(), x.next_down(), -x.next_down()])
        .collect();
    for x in &doubles {
        let (exponent, flags) = native(|| ilogb(*x));
        assert_eq!(run(&program, "ilogb", &[Float::from_f64(*x)]), (u128::from(exponent as u32), flags), "{x:e}");
        let (exponent, flags) = native(|| logb(*x));
        assert_eq!(run(&program, "logb", &[Float::from_f64(*x)]), (of(exponent), flags), "{x:e}");
        for y in &doubles {
            let (next, flags) = native(|| nextafter(*x, *y));
            let ours = run(&program, "nextafter", &[Float::from_f64(*x), Float::from_f64(*y)]);
            assert_eq!(ours, (of(next), flags), "{x:e} {y:e}");
        }
    }
    let float = |x: f32| Float::from_bits(Format::BINARY32, u128::from(x.to_bits()));
    // Quiet numbers of every exponent: a signaling NaN is another one behind a call.
    for bits in (0..=u32::MAX).step_by(499_979) {
        let x = f32::from_bits(bits);
        if x.is_nan() && bits & 0x0040_0000 == 0 {
            continue;
        }
        let (exponent, flags) = native(|| ilogbf(x));
        assert_eq!(run(&program, "ilogbf", &[float(x)]), (u128::from(exponent as u32), flags), "{x:e}");
        let (exponent, flags) = native(|| logbf(x));
        assert_eq!(run(&program, "logbf", &[float(x)]), (of_f(exponent), flags), "{x:e}");
        for y in [0.0, -0.0, 1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            let (next, flags) = native(|| nextafterf(x, y));
            assert_eq!(run(&program, "nextafterf", &[float(x), float(y)]), (of_f(next), flags), "{x:e} {y:e}");
        }
    }
}

//! libm's functions: the shadow through binary128 beside MPFR.

use labrys_elementary::{Function, rug};
use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::fixture::{PRECISION, Source, agreement};

/// Calls of every function on several operands.
const POINTS: usize = 60;

/// Functions whose implementation is exact only absolutely near zeros.
fn has_zeros(function: Function) -> bool {
    use Function::*;
    matches!(function, J0 | J1 | Y0 | Y1 | Lgamma)
}

/// One function that computes all of them: of (x, y), and with one operand of x and of y.
fn source(suffix: &str, of: &str) -> String {
    let mut body = String::new();
    for (index, function) in Function::all().enumerate() {
        let name = function.name();
        let (first, second) = match function.arity() {
            1 => (format!("{name}{suffix}(x)"), format!("{name}{suffix}(y)")),
            _ => (format!("{name}{suffix}(x, y)"), format!("{name}{suffix}(y, x)")),
        };
        body.push_str(&format!("  out[{}] = {first};\n  out[{}] = {second};\n", 2 * index, 2 * index + 1));
    }
    format!("#define _GNU_SOURCE\n#include <math.h>\nvoid f({of} x, {of} y, {of} out[66]) {{\n{body}}}\n")
}

fn check(suffix: &str, of: &str) {
    let source = Source::c(&source(suffix, of));
    let mut subject = source.subject(&format!("void f({of} x, {of} y, {of} out[66])"));
    let mut random = StdRng::seed_from_u64(1);
    let mut points: Vec<[f64; 2]> =
        (0..POINTS).map(|_| [random.random_range(-1.0..1.0), 10f64.powf(random.random_range(-3.0..1.3))]).collect();
    if of == "float" {
        points.iter_mut().flatten().for_each(|value| *value = f64::from(*value as f32));
    }
    let inputs: Vec<Vec<u8>> = points.iter().map(|point| subject.input(point)).collect();
    let calls = subject.run(&inputs);
    let mut checked = [0; 66];
    for ([x, y], call) in points.iter().zip(&calls) {
        assert!(subject.own_is_plain(call), "{x:e} {y:e}");
        for (index, function) in Function::all().enumerate() {
            for (which, operands) in [[x, y], [y, x]].into_iter().enumerate() {
                let operands: Vec<rug::Float> =
                    operands[..function.arity()].iter().map(|value| rug::Float::with_val(53, **value)).collect();
                let truth = function.precise(&operands, PRECISION);
                let near_zero = has_zeros(function) && truth.to_f64().abs() < 0.05;
                if !truth.is_finite() || truth.is_zero() || near_zero {
                    continue;
                }
                let shadow = call.record.outputs[2 * index + which];
                let bits = agreement(&truth, shadow.high, shadow.low);
                assert!(bits > 95.0, "{}{suffix}({operands:?}): {bits} bits", function.name());
                checked[2 * index + which] += 1;
            }
        }
    }
    for (index, function) in Function::all().enumerate() {
        assert!(checked[2 * index] + checked[2 * index + 1] > POINTS / 8, "{}", function.name());
    }
}

#[test]
fn functions_of_doubles_have_95_bits() {
    check("", "double");
}

#[test]
fn functions_of_floats_have_95_bits() {
    check("f", "float");
}

/// exp is computed on double words between limits, elsewhere by binary128: both, what is around them, operands with lower halves, and
/// whole and half steps of its tables.
#[test]
fn exponentials_have_95_bits_over_the_whole_range() {
    let source = Source::c("#include <math.h>\ndouble f(double x, double y) { return exp(x + y); }\n");
    let mut subject = source.subject("double f(double x, double y)");
    let mut random = StdRng::seed_from_u64(7);
    let step = std::f64::consts::LN_2 / 64.0;
    let mut points: Vec<[f64; 2]> = vec![[0.0, 0.0], [-0.0, 0.0], [1e-300, 0.0], [1.0, 0.0], [-1.0, 1e-30]];
    for edge in [-660.0, -600.0, 0.0, 700.0, 709.0] {
        points.extend([f64::next_down, |x| x, f64::next_up].map(|near| [near(edge), 0.0]));
    }
    for case in 0..60_000 {
        let x = match case % 4 {
            0 => random.random_range(-660.0..709.0),
            1 => random.random_range(-3.0..3.0),
            2 => f64::from(random.random_range(-55_000..60_000)) * step * random.random_range(0.999999..1.000001),
            _ => random.random_range(-1.0f64..1.0) * 2f64.powi(random.random_range(-60..9)),
        };
        points.push([x, x * random.random_range(-1.0f64..1.0) * 2f64.powi(-random.random_range(52..60))]);
    }
    let inputs: Vec<Vec<u8>> = points.iter().map(|point| subject.input(point)).collect();
    let mut least = f64::INFINITY;
    for ([x, y], call) in points.iter().zip(subject.run(&inputs)) {
        let sum = rug::Float::with_val(PRECISION, *x) + *y;
        let shadow = call.record.outputs[0];
        let bits = agreement(&Function::Exp.precise(&[sum], PRECISION), shadow.high, shadow.low);
        assert!(bits > 95.0, "exp({x:e} + {y:e}): {bits} bits");
        least = least.min(bits);
    }
    println!("at least {least:.1} bits");
}

/// A call of a function whose result the program rounds to an infinity or zero: the value is its own shadow, and marked.
#[test]
fn what_leaves_the_range_is_marked() {
    let source = Source::c("#include <math.h>\ndouble f(double x) { return exp(x); }\n");
    let mut subject = source.subject("double f(double x)");
    let call = subject.call(&[800.0]);
    assert!(call.record.marks.not_finite && call.record.outputs[0].high == f64::INFINITY);
    let call = subject.call(&[-740.0]);
    assert!(call.record.marks.subnormal && !call.record.marks.not_finite);
    // Both are zero, and the exact value is not.
    let call = subject.call(&[-1600.0]);
    assert!(call.record.marks.subnormal && call.record.outputs[0].high == 0.0);
    let call = subject.call(&[1.0]);
    assert_eq!(call.record.marks, Default::default());
    let source = Source::c("#include <math.h>\ndouble f(double x) { return sin(x) + log(x + 1); }\n");
    let call = source.subject("double f(double x)").call(&[0.0]);
    assert_eq!((call.record.marks, call.record.outputs[0].high), (Default::default(), 0.0));
}

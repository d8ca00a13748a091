//! The arbitrary-precision domain against exact rational arithmetic, and against binary64 where that is exact.

use labrys_elementary::rug;
use labrys_float::{Environment, Float};
use labrys_interp::precise::{Precise, PreciseFloat, Twin};
use labrys_interp::{Datum, Limits, Scalar, ScalarOf, interpret};
use labrys_program::{LengthOptions, Program, map_parameters, parse_signature};
use proptest::prelude::*;

/// The outputs of `f` on a record of doubles, at a precision.
fn twin(program: &Program, arguments: &[f64], precision: u32) -> Vec<ScalarOf<Precise>> {
    let parameters: Vec<String> = (0..arguments.len()).map(|i| format!("double x{i}")).collect();
    let prototype = format!("double({})", parameters.join(", "));
    let signature = parse_signature(&prototype, &LengthOptions::default()).unwrap();
    let function = program.function("f").unwrap();
    let binding = map_parameters(&signature, program, function).unwrap();
    let layout = signature.input_layout();
    let mut record = vec![0; layout.size];
    for (leaf, value) in layout.leaves.iter().zip(arguments) {
        leaf.write(&mut record, u128::from(value.to_bits()));
    }
    let limits = Limits { instructions: 10_000, ..Limits::default() };
    Twin::new(program, None, limits).call(function, &binding, &signature, &record, precision).outputs.unwrap()
}

fn float(scalar: &ScalarOf<Precise>) -> &PreciseFloat {
    match &scalar.datum {
        Datum::Float(float) => float,
        other => panic!("{other:?}"),
    }
}

/// A straight line of operations: each on two of the arguments and results before it.
fn chain() -> impl Strategy<Value = (Vec<f64>, Vec<(usize, usize, usize)>)> {
    let number = (-50i32..50, 1u64..1 << 53).prop_map(|(exponent, digits)| digits as f64 * 2f64.powi(exponent - 52));
    let signed = (number, any::<bool>()).prop_map(|(x, negative)| if negative { -x } else { x });
    (prop::collection::vec(signed, 3), prop::collection::vec((0usize..4, 0usize..100, 0usize..100), 1..12))
}

fn program_of(steps: &[(usize, usize, usize)]) -> Program {
    let name = |index: usize, known: usize| match index % known {
        index if index < 3 => format!("%x{index}"),
        index => format!("%r{}", index - 3),
    };
    let mut text = "define double @f(double %x0, double %x1, double %x2) {\n".to_owned();
    for (step, (operation, a, b)) in steps.iter().enumerate() {
        let operation = ["fadd", "fsub", "fmul", "fdiv"][*operation];
        text += &format!(" %r{step} = {operation} double {}, {}\n", name(*a, step + 3), name(*b, step + 3));
    }
    text += &format!(" ret double %r{}\n}}\n", steps.len() - 1);
    Program::from_bytes(text.as_bytes(), "chain.ll").unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// A chain of field operations: the value is the rational one to within the precision and what cancels. Sums of
    /// twelve steps cancel more than a few thousand bits only if they cancel altogether, and then the value is noise.
    #[test]
    fn chains_of_operations_are_those_of_the_rationals((arguments, steps) in chain()) {
        let rational = |x: f64| rug::Float::with_val(53, x).to_rational().unwrap();
        let mut values: Vec<Option<rug::Rational>> = arguments.iter().map(|x| Some(rational(*x))).collect();
        for (operation, a, b) in &steps {
            let known = values.len();
            let value = match (&values[a % known], &values[b % known]) {
                (Some(x), Some(y)) => match operation {
                    0 => Some((x + y).into()),
                    1 => Some((x - y).into()),
                    2 => Some((x * y).into()),
                    _ if y.cmp0().is_eq() => None,
                    _ => Some((x / y).into()),
                },
                _ => None,
            };
            values.push(value);
        }
        // Doubling digits with every step would make them exponentially long.
        prop_assume!(values.iter().flatten().all(|value| value.denom().significant_bits() < 20_000));
        let Some(Some(expected)) = values.last() else { return Ok(()) };
        // The true value is within the radius at any precision, and at a high one that says something.
        for precision in [24, 64, 200] {
            let outputs = twin(&program_of(&steps), &arguments, precision);
            let near = float(&outputs[0]);
            let apart = rug::Float::with_val(64, near.value().to_rational().map_or(rug::Rational::new(), |x| x - expected));
            prop_assert!(!near.value().is_finite() || near.radius().to_precise() >= apart.abs(), "{near:?} {expected}");
        }
        let outputs = twin(&program_of(&steps), &arguments, 8000);
        // Between two doubles, or at one, what is near rounds to either; a quotient does not.
        let is_short = |of: &rug::Rational| of.numer().significant_bits() + of.denom().significant_bits() < 8_000;
        let is_tie = rug::Float::with_val(54, expected).to_rational().as_ref() == Some(expected);
        let is_quotient = values.iter().flatten().all(is_short);
        prop_assert!(float(&outputs[0]).rounds_alike() || (is_tie && !is_quotient));
        prop_assert!(!is_quotient || !is_tie || float(&outputs[0]).radius().is_zero());
        let actual = float(&outputs[0]).value();
        let expected = rug::Float::with_val(8000, expected);
        let error = rug::Float::with_val(64, actual - &expected).abs();
        let scale = rug::Float::with_val(64, expected.abs_ref()).max(&rug::Float::with_val(64, 1e-100));
        prop_assert!(error <= scale >> 3000u32, "{actual} instead of {expected}");
    }

    /// On small integers every format is exact, and the twin is the concrete domain.
    #[test]
    fn exact_operations_agree_with_binary64(
        a in -1000i32..1000, b in -1000i32..1000, c in 1i32..50, which in 0usize..12,
    ) {
        let body = [
            "%r = call double @llvm.fma.f64(double %x0, double %x1, double %x2)",
            "%r = frem double %x0, %x2",
            "%r = call double @llvm.minnum.f64(double %x0, double %x1)",
            "%r = call double @llvm.maximum.f64(double %x0, double %x1)",
            "%q = fdiv double %x0, 4.0\n %r = call double @llvm.rint.f64(double %q)",
            "%q = fdiv double %x0, 4.0\n %r = call double @llvm.floor.f64(double %q)",
            "%q = fdiv double %x0, 4.0\n %r = call double @llvm.round.f64(double %q)",
            "%q = fdiv double %x0, 4.0\n %i = fptosi double %q to i16\n %r = sitofp i16 %i to double",
            "%t = fptrunc double %x0 to float\n %r = fpext float %t to double",
            "%p = fcmp olt double %x0, %x1\n %r = select i1 %p, double %x2, double %x1",
            "%b = bitcast double %x0 to i64\n %c = xor i64 %b, -9223372036854775808\n %r = bitcast i64 %c to double",
            "%i = call double @llvm.copysign.f64(double %x0, double %x1)\n %r = fmul double %i, %x2",
        ][which];
        let text = format!(
            "define double @f(double %x0, double %x1, double %x2) {{\n {body}\n ret double %r\n}}\n\
             declare double @llvm.fma.f64(double, double, double)\n declare double @llvm.minnum.f64(double, double)\n\
             declare double @llvm.maximum.f64(double, double)\n declare double @llvm.rint.f64(double)\n\
             declare double @llvm.floor.f64(double)\n declare double @llvm.round.f64(double)\n\
             declare double @llvm.copysign.f64(double, double)\n"
        );
        let program = Program::from_bytes(text.as_bytes(), "exact.ll").unwrap();
        let arguments = [f64::from(a), f64::from(b), f64::from(c)];
        let outputs = twin(&program, &arguments, 128);
        let scalars = arguments.iter().map(|x| [Scalar::float(Float::from_f64(*x))].into()).collect();
        let environment = Environment::default();
        let soft = interpret(&program, program.function("f").unwrap(), scalars, &environment, &Limits::default());
        let Datum::Float(expected) = &soft.result.unwrap()[0].datum else { panic!("no float") };
        prop_assert!(float(&outputs[0]).nearest().value.same_value(expected), "{:?} {expected:?}", outputs[0]);
    }
}

#[test]
fn exponents_have_no_limits_that_matter() {
    let text = "define double @f(double %x) {\n %a = fmul double %x, %x\n %b = fmul double %a, %a\n \
                %c = fdiv double %b, %x\n %d = fdiv double %c, %x\n %e = fdiv double %d, %a\n ret double %e\n}";
    let program = Program::from_bytes(text.as_bytes(), "range.ll").unwrap();
    for x in [1e300, 5e-324] {
        let outputs = twin(&program, &[x], 128);
        let error = rug::Float::with_val(64, float(&outputs[0]).value() - 1u32).abs();
        assert!(error < 1e-30, "{error}");
    }
}

/// Chains of elementary functions, of many operands: at 64 bits the value of 1,000 bits is within the radius, and most radii are bounded.
#[test]
fn the_values_of_elementary_functions_are_within_their_radii() {
    const ONE: [&str; 23] = [
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "exp2",
        "expm1", "log", "log2", "log10", "log1p", "cbrt", "erf", "tgamma", "lgamma",
    ];
    let operands = [0.0, 1e-300, 1e-9, 0.3, 0.5, 0.999_999, 1.0, 1.000_001, 1.7, 3.9, 20.5, -0.3, -1.0, -2.5, -40.0];
    let (mut bounded, mut all) = (0, 0);
    for (index, inner) in ONE.iter().enumerate() {
        for (other, outer) in ONE.iter().enumerate().filter(|(other, _)| (index + other) % 3 == 0) {
            let text = format!(
                "define double @f(double %x, double %y) {{\n %a = fdiv double %x, 3.0\n %b = call double @{inner}(double %a)\n \
                 %c = call double @{outer}(double %b)\n %d = call double @pow(double %c, double %y)\n \
                 %e = call double @atan2(double %d, double %b)\n %g = call double @hypot(double %e, double %c)\n \
                 ret double %{}\n}}\ndeclare double @pow(double, double)\ndeclare double @atan2(double, double)\n\
                 declare double @hypot(double, double)\ndeclare double @{inner}(double)\n{}",
                ["c", "d", "g"][(index + other / 3) % 3],
                if inner == outer { String::new() } else { format!("declare double @{outer}(double)\n") },
            );
            let program = Program::from_bytes(text.as_bytes(), "elementary.ll").unwrap();
            for x in operands {
                let [low, high] = [64, 1000].map(|precision| twin(&program, &[3.0 * x, 1.25], precision));
                let (low, high) = (float(&low[0]), float(&high[0]));
                all += 1;
                if !low.radius().is_bounded() {
                    continue;
                }
                bounded += 1;
                let apart = rug::Float::with_val(64, low.value() - high.value()).abs();
                let is_within = apart <= low.radius().to_precise() || (low.value().is_nan() && high.value().is_nan());
                let is_same = low.value() == high.value();
                assert!(is_within || is_same, "{inner} {outer} {x}: {low:?} {high:?}");
            }
        }
    }
    assert!(bounded > all / 2, "{bounded} of {all}");
}

use std::process::Command;

use labrys_elementary::rug;
use labrys_float::{Environment, Flags, Float};
use labrys_interp::{Cause, Limits, RecordCall, SoftEvent};
use labrys_program::{
    Access, FloatType, Length, LengthOptions, Parameter, ParameterType, Pointee, Program, ScalarType, Signature,
    StructField, StructType, map_parameters, parse_signature,
};
use labrys_report::Severity;

use super::*;

/// A C file, compiled.
struct Subject {
    program: Program,
}

/// Functions with one feature each; compiled once for each test.
const PRELUDE: &str = "#include <math.h>\n#include <string.h>\n#include <stdint.h>\n";

impl Subject {
    fn new(text: &str) -> Subject {
        let folder = tempfile::tempdir().unwrap();
        let (source, bitcode) = (folder.path().join("f.c"), folder.path().join("f.bc"));
        std::fs::write(&source, format!("{PRELUDE}{text}")).unwrap();
        let mut command = Command::new("clang-22");
        command.args(["-O0", "-g", "-w", "-c", "-emit-llvm", "-o"]).arg(&bitcode).arg(&source);
        assert!(command.status().unwrap().success());
        Subject { program: Program::from_bitcode_file(&bitcode).unwrap() }
    }

    /// The effect on a call of `f`.
    fn effect_of(&self, signature: &Signature, floats: &[f64]) -> EffectReport {
        self.effect_on("f", signature, floats)
    }

    /// The effect on a call whose float arguments come in order; the interpreter stands in for the processor.
    fn effect_on(&self, name: &str, signature: &Signature, floats: &[f64]) -> EffectReport {
        self.judged(name, signature, floats, |classifier, call, _| classifier.classify(call))
    }

    /// The effect of one exception of a call of `f` by the first operation that raises it.
    fn effect_of_first(&self, signature: &Signature, floats: &[f64], exception: Flags) -> EffectReport {
        self.judged("f", signature, floats, |classifier, call, events| {
            let event = events.iter().find(|event| event.flags.contains(exception)).unwrap();
            classifier.classify_cause(call, &Cause { exception, ..cause_of(event) })
        })
    }

    /// What a classifier says of a call and the exceptions that it raised.
    fn judged(
        &self,
        name: &str,
        signature: &Signature,
        floats: &[f64],
        judge: impl Fn(&mut Classifier<'_>, &Call<'_>, &[SoftEvent]) -> EffectReport,
    ) -> EffectReport {
        let function = self.program.function(name).unwrap();
        let binding = map_parameters(signature, &self.program, function).unwrap();
        let layout = signature.input_layout();
        let mut record = vec![0; layout.size];
        for (leaf, value) in layout.leaves.iter().zip(floats) {
            let ScalarType::Float(float) = leaf.scalar else { panic!("{leaf:?}") };
            let value = Environment::default().convert(&Float::from_f64(*value), float.format()).value;
            leaf.write(&mut record, value.to_u128().unwrap());
        }
        let call = RecordCall { program: &self.program, function, binding: &binding, signature, init: None };
        let run = call.interpret(&record, &Environment::default(), &Limits::default());
        let observed = run.output.unwrap();
        let call = Call { function, binding: &binding, signature, record: &record, observed: &observed };
        judge(&mut Classifier::new(&self.program, None, DEFAULT_LIMITS), &call, &run.events)
    }
}

/// The exceptions of one operation.
fn cause_of(event: &SoftEvent) -> Cause {
    Cause { places: vec![(event.function, event.block, event.instruction)], exception: event.flags }
}

fn effect(text: &str, prototype: &str, floats: &[f64]) -> EffectReport {
    let signature = parse_signature(prototype, &LengthOptions::default()).unwrap();
    Subject::new(text).effect_of(&signature, floats)
}

const ONE: &str = "double(double x)";
const TWO: &str = "double(double x, double y)";

#[test]
fn a_sum_that_overflows_before_it_is_halved_is_lost_and_avoidable() {
    let report = effect("double f(double x, double y) { return (x + y) / 2; }", TWO, &[1.5e308, 1.25e308]);
    assert_eq!(report.severity, Severity::Lost);
    assert_eq!(report.is_normal, Some(true));
    let truth: f64 = report.true_result.unwrap().parse().unwrap();
    assert_eq!(truth, 1.375e308);
    assert_eq!(report.output.as_deref(), Some("result"));
    assert_eq!(report.error_ulps, None);
}

#[test]
fn a_result_that_does_overflow_is_honest() {
    let text = "double f(double x) { return x * x * x * x; }";
    let report = effect(text, ONE, &[1e100]);
    assert_eq!((report.severity, report.is_normal), (Severity::Honest, Some(false)));
    assert_eq!(report.true_result.unwrap(), "1.0000000000000000636e400");
    let report = effect(text, ONE, &[1e-100]);
    assert_eq!((report.severity, report.is_normal), (Severity::Honest, Some(false)));
    assert!(report.error_ulps.unwrap() < 0.5);
}

/// A double "is lost, it is 1e600", which no double is.
#[test]
fn what_is_beyond_all_results_is_told_in_words() {
    let text = "double f(double x, double y) { return x * y * 1e300 * 1e300 * 1e300 * 1e300; }";
    for (y, words) in [(1e-300, "above the largest finite number"), (-1e-300, "below the least finite number")] {
        let report = effect(text, TWO, &[1e-300, y]);
        assert_eq!((report.severity, report.true_words.as_deref()), (Severity::Lost, Some(words)));
        assert!(report.true_result.is_some_and(|truth| truth.ends_with("e600") || truth.ends_with("e599")));
    }
    let report = effect(text, TWO, &[1e-300, 1e-300 / 1e300 / 1e200]);
    assert_eq!(report.true_words, report.true_result);
}

#[test]
fn naive_hypotenuses_lose_large_and_small_legs() {
    let text = "double f(double x, double y) { return sqrt(x * x + y * y); }";
    let report = effect(text, TWO, &[3e200, 4e200]);
    assert_eq!((report.severity, report.is_normal), (Severity::Lost, Some(true)));
    let report = effect(text, TWO, &[3e-200, 4e-200]);
    assert_eq!((report.severity, report.is_normal), (Severity::Lost, Some(true)));
    assert!(report.error_ulps.unwrap() > 1e15);
    let report = effect(text, TWO, &[3e-160, 4e-160]);
    assert_eq!((report.severity, report.is_normal), (Severity::Inaccurate, Some(true)));
    let report = effect(text, TWO, &[1.0, 1e-200]);
    assert_eq!((report.severity, report.is_normal), (Severity::Harmless, Some(true)));
}

/// "No normal number: the overflow is not avoidable" was said of subnormal true values, and of zero.
#[test]
fn an_overflow_on_the_way_to_any_finite_number_is_avoidable() {
    let text = "double f(double x, double y) { return x * x * y * y; }";
    let of = |x: f64, y: f64| {
        let report = effect(text, TWO, &[x, y]);
        (report.avoidable(Flags::OVERFLOW), report.avoidable(Flags::UNDERFLOW), report.avoidable(Flags::INVALID))
    };
    assert_eq!(of(1e200, 1e-150), (Some(true), Some(true), None));
    assert_eq!(of(1e155, 1e-310), (Some(true), Some(false), None), "subnormal");
    assert_eq!(of(1e155, 0.0), (Some(true), Some(false), None), "zero");
    assert_eq!(of(1e200, 1e100), (Some(false), Some(false), None), "beyond the largest");
    // It was honest, and avoidable.
    let rounded_up = (4.0 * f64::MIN_POSITIVE).next_down();
    let report = effect("double f(double x) { return x / 4; }", ONE, &[rounded_up]);
    assert_eq!(report.avoidable(Flags::UNDERFLOW), Some(false), "rounded to the least normal number");
}

#[test]
fn undefined_results_are_honest() {
    let report = effect("double f(double x) { return sqrt(x); }", ONE, &[-1.0]);
    assert_eq!((report.severity, report.true_result.as_deref()), (Severity::Honest, Some("NaN")));
    let report = effect("double f(double x) { return 1 / x; }", ONE, &[0.0]);
    assert_eq!((report.severity, report.true_result.as_deref()), (Severity::Honest, Some("infinity")));
    let report = effect("double f(double x) { return log(x) + 1; }", ONE, &[0.0]);
    assert_eq!((report.severity, report.true_result.as_deref()), (Severity::Honest, Some("-infinity")));
    let report = effect("double f(double x) { return x - x; }", ONE, &[f64::INFINITY]);
    assert_eq!(report.severity, Severity::Honest);
    assert_eq!(report.notes[0], "The argument x is infinite.");
}

#[test]
fn the_twin_follows_its_own_control_flow() {
    // The guard against the overflow is not taken where nothing overflows.
    let text = "double f(double x) { double y = x * x; return isinf(y) ? -1 : sqrt(y); }";
    let report = effect(text, ONE, &[1e200]);
    assert_eq!(report.severity, Severity::Inaccurate);
    assert_eq!(report.true_result.unwrap(), "9.9999999999999996973e199");
    // A division by zero that only rounding makes: 1 + x is not 1.
    let report = effect("double f(double x) { return x / ((1 + x) - 1); }", ONE, &[1e-20]);
    assert_eq!((report.severity, report.true_result.as_deref()), (Severity::Lost, Some("1")));
}

#[test]
fn cancellation_beyond_the_first_precision_is_seen() {
    // 1e200 + 1 needs 665 bits: with 256 the difference is zero, and seems settled.
    let report = effect("double f(double x) { return (x + 1) - x; }", ONE, &[1e200]);
    assert_eq!((report.severity, report.true_result.as_deref()), (Severity::Lost, Some("1")));
    let report = effect("double f(double x) { return (x + 1e-300) - x; }", ONE, &[1e308]);
    assert_eq!(report.severity, Severity::Lost);
}

#[test]
fn what_is_zero_but_for_rounding_is_settled() {
    // The root of 2 is no number of any precision. What is left of the difference is noise, far below every double.
    let report = effect("double f(double x) { return sqrt(x) * sqrt(x) - x; }", ONE, &[2.0]);
    assert_eq!(report.severity, Severity::Inaccurate, "{report:?}");
    let report = effect("int f(double x) { double r = sqrt(x); return r * r == x; }", "int(double x)", &[4.0]);
    assert_eq!(report.severity, Severity::Harmless, "{report:?}");
    let report = effect("double f(double x) { return (x - 1) * (x - 1); }", ONE, &[1.0]);
    assert_eq!((report.severity, report.true_result.as_deref()), (Severity::Harmless, Some("0")));
}

#[test]
fn iterations_end_as_they_do_natively() {
    let newton = "double f(double a) { double x = a, old; do { old = x; x = (x + a / x) / 2; } \
                  while (fabs(x - old) > 1e-15 * fabs(x)); return x; }";
    let report = effect(newton, ONE, &[2.0]);
    assert_eq!(report.severity, Severity::Harmless);
    assert!(report.true_result.unwrap().starts_with("1.41421356237309504"));
    // Halving ends by underflow only.
    let halve = "double f(double x) { while (x > 0) x /= 2; return x; }";
    let report = effect(halve, ONE, &[1.0]);
    assert_eq!(report.severity, Severity::Unclassified);
    assert!(report.notes[0].contains("does not end"), "{:?}", report.notes);
}

#[test]
fn encodings_of_computed_values_are_not_true_ones() {
    let text =
        "double f(double x) { double y = x / 3; uint64_t b; memcpy(&b, &y, 8); b += 1; memcpy(&y, &b, 8); return y; }";
    let report = effect(text, ONE, &[1.0]);
    assert_eq!(report.severity, Severity::Unclassified);
    assert!(report.notes[0].contains("encoding"), "{:?}", report.notes);
    // Its sign and exponent may decide, and copies are exact.
    let text = "double f(double x) { double y = x / 3, z; uint64_t b; memcpy(&b, &y, 8); z = *(double *)&b; \
                return b >> 63 || (b >> 52) < 1021 ? 0 : z; }";
    let report = effect(text, ONE, &[1.0]);
    assert_eq!(report.severity, Severity::Harmless, "{report:?}");
    assert!(report.true_result.unwrap().starts_with("3.3333333333333333333"), "a third, and not its double");
    // Those of inputs are, and changed as the code says.
    let text = "double f(double x) { uint64_t b; double y, z; memcpy(&b, &x, 8); b &= ~(1ull << 63); \
                memcpy(&y, &b, 8); y /= 3; memcpy(&z, &y, 8); return z; }";
    assert_eq!(effect(text, ONE, &[-1.0]).severity, Severity::Harmless);
}

#[test]
fn elementary_functions_are_true_to_their_exponents() {
    // The exponential of a million has no double and an exact logarithm.
    let text = "double f(double x) { return log(exp(x)); }";
    let report = effect(text, ONE, &[1e6]);
    assert_eq!((report.severity, report.is_normal), (Severity::Lost, Some(true)));
    assert_eq!(report.true_result.as_deref(), Some("1e6"));
    // Beyond MPFR's exponents nothing is known.
    let report = effect("double f(double x) { return exp(x) * exp(-x); }", ONE, &[1e12]);
    assert_eq!(report.severity, Severity::Unclassified, "{report:?}");
    let report = effect("double f(double x) { return exp(x); }", ONE, &[1e12]);
    assert_eq!((report.severity, report.is_normal), (Severity::Honest, Some(false)));
    // The sine of such a number would need as many bits of pi.
    let report = effect("double f(double x) { return sin(exp(x)); }", ONE, &[1e6]);
    assert_eq!(report.severity, Severity::Unclassified);
}

/// The paper's own examples (section 2), as they stand in `examples/`.
#[test]
fn the_averages_of_the_paper_are_classified() {
    let subject = Subject::new(include_str!("../../../../examples/average.c"));
    let effect = |name: &str, x: f64, y: f64| {
        let signature = parse_signature(&format!("double {name}(double x, double y)"), &LengthOptions::default());
        let report = subject.effect_on(name, &signature.unwrap(), &[x, y]);
        (report.severity, report.is_normal)
    };
    let (large, odd) = (1.5e308, f64::from_bits(1));
    assert_eq!(effect("average1", large, large), (Severity::Lost, Some(true)));
    assert_eq!(effect("average2", large, large), (Severity::Harmless, Some(true)));
    assert_eq!(effect("average3", -large, large), (Severity::Lost, Some(false)), "the average is zero");
    assert_eq!(effect("average3", -large, 1.25e308), (Severity::Lost, Some(true)));
    assert_eq!(effect("average4", 1.25e308, -large), (Severity::Lost, Some(true)));
    assert_eq!(effect("average", large, large), (Severity::Harmless, Some(true)));
    assert_eq!(effect("average", 0.0, odd), (Severity::Honest, Some(false)));
}

#[test]
fn the_bessel_expansion_of_the_paper_is_classified() {
    let subject = Subject::new(include_str!("../../../../examples/knu.c"));
    let mut signature = with_out_parameter(&[("val", double()), ("err", double())]);
    signature.parameters.insert(0, parse_signature(ONE, &LengthOptions::default()).unwrap().parameters.remove(0));
    let effect = |nu: f64, x: f64| {
        let report = subject.effect_on("knu", &signature, &[nu, x]);
        (report.severity, report.is_normal)
    };
    // mu · mu overflows, the quotient does not.
    assert_eq!(effect(1e80, 1e100), (Severity::Lost, Some(true)));
    // A division by zero, and the root of a negative number: both are undefined.
    assert_eq!(effect(1.0, 0.0), (Severity::Honest, Some(false)));
    assert_eq!(effect(1.0, -1.0), (Severity::Honest, Some(false)));
    // An underflow that is lost in the sum.
    assert_eq!(effect(1e-200, 1.0), (Severity::Harmless, Some(true)));
}

#[test]
fn functions_that_take_too_long_are_given_up() {
    let text = "double f(double x) { double s = 0; for (int i = 0; i < 90000; i++) s += lgamma(x + i); return s; }";
    let report = effect(text, ONE, &[1.5]);
    assert_eq!(report.severity, Severity::Unclassified);
    assert!(report.notes[0].contains("too long"), "{:?}", report.notes);
}

fn double() -> Pointee {
    Pointee::Scalar(ScalarType::Float(FloatType::F64))
}

/// `int f(double x, struct *r)` with a struct of named members.
fn with_out_parameter(members: &[(&str, Pointee)]) -> Signature {
    let mut fields = Vec::new();
    for (name, ty) in members {
        let offset = 8 * fields.len() as u64;
        fields.push(StructField { name: (*name).to_owned(), offset, ty: ty.clone(), count: 1, is_array: false });
    }
    let size = 8 * fields.len() as u64;
    let pointee = Pointee::Struct(StructType { name: "out".to_owned(), size, align: 8, fields });
    let mut signature = parse_signature("int(double x)", &LengthOptions::default()).unwrap();
    signature.parameters.push(Parameter {
        name: "r".to_owned(),
        ty: ParameterType::Pointer { pointee, length: Length::Fixed(1), access: Access::Out },
    });
    signature
}

#[test]
fn out_parameters_count_and_error_estimates_do_not() {
    let text = "struct out { double val, err; }; int f(double x, struct out *r) {\n\
                r->val = x * x; r->err = (x + 1) - x; if (isinf(r->val)) return 16; return 0; }";
    let signature = with_out_parameter(&[("val", double()), ("err", double())]);
    let subject = Subject::new(text);
    let report = subject.effect_of(&signature, &[1e20]);
    assert_eq!((report.severity, report.output.as_deref()), (Severity::Harmless, Some("r.val")));
    let report = subject.effect_of(&signature, &[1e200]);
    assert_eq!(report.severity, Severity::Honest);
    assert!(report.notes.iter().any(|note| note == "result is 16, in arbitrary precision 0."), "{:?}", report.notes);
}

#[test]
fn what_a_function_leaves_behind_when_it_fails_is_no_true_value() {
    // In binary64 the test for a large value is passed by an infinity that becomes 0.
    let text = "struct out { double val; }; int f(double x, struct out *r) { double y = 1 / (x * x); r->val = 0;\n\
                if (y != 0) return 7; r->val = 1; return 0; }";
    let signature = with_out_parameter(&[("val", double())]);
    let subject = Subject::new(text);
    let report = subject.effect_of(&signature, &[1e200]);
    assert_eq!(report.severity, Severity::Unclassified);
    assert!(report.notes[0].contains("fails with 7"), "{:?}", report.notes);
    // The other way round, a failure that need not be.
    let text = "struct out { double val; }; int f(double x, struct out *r) { r->val = INFINITY;\n\
                if (isinf(x * x)) return 7; r->val = x; return 0; }";
    assert_eq!(Subject::new(text).effect_of(&signature, &[1e200]).severity, Severity::Lost);
}

const OUTPUTS: &str = "void f(double x, double y, double *p, double *q)";
const PRODUCT_BESIDE_SQUARE: &str =
    "void f(double x, double y, double *p, double *q) { *p = x * x; *q = y * 1e-200 * 1e-200 * 1e300; }";

#[test]
fn an_exception_answers_for_the_outputs_that_depend_on_it() {
    let signature = parse_signature(OUTPUTS, &LengthOptions::default()).unwrap();
    let subject = Subject::new(PRODUCT_BESIDE_SQUARE);
    let all = subject.effect_of(&signature, &[1e200, 1.0]);
    assert_eq!((all.severity, all.output.as_deref()), (Severity::Lost, Some("q")));
    let report = subject.effect_of_first(&signature, &[1e200, 1.0], Flags::OVERFLOW);
    assert_eq!((report.severity, report.output.as_deref()), (Severity::Honest, Some("p")));
    assert_eq!(report.is_normal, Some(false));
    assert_eq!(report.true_result.as_deref(), Some("9.9999999999999993947e399"));
    // Where an exception decides what is executed, all outputs count.
    let text = "void f(double x, double y, double *p, double *q) { *p = x * x; *q = y * 1e-200 * 1e-200 * 1e300;\n\
                if (*p > 1) *p = 1; }";
    let report = Subject::new(text).effect_of_first(&signature, &[1e200, 1.0], Flags::OVERFLOW);
    assert_eq!((report.severity, report.output.as_deref()), (Severity::Lost, Some("q")));
}

/// What underflows at 1e-200 changes nothing: 1 + 1e-17 is 1 there and where nothing underflows.
#[test]
fn what_rounding_alone_comes_to_is_no_exceptions_doing() {
    let text = "double f(double x) { return (1.0 + 1e-17 * (1.0 + x * x)) - 1.0; }";
    let signature = parse_signature(ONE, &LengthOptions::default()).unwrap();
    let report = Subject::new(text).effect_of_first(&signature, &[1e-200], Flags::UNDERFLOW);
    assert_eq!((report.severity, report.is_by_rounding, report.true_result), (Severity::Harmless, true, None));
    // Here it is what underflows that is missed.
    let text = "double f(double x) { return (1.0 + x * x * 1e300) - 1.0; }";
    let report = Subject::new(text).effect_of_first(&signature, &[1e-170], Flags::UNDERFLOW);
    assert_eq!((report.severity, report.is_by_rounding), (Severity::Harmless, true), "1e-40 is lost beside 1");
    let text = "double f(double x) { return (1.0 + x * x * 1e300 * 1e39) - 1.0; }";
    let report = Subject::new(text).effect_of_first(&signature, &[1e-170], Flags::UNDERFLOW);
    assert_eq!((report.severity, report.is_by_rounding), (Severity::Lost, false));
}

/// A `float` that is computed in doubles is rounded as these are: 1e-10 beside 1 is lost in 24 bits and not in 53.
#[test]
fn each_operation_is_rounded_to_its_own_format() {
    let text = "float f(double x) { return (float)((1.0 + x * x * 1e300 * 1e30) - 1.0); }";
    let signature = parse_signature("float f(double x)", &LengthOptions::default()).unwrap();
    let report = Subject::new(text).effect_of_first(&signature, &[1e-170], Flags::UNDERFLOW);
    assert_eq!((report.severity, report.is_by_rounding), (Severity::Lost, false));
}

#[test]
fn what_no_output_depends_on_is_harmless() {
    let text = "double f(double x) { double square = x * x; return (x + 1e230) - 1e230; }";
    let signature = parse_signature(ONE, &LengthOptions::default()).unwrap();
    let subject = Subject::new(text);
    assert_eq!(subject.effect_of(&signature, &[1e200]).severity, Severity::Lost);
    let report = subject.effect_of_first(&signature, &[1e200], Flags::OVERFLOW);
    assert_eq!((report.severity, report.reaches_outputs), (Severity::Harmless, false));
    assert_eq!((report.notes.as_slice(), report.is_normal), (&["No output depends on it.".to_owned()][..], None));
    // An error estimate is not compared.
    let text = "struct out { double val, err; }; int f(double x, struct out *r) {\n\
                r->val = (x + 1e230) - 1e230; r->err = x * x; return 0; }";
    let signature = with_out_parameter(&[("val", double()), ("err", double())]);
    let report = Subject::new(text).effect_of_first(&signature, &[1e200], Flags::OVERFLOW);
    assert_eq!((report.severity, report.reaches_outputs), (Severity::Harmless, false));
    assert_eq!(report.notes, ["No output but an error estimate depends on it."]);
}

#[test]
fn integers_answer_where_no_float_depends() {
    let signature = with_out_parameter(&[
        ("val", double()),
        ("large", Pointee::Scalar(ScalarType::Int { bits: 64, signed: true })),
    ]);
    let text = |test: &str| {
        format!(
            "struct out {{ double val; long large; }}; int f(double x, struct out *r) {{\n\
                 r->val = (x + 1e230) - 1e230; r->large = {test}; return 0; }}"
        )
    };
    let effect = |test: &str| {
        let report = Subject::new(&text(test)).effect_of_first(&signature, &[1e200], Flags::OVERFLOW);
        (report.severity, report.output)
    };
    assert_eq!(effect("x * x > 1"), (Severity::Harmless, None));
    let large = Some("r.large".to_owned());
    assert_eq!(effect("x * x * 0 != 0"), (Severity::Unclassified, large), "it is 0 without limits");
}

/// Integers that are written through pointers beside others, or stand beside floats in a struct, were left out: what was made of 1e12 by a conversion
/// to 32 bits was "harmless, the result is right".
#[test]
fn integers_count_beside_right_outputs() {
    let doubtful = |text: &str, prototype: &str, floats: &[f64]| {
        let report = effect(text, prototype, floats);
        (report.severity, report.output, report.notes)
    };
    let undefined =
        |output: &str| vec![format!("The true value of {output} is not known: it depends on an undefined value.")];
    let text = "void f(const double x[2], int16_t q[2]) { q[0] = (int16_t)(int)(x[0] * 100); q[1] = (int16_t)(int)(x[1] * 100); }";
    let prototype = "void f(const double x[2], int16_t q[2])";
    let (severity, output, notes) = doubtful(text, prototype, &[1e10, 1.0]);
    assert_eq!((severity, output.as_deref(), notes), (Severity::Unclassified, Some("q[0]"), undefined("q[0]")));
    assert_eq!(doubtful(text, prototype, &[1.5, 1.0]).0, Severity::Harmless);
    let text = "void f(double x, int *i, double *f) { *i = (int)x; *f = x - floor(x); }";
    let prototype = "void f(double x, int *i, double *f)";
    let (severity, output, notes) = doubtful(text, prototype, &[1e10]);
    assert_eq!((severity, output.as_deref(), notes), (Severity::Unclassified, Some("i"), undefined("i")));
    // Another integer beside a right float, one that every type has.
    let text = "double f(double x, int *i) { *i = 1e30 + x == 1e30; return x; }";
    let (severity, output, notes) = doubtful(text, "double f(double x, int *i)", &[1.0]);
    assert_eq!((severity, output.as_deref()), (Severity::Unclassified, Some("i")));
    assert_eq!(notes, ["i is 1, in arbitrary precision 0."]);
}

/// A run of the IR with other outputs than the observed ones says nothing of the native one.
#[test]
fn dependence_counts_only_where_the_run_is_the_observed_one() {
    let signature = parse_signature(OUTPUTS, &LengthOptions::default()).unwrap();
    let subject = Subject::new(PRODUCT_BESIDE_SQUARE);
    let severity = |q: f64, exception| {
        let report = subject.judged("f", &signature, &[1e200, 1.0], |classifier, call, events| {
            let mut observed = call.observed.to_vec();
            call.signature.output_layout().leaves[1].write(&mut observed, u128::from(q.to_bits()));
            let cause = Cause { exception, ..cause_of(&events[0]) };
            classifier.classify_cause(&Call { observed: &observed, ..*call }, &cause)
        });
        report.severity
    };
    assert_eq!(severity(0.0, Flags::OVERFLOW), Severity::Honest);
    assert_eq!(severity(-0.0, Flags::OVERFLOW), Severity::Lost);
    assert_eq!(severity(0.0, Flags::DIVBYZERO), Severity::Lost, "the run shows no such exception");
    let report = subject.judged("f", &signature, &[1e200, 1.0], |classifier, call, events| {
        classifier.classify(call);
        classifier.set_budget(0);
        classifier.classify_cause(call, &cause_of(&events[0]))
    });
    assert_eq!(report.severity, Severity::Lost, "no work is left for a run");
}

#[test]
fn a_budget_ends_classification() {
    let Subject { program } = Subject::new("double f(double x) { return x + x; }");
    let signature = parse_signature(ONE, &LengthOptions::default()).unwrap();
    let function = program.function("f").unwrap();
    let binding = map_parameters(&signature, &program, function).unwrap();
    let record = [1f64.to_le_bytes(), [0; 8]].concat();
    let observed = [2f64.to_le_bytes(), [0; 8]].concat();
    let call = Call { function, binding: &binding, signature: &signature, record: &record, observed: &observed };
    let mut classifier = Classifier::new(&program, None, DEFAULT_LIMITS);
    assert_eq!(classifier.classify(&call).severity, Severity::Harmless);
    classifier.set_budget(0);
    assert_eq!(classifier.classify(&call).severity, Severity::Harmless, "what is known costs nothing");
    let record = [3f64.to_le_bytes(), [0; 8]].concat();
    assert_eq!(classifier.classify(&Call { record: &record, ..call }).severity, Severity::Unclassified);
}

#[test]
fn significands_are_compared_only_beside_equal_exponents() {
    let text = "struct out { double val; long e10; }; int f(double x, struct out *r) {\n\
                r->val = x * x; r->e10 = isinf(r->val) ? 300 : 0; if (r->e10) r->val = 1; return 0; }";
    let signature =
        with_out_parameter(&[("val", double()), ("e10", Pointee::Scalar(ScalarType::Int { bits: 64, signed: true }))]);
    let subject = Subject::new(text);
    assert_eq!(subject.effect_of(&signature, &[1e20]).severity, Severity::Harmless);
    assert_eq!(subject.effect_of(&signature, &[1e200]).severity, Severity::Unclassified);
}

#[test]
fn functions_without_floats_are_judged_by_their_integers() {
    let text = "int f(double x) { return x * x > 1e300; }";
    assert_eq!(effect(text, "int(double x)", &[1e200]).severity, Severity::Harmless);
    let report = effect("int f(double x) { return 1 + x == 1; }", "int(double x)", &[1e-20]);
    assert_eq!(report.severity, Severity::Unclassified);
    assert_eq!(report.notes, ["result is 1, in arbitrary precision 0."]);
}

#[test]
fn every_format_has_its_own_range() {
    let square = |ty: &str, x: f64| {
        let report = effect(&format!("{ty} f({ty} x) {{ return x * x; }}"), &format!("{ty}({ty} x)"), &[x]);
        (report.severity, report.is_normal)
    };
    assert_eq!(square("float", 1e30), (Severity::Honest, Some(false)));
    assert_eq!(square("double", 1e30), (Severity::Harmless, Some(true)));
    assert_eq!(square("double", 1e200), (Severity::Honest, Some(false)));
    assert_eq!(square("long double", 1e200), (Severity::Harmless, Some(true)));
    // A conversion to a smaller format overflows only where its result is used as such.
    let text = "float f(float x) { float y = (double)x * x; return y / x; }";
    assert_eq!(effect(text, "float(float x)", &[1e30]).severity, Severity::Lost);
}

#[test]
fn an_initialiser_runs_first() {
    let text = "static double scale = 0; void start(void) { scale = 3; } double f(double x) { return scale * x; }";
    let Subject { program } = Subject::new(text);
    let signature = parse_signature(ONE, &LengthOptions::default()).unwrap();
    let function = program.function("f").unwrap();
    let binding = map_parameters(&signature, &program, function).unwrap();
    let bytes = |x: f64| [x.to_le_bytes(), [0; 8]].concat();
    let (record, observed) = (bytes(2.0), bytes(6.0));
    let with =
        |init| classify(&program, function, &binding, &signature, init, &record, &observed, &DEFAULT_LIMITS).severity;
    assert_eq!(with(program.function("start")), Severity::Harmless);
    assert_eq!(with(None), Severity::Inaccurate);
}

#[test]
fn judgements_follow_the_definitions() {
    let judged = |observed: f64, truth: f64, power: i32| {
        judge(&Float::from_f64(observed), &(rug::Float::with_val(100, truth) << power)).severity
    };
    let (nan, infinity) = (f64::NAN, f64::INFINITY);
    assert_eq!(judged(nan, nan, 0), Severity::Honest);
    assert_eq!(judged(0.0, nan, 0), Severity::Unclassified);
    assert_eq!(judged(infinity, 1.0, 1024), Severity::Honest);
    assert_eq!(judged(infinity, 1.0, 1023), Severity::Lost);
    assert_eq!(judged(-infinity, 1.0, 1024), Severity::Lost);
    assert_eq!(judged(f64::MAX, 1.0, 1024), Severity::Harmless);
    assert_eq!(judged(f64::MAX, 1.0, 1030), Severity::Inaccurate);
    assert_eq!(judged(0.0, 1.0, -1022), Severity::Lost);
    assert_eq!(judged(0.0, 1.0, -1071), Severity::Lost);
    assert_eq!(judged(0.0, 1.0, -1072), Severity::Honest);
    assert_eq!(judged(0.0, 1.0, -5000), Severity::Honest);
    assert_eq!(judged(nan, 1.0, -5000), Severity::Lost);
    assert_eq!(judged(0.0, 0.0, 0), Severity::Harmless);
    assert_eq!(judged(1.0, 1.0 + 4.0 * f64::EPSILON, 0), Severity::Harmless);
    assert_eq!(judged(1.0, 1.0 + 5.0 * f64::EPSILON, 0), Severity::Inaccurate);
}

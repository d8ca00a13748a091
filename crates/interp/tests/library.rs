//! Functions of libraries: what was said of them once and is not so.

use labrys_float::{Environment, Flags, Float};
use labrys_interp::{Datum, Execution, Limits, Scalar, Soft, Stop, ValueOf, interpret};
use labrys_program::{FunctionId, KnownFunction, Program};
use smallvec::smallvec;

fn run(text: &str, arguments: Vec<ValueOf<Soft>>) -> Execution {
    let program = Program::from_bytes(text.as_bytes(), "test.ll").unwrap();
    let function = program.function("f").unwrap();
    interpret(&program, function, arguments, &Environment::default(), &Limits::default())
}

fn double(x: f64) -> Vec<ValueOf<Soft>> {
    vec![smallvec![Scalar::float(Float::from_f64(x))]]
}

/// An integer result; `None` where it is arbitrary.
fn int(execution: &Execution) -> Option<i128> {
    let value = execution.result.as_ref().unwrap_or_else(|stop| panic!("{stop}"));
    match &value[0] {
        Scalar { tainted: true, .. } => None,
        Scalar { datum: Datum::Int(int), .. } => int.signed(),
        other => panic!("{other:?}"),
    }
}

fn class(name: &str, x: f64) -> Option<i128> {
    let text = format!(
        "define i32 @f(double %x) {{ %r = call i32 @{name}(double %x) ret i32 %r }}\ndeclare i32 @{name}(double)"
    );
    int(&run(&text, double(x)))
}

/// Every classification gave 1 once, and signbit 0 of every NaN. glibc's isinf gives −1 for −∞, __signbit 128.
#[test]
fn classifications_give_what_libms_give() {
    for name in ["isnan", "__isnan", "isinf", "__isinf", "finite", "__finite"] {
        for x in [0.0, -1.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let expected = match name.trim_start_matches('_') {
                "isnan" => i128::from(x.is_nan()),
                "isinf" if x.is_infinite() => x.signum() as i128,
                "finite" => i128::from(x.is_finite()),
                _ => 0,
            };
            assert_eq!(class(name, x), Some(expected), "{name}({x})");
        }
    }
    for (x, expected) in [(1.0, Some(0)), (0.0, Some(0)), (-0.0, None), (-2.0, None), (f64::NAN, None)] {
        assert_eq!(class("__signbit", x), expected, "{x}");
    }
    for (x, expected) in [(1.0, None), (0.0, Some(0)), (5e-324, Some(0))] {
        assert_eq!(class("isnormal", x), expected, "{x}");
    }
}

/// memcmp gave the difference of bytes, where C leaves all but the sign open and glibc gives 1, too.
#[test]
fn bytes_that_differ_compare_arbitrarily() {
    let compared = |other: &str| {
        let text = format!(
            "@a = constant [2 x i8] c\"ab\"\n@b = constant [2 x i8] c\"{other}\"\n\
             declare i32 @memcmp(ptr, ptr, i64)\n\
             define i32 @f() {{ %r = call i32 @memcmp(ptr @a, ptr @b, i64 2) ret i32 %r }}"
        );
        int(&run(&text, Vec::new()))
    };
    assert_eq!((compared("ab"), compared("az")), (Some(0), None));
}

/// printf gave 0 once, as if nothing had been printed, and `%n` wrote nothing.
#[test]
fn what_printing_returns_is_not_known() {
    let printed = |format: &str| {
        let text = format!(
            "@format = constant [3 x i8] c\"{format}\\00\"\ndeclare i32 @printf(ptr, ...)\n\
             define i32 @f() {{ %p = alloca i32 %r = call i32 (ptr, ...) @printf(ptr @format, ptr %p) ret i32 %r }}"
        );
        run(&text, Vec::new())
    };
    assert_eq!(int(&printed("%p")), None);
    assert!(matches!(printed("%n").result, Err(Stop::Unsupported(_))));
}

/// Only functions of libm were thought to set errno.
#[test]
fn allocations_and_output_set_errno() {
    let after = |call: &str| {
        let text = format!(
            "declare ptr @__errno_location()\ndeclare ptr @malloc(i64)\ndeclare i32 @putchar(i32)\n\
             declare i64 @strlen(ptr)\ndeclare double @exp(double)\n@text = constant [1 x i8] zeroinitializer\n\
             define i32 @f() {{ %e = call ptr @__errno_location() store i32 0, ptr %e {call} %r = load i32, ptr %e ret i32 %r }}"
        );
        int(&run(&text, Vec::new()))
    };
    assert_eq!(after("%p = call ptr @malloc(i64 8)"), None);
    assert_eq!(after("%p = call i32 @putchar(i32 65)"), None);
    assert_eq!(after("%p = call double @exp(double 1.0)"), None);
    assert_eq!(after("%p = call i64 @strlen(ptr @text)"), Some(0));
}

/// Names with a part that panics have were thought to end the run, `__lgamma_finite` not to write to signgam.
#[test]
fn names_are_read_whole() {
    let called = |name: &str| {
        let text = format!("declare void @{name}()\ndefine i32 @f() {{ call void @{name}() ret i32 3 }}");
        run(&text, Vec::new()).result
    };
    let slow = "_ZN3std9panicking11panic_count17is_zero_slow_path17h0123456789abcdefE";
    assert_eq!(called(slow).unwrap_err(), Stop::UnknownFunction(slow.into()));
    assert_eq!(called("is_panicking").unwrap_err(), Stop::UnknownFunction("is_panicking".into()));
    let panic = "_ZN4core9panicking5panic17h0123456789abcdefE";
    assert!(matches!(called(panic), Err(Stop::AssertionFailed(_))));
    let sign = |name: &str| {
        let text = format!(
            "@signgam = global i32 0\ndeclare double @{name}(double)\n\
             define i32 @f() {{ store i32 1, ptr @signgam %y = call double @{name}(double 2.5) \
             %r = load i32, ptr @signgam ret i32 %r }}"
        );
        int(&run(&text, Vec::new()))
    };
    for name in ["lgamma", "gamma", "__lgamma_finite"] {
        assert_eq!(sign(name), None, "{name}");
    }
    assert_eq!(sign("exp"), Some(1));
}

/// A function of the user's that is called y1 or remainder was taken for libm's, whatever its types were.
#[test]
fn a_declaration_with_other_types_is_another_function() {
    for (name, types) in [("y1", "ptr"), ("remainder", "double, i32"), ("sqrt", "float"), ("finite", "i32")] {
        let arguments = types.replace("ptr", "ptr null").replace("double", "double 1.0");
        let arguments = arguments.replace("float", "float 1.0").replace("i32", "i32 1");
        let text = format!(
            "declare double @{name}({types})\ndefine double @f() {{ %r = call double @{name}({arguments}) ret double %r }}"
        );
        assert_eq!(run(&text, Vec::new()).result.unwrap_err(), Stop::UnknownFunction(name.into()), "{name}");
    }
}

#[test]
fn powers_by_the_compilers_helper_are_multiplied_out() {
    let text = "declare double @__powidf2(double, i32)\n\
                define double @f(double %x) { %r = call double @__powidf2(double %x, i32 -3) ret double %r }";
    let half = run(text, double(2.0));
    assert_eq!(half.result.unwrap()[0], Scalar::float(Float::from_f64(0.125)));
    let zero = run(text, double(0.0));
    assert_eq!((zero.flags, zero.events[0].operator), (Flags::DIVBYZERO, "powi"));
}

/// A branch is more than a choice where one way reports something that the program looks at.
#[test]
fn what_functions_report_is_known_of_declarations() {
    let text = "declare ptr @__errno_location()\ndeclare double @exp(double)\ndeclare double @lgamma(double)\n\
                define void @f() { ret void }";
    let program = Program::from_bytes(text.as_bytes(), "test.ll").unwrap();
    let known = |id: FunctionId| program.functions[id.index()].known;
    let exp = program.function("exp").and_then(known).unwrap();
    assert!(program.may_read_reports(exp) && exp.sets_errno());
    assert_eq!(program.function("f").and_then(known), None);
    assert_eq!(program.function("__errno_location").and_then(known), Some(KnownFunction::ErrorNumber));
    let text = text.replace("declare ptr @__errno_location()", "");
    let program = Program::from_bytes(text.as_bytes(), "test.ll").unwrap();
    assert!(!program.may_read_reports(exp));
}

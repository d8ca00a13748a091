//! LLVM's intrinsics and undefined values, on textual IR.

use labrys_float::{Environment, Flags, Float};
use labrys_interp::{Datum, Execution, Int, Limits, MemoryFaultKind, Scalar, Stop, interpret};
use labrys_program::Program;

/// Calls `f` of a module whose other lines are `rest`.
fn run(text: &str, arguments: &[Scalar<Float, labrys_interp::Never>]) -> Execution {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("f.ll");
    std::fs::write(&path, text).unwrap();
    let program = Program::from_ir_file(&path).unwrap();
    let function = program.function("f").unwrap();
    let arguments = arguments.iter().map(|scalar| [scalar.clone()].into_iter().collect()).collect();
    interpret(
        &program,
        function,
        arguments,
        &Environment::default(),
        &Limits { instructions: 100_000, ..Limits::default() },
    )
}

fn int(bits: u32, value: i128) -> Scalar<Float, labrys_interp::Never> {
    Scalar::int(Int::new(bits, value as u128))
}

fn double(value: f64) -> Scalar<Float, labrys_interp::Never> {
    Scalar::float(Float::from_f64(value))
}

/// The signed value of the first scalar returned.
fn signed(execution: &Execution) -> i128 {
    match &execution.result.as_ref().unwrap()[0].datum {
        Datum::Int(int) => int.signed().unwrap(),
        other => panic!("{other:?}"),
    }
}

fn float(execution: &Execution) -> f64 {
    match &execution.result.as_ref().unwrap()[0].datum {
        Datum::Float(float) => float.to_f64().unwrap(),
        other => panic!("{other:?}"),
    }
}

/// A binary or unary intrinsic on i32.
fn on_i32(name: &str, operands: &[i128], extra: &str) -> i128 {
    let parameters: Vec<String> = (0..operands.len()).map(|i| format!("i32 %{i}")).collect();
    let parameters = parameters.join(", ");
    let types = vec!["i32"; operands.len()].join(", ");
    let more = if extra.is_empty() { "" } else { ", i1" };
    let text = format!(
        "define i32 @f({parameters}) {{\n %r = call i32 @llvm.{name}.i32({parameters}{extra})\n ret i32 %r\n}}\n\
         declare i32 @llvm.{name}.i32({types}{more})\n"
    );
    let arguments: Vec<_> = operands.iter().map(|value| int(32, *value)).collect();
    signed(&run(&text, &arguments))
}

/// `llvm.lround` with few bits is a call of `lround`, whose 64 bits are cut; `llvm.lrint` is an instruction for as many bits as there are.
#[test]
fn rounding_to_few_bits_is_what_the_machine_does() {
    unsafe extern "C" {
        fn lround(x: f64) -> i64;
    }
    let rounded = |x: f64| {
        let text = "define i32 @f(double %x) {\n %r = call i32 @llvm.lround.i32.f64(double %x)\n ret i32 %r\n}\n\
                    declare i32 @llvm.lround.i32.f64(double)\n";
        signed(&run(text, &[double(x)]))
    };
    for x in [0.5, -2.5, 2147483647.4, 2147483648.0, 3e9, -3e9, 4294967296.0, 4294967297.0, 1e15, -9007199254740991.0] {
        // SAFETY: a function of libm's.
        let own = unsafe { lround(x) } as i32;
        assert_eq!(rounded(x), i128::from(own), "{x}");
    }
}

#[test]
fn integer_intrinsics_compute_what_the_language_reference_says() {
    assert_eq!(on_i32("smin", &[-3, 2], ""), -3);
    assert_eq!(on_i32("umin", &[-3, 2], ""), 2);
    assert_eq!(on_i32("smax", &[-3, 2], ""), 2);
    assert_eq!(on_i32("umax", &[-3, 2], ""), -3);
    assert_eq!(on_i32("abs", &[-3], ", i1 false"), 3);
    assert_eq!(on_i32("ctpop", &[0xff0f], ""), 12);
    assert_eq!(on_i32("ctlz", &[1], ", i1 false"), 31);
    assert_eq!(on_i32("cttz", &[0], ", i1 false"), 32);
    assert_eq!(on_i32("bitreverse", &[1], ""), i128::from(i32::MIN));
    assert_eq!(on_i32("bswap", &[0x01020304], ""), 0x04030201);
    assert_eq!(on_i32("fshl", &[1, i128::from(i32::MIN), 1], ""), 3);
    assert_eq!(on_i32("fshr", &[1, 2, 33], ""), i128::from(i32::MIN) + 1);
    assert_eq!(on_i32("sadd.sat", &[i128::from(i32::MAX), 5], ""), i128::from(i32::MAX));
    assert_eq!(on_i32("ssub.sat", &[i128::from(i32::MIN), 5], ""), i128::from(i32::MIN));
    assert_eq!(on_i32("uadd.sat", &[-1, 5], ""), -1);
    assert_eq!(on_i32("usub.sat", &[3, 5], ""), 0);
}

#[test]
fn overflow_checks_return_both_parts() {
    let text = "define i1 @f(i32 %a, i32 %b) {\n %p = call {i32, i1} @llvm.smul.with.overflow.i32(i32 %a, i32 %b)\n\
                %o = extractvalue {i32, i1} %p, 1\n ret i1 %o\n}\ndeclare {i32, i1} @llvm.smul.with.overflow.i32(i32, i32)\n";
    assert_eq!(signed(&run(text, &[int(32, 1 << 20), int(32, 1 << 10)])), 0);
    assert_eq!(signed(&run(text, &[int(32, 1 << 20), int(32, 1 << 11)])), -1);
}

#[test]
fn reductions_go_from_the_first_lane_to_the_last_or_by_halves() {
    let text = "define double @f(double %a, double %b) {\n\
        %v0 = insertelement <4 x double> <double 1.0, double 1.0, double 1.0, double 1.0>, double %a, i32 0\n\
        %v = insertelement <4 x double> %v0, double %b, i32 2\n\
        %r = call double @llvm.vector.reduce.fadd.v4f64(double -0.0, <4 x double> %v)\n ret double %r\n}\n\
        declare double @llvm.vector.reduce.fadd.v4f64(double, <4 x double>)\n";
    // (1e16 + 1) − 1e16 + 1: the first 1 is lost, the last is not.
    assert_eq!(float(&run(text, &[double(1e16), double(-1e16)])), 1.0);
    // Code generation's order where any is right: (1e16 − 1e16) + (1 + 1).
    let by_halves = text.replace("call double", "call reassoc double");
    assert_eq!(float(&run(&by_halves, &[double(1e16), double(-1e16)])), 2.0);
}

#[test]
fn saturating_conversions_and_classes() {
    let text = "define i8 @f(double %x) {\n %r = call i8 @llvm.fptosi.sat.i8.f64(double %x)\n ret i8 %r\n}\n\
                declare i8 @llvm.fptosi.sat.i8.f64(double)\n";
    for (x, expected) in [(1e9, 127), (-1e9, -128), (f64::NAN, 0), (-3.7, -3)] {
        assert_eq!(signed(&run(text, &[double(x)])), expected, "{x}");
    }
    // 0x60: zeros of both signs.
    let text = "define i1 @f(double %x) {\n %r = call i1 @llvm.is.fpclass.f64(double %x, i32 96)\n ret i1 %r\n}\n\
                declare i1 @llvm.is.fpclass.f64(double, i32)\n";
    for (x, expected) in [(0.0, -1), (-0.0, -1), (5e-324, 0), (f64::NAN, 0)] {
        assert_eq!(signed(&run(text, &[double(x)])), expected, "{x}");
    }
}

#[test]
fn powers_are_multiplied_out() {
    let text = "define double @f(double %x, i32 %n) {\n %r = call double @llvm.powi.f64.i32(double %x, i32 %n)\n\
                ret double %r\n}\ndeclare double @llvm.powi.f64.i32(double, i32)\n";
    assert_eq!(float(&run(text, &[double(3.0), int(32, 5)])), 243.0);
    assert_eq!(float(&run(text, &[double(2.0), int(32, -3)])), 0.125);
    let zero = run(text, &[double(0.0), int(32, -1)]);
    assert_eq!((float(&zero), zero.flags), (f64::INFINITY, Flags::DIVBYZERO));
    assert_eq!(zero.events[0].operator, "powi");
}

#[test]
fn undefined_values_taint_results_and_stop_branches() {
    let text = "define double @f(double %x) {\n %r = fadd double %x, undef\n ret double %r\n}\n";
    assert!(run(text, &[double(1.0)]).result.unwrap()[0].tainted);
    let text = "define double @f(double %x) {\n br i1 poison, label %a, label %b\na:\n ret double 1.0\nb:\n ret double 2.0\n}\n";
    assert_eq!(run(text, &[double(1.0)]).result, Err(Stop::Undefined));
    let text = "define double @f(double %x) {\n %c = freeze i1 poison\n br i1 %c, label %a, label %b\na:\n ret double 1.0\nb:\n ret double 2.0\n}\n";
    assert!(run(text, &[double(1.0)]).result.is_ok());
    // An unselected poison does no harm.
    let text = "define double @f(double %x) {\n %c = fcmp olt double %x, 0.0\n %r = select i1 %c, double poison, double %x\n ret double %r\n}\n";
    assert!(!run(text, &[double(1.0)]).result.unwrap()[0].tainted);
}

#[test]
fn wrong_programs_stop_with_a_reason() {
    let text = "define i32 @f(i32 %x) {\n %r = sdiv i32 1, %x\n ret i32 %r\n}\n";
    assert_eq!(run(text, &[int(32, 0)]).result, Err(Stop::IntegerDivision));
    let text = "define i32 @f(i32 %x) {\n %p = alloca [2 x i32]\n %q = getelementptr i32, ptr %p, i32 %x\n %r = load i32, ptr %q\n ret i32 %r\n}\n";
    match run(text, &[int(32, 2)]).result {
        Err(Stop::Memory(fault)) => assert_eq!(fault.kind, MemoryFaultKind::OutOfBounds),
        other => panic!("{other:?}"),
    }
    let text = "define i32 @f(i32 %x) {\n %r = load i32, ptr null\n ret i32 %r\n}\n";
    match run(text, &[int(32, 2)]).result {
        Err(Stop::Memory(fault)) => assert_eq!(fault.kind, MemoryFaultKind::Null),
        other => panic!("{other:?}"),
    }
    let text = "define i32 @f(i32 %x) {\n %r = call i32 @f(i32 %x)\n ret i32 %r\n}\n";
    assert_eq!(run(text, &[int(32, 2)]).result, Err(Stop::CallDepth));
    let text = "define i32 @f(i32 %x) {\n br label %a\na:\n br label %a\n}\n";
    assert_eq!(run(text, &[int(32, 2)]).result, Err(Stop::InstructionLimit));
    let text = "define i32 @f(i32 %x) {\n %r = call i32 @mystery(i32 %x)\n ret i32 %r\n}\ndeclare i32 @mystery(i32)\n";
    assert_eq!(run(text, &[int(32, 2)]).result, Err(Stop::UnknownFunction("mystery".into())));
}

#[test]
fn modf_splits_a_number_into_fraction_and_integral_part() {
    let part = |index: u32, x: f64| {
        let text = format!(
            "define double @f(double %x) {{\n %s = call {{ double, double }} @llvm.modf.f64(double %x)\n \
             %r = extractvalue {{ double, double }} %s, {index}\n ret double %r\n}}\n\
             declare {{ double, double }} @llvm.modf.f64(double)\n"
        );
        let execution = run(&text, &[double(x)]);
        assert_eq!(execution.flags, Flags::empty());
        float(&execution)
    };
    assert_eq!((part(0, -2.25), part(1, -2.25)), (-0.25, -2.0));
    assert_eq!((part(0, f64::INFINITY), part(1, f64::INFINITY)), (0.0, f64::INFINITY));
}

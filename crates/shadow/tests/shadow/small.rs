//! Small programs whose figures are known.

use crate::fixture::Source;

#[test]
fn a_difference_cancels_where_it_says() {
    let source = Source::c("double f(double x) {\n  double y = x + 1;\n  return y - x;\n}\n");
    let mut subject = source.subject("double f(double x)");
    let call = subject.call(&[1e10]);
    assert!(subject.own_is_plain(&call));
    let record = &call.record;
    assert_eq!((record.outputs[0].high, record.outputs[0].low), (1.0, 0.0));
    assert_eq!((record.cancelled_bits, record.absorbed, record.parted_at), (33, 0, None));
    let site = &subject.shadow.sites[record.cancelled_at.unwrap()];
    assert_eq!(site.operator, "fsub");
    assert!(site.place(subject.program).unwrap().ends_with("f.c:3:12"), "{:?}", site.place(subject.program));
    // 1 is absorbed, and the shadow knows better.
    let call = subject.call(&[1e20]);
    assert!(subject.own_is_plain(&call));
    assert_eq!((call.record.outputs[0].high, call.record.absorbed), (1.0, 1));
}

#[test]
fn operands_are_absorbed_where_nothing_of_them_is_left() {
    let source = Source::c(
        "double f(double x, double y) {\n  double s = 0;\n  s += x;\n  s += y;\n  s += y;\n  return (s - x) * 1e16 + 0;\n}\n",
    );
    let mut subject = source.subject("double f(double x, double y)");
    // Zeros are not absorbed, and 0 + x absorbs nothing.
    let record = subject.call(&[1.0, 0.0]).record;
    assert_eq!((record.absorbed, record.cancelled_bits), (0, 0));
    let record = subject.call(&[1.0, 1e-17]).record;
    assert_eq!(record.absorbed, 2);
    // What the program lost whole is in the shadow, which cancels 55 bits there: 2e-17 of 1.
    assert_eq!((record.outputs[0].high, record.cancelled_bits), (0.2, 56));
    let line = |record: &labrys_shadow::ShadowRecord| {
        let site = &subject.shadow.sites[record.cancelled_at.unwrap()];
        subject.program.locations[site.location.unwrap().index()].line
    };
    assert_eq!(line(&record), 6);
}

#[test]
fn a_total_cancellation_of_shadows_alone_is_told() {
    let source = Source::c("double f(double x) { double y = x / 3; return y * 3 - x; }\n");
    let mut subject = source.subject("double f(double x)");
    for x in 1..50 {
        let call = subject.call(&[f64::from(x) * 0.37]);
        let own = f64::from_bits(subject.signature.output_layout().leaves[0].read(&call.plain.output) as u64);
        let high = call.record.outputs[0].high;
        assert!(high.abs() < 1e-28);
        assert_eq!(call.record.cancelled_bits == 2047, own != 0.0 && high == 0.0);
        assert!(call.record.cancelled_bits > 90 || (own == 0.0 && high == 0.0), "{x} {own} {high}");
    }
}

#[test]
fn the_first_comparison_that_parts_is_told() {
    let text = "double f(double x, double y) {\n  if (x > 100) return 1;\n  double z = x + y;\n\
                if (z == x) return 2;\n  if (z > x) return 3;\n  return 4;\n}\n";
    let source = Source::c(text);
    let mut subject = source.subject("double f(double x, double y)");
    let record = subject.call(&[1.0, 1e-20]).record;
    let site = &subject.shadow.sites[record.parted_at.unwrap()];
    assert_eq!((site.operator, record.outputs[0].high), ("fcmp", 2.0));
    assert!(site.place(subject.program).unwrap().contains("f.c:4:"));
    for values in [[1.0, 1.0], [101.0, 1e-20], [1.0, 0.0], [1.0, -1.0]] {
        assert_eq!(subject.call(&values).record.parted_at, None, "{values:?}");
    }
}

/// Two inputs have the same course where no sum between them has another sign, and no comparison another outcome.
#[test]
fn courses_are_told_apart_by_signs_of_sums_and_comparisons() {
    let source = Source::c(
        "double f(double x, double y) {\n  double s = x - y, t = s * s + x;\n  return t > 10 ? t - y : y;\n}\n",
    );
    let mut subject = source.subject("double f(double x, double y)");
    let mut course = |x: f64, y: f64| subject.call(&[x, y]).record.course;
    let usual = course(2.0, 1.0);
    assert_eq!(usual, course(2.5, 1.25));
    // x - y < 0; t > 10.
    let (below, beyond) = (course(1.0, 2.0), course(20.0, 1.0));
    assert!(usual != below && usual != beyond && below != beyond);
    // Another sign of the sum behind the comparison.
    assert_ne!(beyond, course(20.0, 1000.0));
    // Calls do not hang on those before.
    assert_eq!(usual, course(2.0, 1.0));
}

#[test]
fn conversions_and_roundings_part() {
    let source = Source::c(
        "#include <math.h>\ndouble f(double x, int which) {\n\
         double y = x / 3 * 3; double h = (x + 1e-20) - 1e-20;\n\
         switch (which) { case 0: return (int)(x + 1e-20 - x + 1); case 1: return floor(x - 1e-20);\n\
         case 2: return fmod(x - 1e-20, 1); default: return rint(x + 0.25); } }\n",
    );
    let mut subject = source.subject("double f(double x, int which)");
    let record = subject.call(&[2.0, 1.0]).record;
    let operator =
        |record: &labrys_shadow::ShadowRecord| record.parted_at.map(|site| subject.shadow.sites[site].operator);
    assert_eq!((record.outputs[0].high, operator(&record)), (1.0, Some("fround")));
    let record = subject.call(&[2.0, 2.0]).record;
    let operator =
        |record: &labrys_shadow::ShadowRecord| record.parted_at.map(|site| subject.shadow.sites[site].operator);
    assert_eq!((record.outputs[0].high, operator(&record)), (1.0, Some("frem")));
    assert_eq!(subject.call(&[2.0, 3.0]).record.parted_at, None);
    assert_eq!(subject.call(&[2.0, 0.0]).record.parted_at, None);
}

/// Values that are no finite numbers are their own shadows, and so is what comes of them.
#[test]
fn what_is_not_finite_is_its_own_shadow() {
    let source = Source::c("double f(double x) { double y = x * 1e300 * 1e300; return 1 / y + x / 3; }\n");
    let mut subject = source.subject("double f(double x)");
    let call = subject.call(&[1.0]);
    assert!(subject.own_is_plain(&call) && call.record.marks.not_finite);
    let shadow = call.record.outputs[0];
    assert_eq!(shadow.high, 1.0 / 3.0);
    assert_ne!(shadow.low, 0.0);
    assert!(!subject.call(&[1e-300]).record.marks.not_finite);
}

/// Memory that a copy or a fill overwrites has no shadow of what was there with the same bits.
#[test]
fn overwritten_memory_is_exact() {
    let text = "#include <string.h>\nstatic const double one[2] = { 1, 0 };\n\
         double f(double x, int which) {\n\
         double a[2] = { x + 1e-20, x - x + 1e-30 - 1e-30 };\n  a[1] = (x + 1e-20) - x;\n\
         if (which == 1) memcpy(a, one, sizeof a);\n  if (which == 2) memset(a, 0, sizeof a);\n\
         if (which == 3) memset(a + 1, 0, sizeof *a);\n  return a[0] * 2 + a[1]; }\n";
    let source = Source::c(text);
    let mut subject = source.subject("double f(double x, int which)");
    let shadow = |record: labrys_shadow::ShadowRecord| (record.outputs[0].high, record.outputs[0].low);
    let low = shadow(subject.call(&[1.0, 0.0]).record);
    assert_eq!(low.0, 2.0);
    assert!((low.1 - 3e-20).abs() < 1e-35, "{low:?}");
    assert_eq!(shadow(subject.call(&[1.0, 1.0]).record), (2.0, 0.0));
    assert_eq!(shadow(subject.call(&[1.0, 2.0]).record), (0.0, 0.0));
    assert_eq!(shadow(subject.call(&[1.0, 3.0]).record), (2.0, 2e-20));
}

/// A table that is full says so.
#[test]
fn what_is_forgotten_is_marked() {
    let text = "static double a[300000];\ndouble f(double x, int n) {\n\
         double s = 0; for (int i = 0; i < n; i++) a[i] = x / (i + 3);\n\
         for (int i = 0; i < n; i++) s += a[i]; return s; }\n";
    let source = Source::c(text);
    let mut subject = source.subject("double f(double x, int n)");
    assert!(!subject.call(&[1.0, 60000.0]).record.marks.forgotten);
    assert!(subject.call(&[1.0, 300_000.0]).record.marks.forgotten);
}

/// What cannot be written is an error with its reason.
#[test]
fn what_has_no_shadow_is_refused() {
    use labrys_program::{Program, map_parameters, parse_signature};
    for (ir, prototype, reason) in [
        (
            "define double @f(fp128 %x) { ret double 1.0 }",
            "double f(double x)",
            "numbers of 128 bits with 113 of precision",
        ),
        (
            "define double @f(double %x) { call void asm sideeffect \"nop\", \"\"() ret double %x }",
            "double f(double x)",
            "inline assembly",
        ),
        (
            "declare i32 @fesetround(i32)\ndefine double @f(double %x) { %r = call i32 @fesetround(i32 1) ret double %x }",
            "double f(double x)",
            "the floating-point environment",
        ),
    ] {
        let program = Program::from_bytes(ir.as_bytes(), "f.ll").unwrap();
        let function = program.function("f").unwrap();
        let signature = parse_signature(prototype, &Default::default()).unwrap();
        let binding = map_parameters(&signature, &program, function).unwrap_or(labrys_program::IrBinding {
            parameters: vec![labrys_program::IrParameter::StructReturn],
            result: labrys_program::IrResult::Void,
        });
        let error = labrys_shadow::lower(&program, function, &binding, &signature, None).unwrap_err();
        assert_eq!(error.to_string(), format!("f: {reason}"));
    }
}

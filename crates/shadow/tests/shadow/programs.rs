//! Written programs: arrays, loops, structs, helpers, globals, pointers, Fortran; each beside the MPFR twin.

use labrys_elementary::rug;
use labrys_program::{Access, Pointee, ResultType, ScalarType, Signature, StructField, StructType};
use labrys_program::{FloatType, Parameter, ParameterType};

use crate::fixture::{PRECISION, Source, Subject, agreement};

/// Runs inputs and asks for 90 bits of every output.
fn check(subject: &mut Subject<'_>, inputs: &[&[f64]]) {
    for values in inputs {
        let input = subject.input(values);
        let call = subject.run(std::slice::from_ref(&input)).pop().unwrap();
        assert!(subject.own_is_plain(&call), "{values:?}");
        assert_eq!(call.record.parted_at, None, "{values:?}");
        assert_eq!(call.record.marks, Default::default(), "{values:?}");
        let execution = subject.precise(&input);
        let bits = subject.bits(&call, &execution);
        assert!(bits.iter().all(|bits| *bits > 90.0), "{values:?} {bits:?} {:?}", call.record);
    }
}

/// A prototype's function on inputs.
fn program(text: &str, prototype: &str, inputs: &[&[f64]]) {
    let source = Source::c(text);
    check(&mut source.subject(prototype), inputs);
}

#[test]
fn loops_over_arrays_keep_shadows_in_memory() {
    program(
        "static double dot(const double *a, const double *b, int n) {\n\
         double s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; return s; }\n\
         double f(double x[6], int n) {\n\
         double y[6], m[6][6];\n\
         for (int i = 0; i < n; i++) { y[i] = x[i] / 3; for (int j = 0; j < n; j++) m[i][j] = y[i] * x[j] + 0.1; }\n\
         for (int i = 0; i < n; i++) x[i] = dot(m[i], y, n);\n\
         return dot(x, y, n); }\n",
        "double f(double x[6], int n)",
        &[&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 6.0], &[1e5, 2.3, 1e-3, 4.4, 1.5, 0.1, 4.0]],
    );
}

#[test]
fn structs_are_copied_with_their_shadows() {
    program(
        "#include <string.h>\n#include <math.h>\n\
         typedef struct { float lo; int tag; double hi[3]; } part;\n\
         static part scale(part p, double by) { part r = p; r.lo *= (float)by; for (int i = 0; i < 3; i++) r.hi[i] *= by; return r; }\n\
         double f(double x, double y) {\n\
         part p = { (float)x, 3, { x, y, x / y } }, q[2];\n\
         q[0] = scale(p, 0.1); memcpy(&q[1], &q[0], sizeof p); q[1] = scale(q[1], 0.7);\n\
         memmove(q[1].hi + 1, q[1].hi, 2 * sizeof(double));\n\
         return q[1].hi[2] + q[0].lo * q[1].hi[1] + sqrt(q[0].hi[2]); }\n",
        "double f(double x, double y)",
        &[&[0.3, 0.7], &[11.5, 3.25]],
    );
}

#[test]
fn globals_helpers_and_pointers_to_functions() {
    program(
        "#include <math.h>\n\
         typedef double (*function)(double, const double *);\n\
         static const double third = 1.0 / 3;\nstatic double table[4] = { 0.1, 0.2, 0.3 };\n\
         static double *last = &table[3];\n\
         static double a(double x, const double *p) { return x * p[0] + third; }\n\
         static double b(double x, const double *p) { return exp(x / 7) + p[1]; }\n\
         static function known[] = { a, b, 0 };\n\
         double f(double x, int n) {\n\
         double s = 0, p[2] = { x / 3, x / 7 };\n\
         *last = x / 9;\n\
         for (function *g = known; *g; g++) s += (*g)(x, p) * table[n & 3];\n\
         switch (n) { case 0: return s; case 1: return s / 3; default: return s / n; } }\n",
        "double f(double x, int n)",
        &[&[0.3, 3.0], &[2.7, 1.0], &[9.5, 0.0]],
    );
}

#[test]
fn formats_are_mixed() {
    program(
        "#include <math.h>\n\
         double f(double x, float s, int n) {\n\
         float t = s / 3; long double e = (long double)x / 7 + t; unsigned char c = n; long l = 123456789012345677L * n;\n\
         float r = t * (float)x + (float)e; r = sqrtf(r);\n\
         return r / 3 + (double)(e * e) + c / 3.0 + l / 1e20 + fma(x, t, r) + fabs(-x) + copysign(x, -1.0) * -0.5; }\n",
        "double f(double x, float s, int n)",
        &[&[0.3, 0.7, 200.0], &[21.0, 0.1, 3.0]],
    );
}

#[test]
fn libm_calls_have_shadows() {
    program(
        "#include <math.h>\n\
         double f(double x, double y) {\n\
         int e; double i, m = frexp(x * 10, &e), r = modf(x * 3 + y, &i);\n\
         return sin(x) * cos(y) + exp(-x) + pow(x, y) + atan2(y, x) + hypot(x, y) + log1p(x) + m + e + r + i\n\
         + ldexp(x, 3) + floor(x * 5) + fmod(y * 7, x) + fmax(x / 3, y / 3) + fmin(x / 3, y / 3) + fdim(y, x) + cbrt(x); }\n",
        "double f(double x, double y)",
        &[&[0.3, 0.75], &[1.7, 2.85]],
    );
}

/// The twin knows no products of complex numbers: here they are written out.
#[test]
fn complex_products_and_quotients() {
    let source = Source::c(
        "#include <complex.h>\n\
         double f(double a, double b, double c, double d) {\n\
         double complex z = (a + b * I) / (c + d * I), w = z * z; return creal(w) + cimag(z); }\n",
    );
    let mut subject = source.subject("double f(double a, double b, double c, double d)");
    for values in [[0.3, 0.75, 2.0, 3.0], [5.0, -1.0, 0.1, 0.2]] {
        let call = subject.call(&values);
        assert!(subject.own_is_plain(&call), "{values:?}");
        let [a, b, c, d] = values.map(|value| rug::Float::with_val(PRECISION, value));
        let norm = rug::Float::with_val(PRECISION, &c * &c) + rug::Float::with_val(PRECISION, &d * &d);
        let real = (rug::Float::with_val(PRECISION, &a * &c) + rug::Float::with_val(PRECISION, &b * &d)) / &norm;
        let imaginary = (rug::Float::with_val(PRECISION, &b * &c) - rug::Float::with_val(PRECISION, &a * &d)) / &norm;
        let square =
            rug::Float::with_val(PRECISION, &real * &real) - rug::Float::with_val(PRECISION, &imaginary * &imaginary);
        let shadow = call.record.outputs[0];
        assert!(agreement(&(square + imaginary), shadow.high, shadow.low) > 90.0, "{values:?}");
    }
}

#[test]
fn heap_memory_moves_with_its_shadows() {
    program(
        "#include <stdlib.h>\n#include <string.h>\n\
         double f(double x) {\n\
         double *p = malloc(4 * sizeof *p), s = 0; for (int i = 0; i < 4; i++) p[i] = x / (i + 3);\n\
         p = realloc(p, 4000 * sizeof *p); for (int i = 4; i < 4000; i++) p[i] = p[i - 4] / 3 + x;\n\
         memmove(p, p + 1, 3999 * sizeof *p); double *q = calloc(4, sizeof *q); q[0] += p[100];\n\
         s = p[0] + p[2000] + q[0] + q[1]; free(p); free(q); return s; }\n",
        "double f(double x)",
        &[&[0.3], &[1.7]],
    );
}

/// What a function leaves in memory is no shadow of the next call's inputs, which happen to lie there with the same bits.
#[test]
fn calls_do_not_know_each_other() {
    let source =
        Source::c("double f(double x[2]) {\n double y = x[0]; x[0] = y / 3; x[1] = y / 7; return y - 0.1; }\n");
    let mut subject = source.subject("double f(double x[2])");
    let first = subject.call(&[1.0, 0.0]);
    assert_ne!(first.record.outputs[1].low, 0.0);
    let second = subject.call(&[1.0 / 3.0, 0.0]);
    let exact = 1.0 / 3.0 - 0.1;
    assert_eq!(second.record.outputs[0].high, exact);
    let alone = source.subject("double f(double x[2])").call(&[1.0 / 3.0, 0.0]);
    assert_eq!(second.record, alone.record);
}

/// An initialiser's shadows are every later call's.
#[test]
fn an_initialiser_leaves_shadows() {
    let text =
        "static double third;\nvoid set(void) { third = 1.0; third /= 3; }\ndouble f(double x) { return x * third; }\n";
    let source = Source::c(text);
    let signature =
        labrys_program::parse_signature("double f(double x)", &labrys_program::LengthOptions::default()).unwrap();
    let mut subject = source.subject_of(signature, Some("set"));
    check(&mut subject, &[&[0.3], &[7.0], &[0.3]]);
}

fn double() -> Pointee {
    Pointee::Scalar(ScalarType::Float(FloatType::F64))
}

/// A struct of so many doubles.
fn doubles(count: u64) -> Pointee {
    let field =
        |index| StructField { name: format!("m{index}"), offset: 8 * index, ty: double(), count: 1, is_array: false };
    Pointee::Struct(StructType {
        name: String::new(),
        size: 8 * count,
        align: 8,
        fields: (0..count).map(field).collect(),
    })
}

fn by_value(parameters: Vec<Pointee>, result: Pointee) -> Signature {
    let parameter = |(index, ty)| Parameter { name: format!("p{index}"), ty: ParameterType::Value(ty) };
    Signature {
        name: "f".to_owned(),
        symbol: "f".to_owned(),
        parameters: parameters.into_iter().enumerate().map(parameter).collect(),
        result: ResultType::Value(result),
    }
}

#[test]
fn structs_by_value_in_registers_and_memory() {
    let source = Source::c(
        "typedef struct { double a, b; } two;\ntypedef struct { double a, b, c; } three;\n\
         static three more(two p, double x) { three r = { p.a / 3, p.b / 7, x / 9 }; return r; }\n\
         three f(two p, three q) { three r = more(p, q.c); r.a += q.a * r.b; return r; }\n",
    );
    let signature = by_value(vec![doubles(2), doubles(3)], doubles(3));
    check(&mut source.subject_of(signature, None), &[&[0.1, 0.2, 0.3, 0.4, 0.5]]);
    let source = Source::c(
        "typedef struct { double a, b; } two;\ntwo f(two p, double x) { two r = { p.a / 3 + x, p.b / x }; return r; }\n",
    );
    let signature = by_value(vec![doubles(2), double()], doubles(2));
    check(&mut source.subject_of(signature, None), &[&[0.1, 0.2, 0.3]]);
}

#[test]
fn fortran_by_reference() {
    let text = "subroutine f(n, x, y)\n  integer :: n\n  double precision :: x(n), y(n)\n  integer :: i\n\
                do i = 1, n\n    y(i) = sqrt(x(i)) / 3 + sin(x(i)) * x(n) + x(i)**3\n  end do\nend subroutine\n";
    let source = Source::of("flang-22", "f.f90", text, &["-O0"]);
    let mut signature =
        labrys_program::parse_signature("void f_(int *n, double x[4], double y[4])", &Default::default()).unwrap();
    for (parameter, direction) in signature.parameters.iter_mut().zip([Access::In, Access::In, Access::Out]) {
        if let ParameterType::Pointer { access, .. } = &mut parameter.ty {
            *access = direction;
        }
    }
    check(&mut source.subject_of(signature, None), &[&[4.0, 0.1, 0.2, 0.3, 0.7], &[3.0, 1.5, 20.0, 3.0, 0.0]]);
}

#[test]
fn vectors_have_shadows_in_every_lane() {
    let text = "#include <math.h>\n\
         double f(const double x[8], double y[8], float z[8]) {\n\
         double s = 0; for (int i = 0; i < 8; i++) y[i] = sqrt(x[i] / 3) + x[7 - i];\n\
         for (int i = 0; i < 8; i++) z[i] = (float)(y[i] * x[i]) / 7;\n\
         for (int i = 0; i < 8; i++) s += y[i] * z[i]; return s; }\n";
    let source = Source::of("clang-22", "f.c", text, &["-O3", "-fno-math-errno"]);
    let mut subject = source.subject("double f(const double x[8], double y[8], float z[8])");
    let vectors = subject.program.functions.iter().flat_map(|function| &function.values);
    assert!(vectors.filter(|ty| matches!(ty, labrys_program::Type::Vector(..))).count() > 4);
    check(&mut subject, &[&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], &[1.0, 20.0, 3.0, 4.5, 0.25, 6.0, 7.0, 1e4]]);
}

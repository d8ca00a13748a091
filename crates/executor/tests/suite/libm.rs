//! Calls of libm on inputs: proofs for any libm near the correctly rounded values, violations that this machine's shows.

use labrys_executor::ViolationKind;

use crate::support::{holds, run, violates};

const MATH: &str = "double exp(double); double log(double); double sin(double); double pow(double, double); float cosf(float);\n\
    double cbrt(double); double fabs(double); double nextafter(double, double); float nextafterf(float, float);\n\
    int ilogb(double); double logb(double); double sqrt(double); double fmod(double, double); double ldexp(double, int);\n\
    int *__errno_location(void);\n#define errno (*__errno_location())\n";

fn program(body: &str) -> String {
    format!("{MATH}int main(void) {{ {body} return 0; }}")
}

#[test]
fn bounds_of_functions_are_proved_for_any_libm() {
    let outcome = holds(
        &program(
            "double x = __VERIFIER_nondet_double(); __VERIFIER_assume(x >= 0.0 && x <= 10.0); double e = exp(x);\n\
             assert(e >= 0.99 && e < 22027.0);",
        ),
        1,
    );
    assert!(outcome.assumptions.iter().any(|text| text.contains("within 4 floats")), "{:?}", outcome.assumptions);
    holds(
        &program(
            "float x; klee_make_symbolic(&x, sizeof x, \"x\"); float c = cosf(x);\n\
             if (c == c) assert(c >= -1.0f && c <= 1.0f); else assert(!(x - x == 0.0f));",
        ),
        2,
    );
}

/// Equal operands have equal results, though their terms differ; a result may be an operand.
#[test]
fn functions_are_functions() {
    holds(
        &program(
            "double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double();\n\
             __VERIFIER_assume(x == y && x > 0.5 && x < 2.0); assert(log(x) == log(y));",
        ),
        1,
    );
    holds(
        &program(
            "double x = __VERIFIER_nondet_double(); __VERIFIER_assume(x >= 1.0 && x <= 2.0);\n\
             double y = log(exp(x)); assert(y > 0.999 && y < 2.001);",
        ),
        1,
    );
}

/// What hangs on the last bits of one libm is not proved, though this machine's does it.
#[test]
fn last_bits_are_not_proved() {
    // 1 is exp(0) for every libm by C's rules; exp(1) is not a float, and libms may differ in it.
    let outcome = run(&program(
        "double x = __VERIFIER_nondet_double(); __VERIFIER_assume(x >= 1.0 && x <= 1.0);\n\
         assert(exp(x) == 0x1.5bf0a8b145769p+1);",
    ));
    assert!(outcome.violations.is_empty() && !outcome.unexplored.is_empty(), "{outcome:?}");
    holds(&program("double x = __VERIFIER_nondet_double(); __VERIFIER_assume(x == 0.0); assert(exp(x) == 1.0);"), 1);
}

#[test]
fn violations_are_shown_with_this_machines_results() {
    let text = program(
        "double x = __VERIFIER_nondet_double(); __VERIFIER_assume(x >= 0.0 && x <= 4.0); assert(sin(x) < 0.75);",
    );
    let violation = violates(&text, ViolationKind::Assertion("sin(x) < 0.75".into()));
    let x = f64::from_le_bytes(violation.input.objects[0].bytes.clone().try_into().unwrap());
    assert!(x.sin() >= 0.75, "{x}");
    let text = program(
        "double x = __VERIFIER_nondet_double(); __VERIFIER_assume(x > 0.0 && x < 100.0); double y = pow(x, 3.0); assert(y != 1000.0);",
    );
    violates(&text, ViolationKind::Assertion("y != 1000.0".into()));
}

/// NaNs that functions give may have any payload, but are quiet.
#[test]
fn payloads_of_results_are_any() {
    let bits = "unsigned long b; memcpy(&b, &y, sizeof b);";
    let text = program(&format!(
        "double x = __VERIFIER_nondet_double(); double y = log(x); {bits} if (y != y) assert(b & (1ul << 51));"
    ));
    holds(&text, 2);
    let outcome = run(&program(&format!(
        "double x = __VERIFIER_nondet_double(); __VERIFIER_assume(x != x); double y = log(x); {bits} assert((b & 1) == 0);"
    )));
    assert!(!(outcome.violations.is_empty() && outcome.unexplored.is_empty()), "{outcome:?}");
}

#[test]
fn errno_tells_what_failed() {
    holds(
        &program(
            "double x = __VERIFIER_nondet_double(); errno = 0; double y = log(x);\n\
             if (x < 0.0) assert(errno == 33 && y != y); else if (x == 0.0) assert(errno == 34); else assert(errno == 0);",
        ),
        3,
    );
    holds(
        &program(
            "double x = __VERIFIER_nondet_double(); errno = 0; double y = sqrt(x); assert((errno == 33) == (x < 0.0));",
        ),
        1,
    );
    // A tiny result may be reported or not.
    let outcome = run(&program(
        "double x = __VERIFIER_nondet_double(); __VERIFIER_assume(x < -745.2 && x > -746.0); errno = 0; exp(x); assert(errno == 0);",
    ));
    assert!(!(outcome.violations.is_empty() && outcome.unexplored.is_empty()), "{outcome:?}");
}

#[test]
fn neighbours_and_exponents_are_exact() {
    holds(
        &program(
            "float x; klee_make_symbolic(&x, sizeof x, \"x\"); klee_assume(x - x == 0.0f);\n\
             float up = nextafterf(x, __builtin_inff()); assert(up > x);\n\
             float back = nextafterf(up, -__builtin_inff()); assert(back == x);",
        ),
        1,
    );
    holds(
        &program(
            "double x = __VERIFIER_nondet_double(); __VERIFIER_assume(x >= 4.0 && x < 8.0);\n\
             assert(ilogb(x) == 2 && logb(x) == 2.0);",
        ),
        1,
    );
    violates(
        &program("double x = __VERIFIER_nondet_double(); __VERIFIER_assume(x > 0.0); assert(logb(x) >= -1022.0);"),
        ViolationKind::Assertion("logb(x) >= -1022.0".into()),
    );
    holds(&program("assert(nextafter(1.0, 2.0) == 1.0 + 0x1p-52 && ilogb(0.75) == -1 && logb(8.5) == 3.0);"), 1);
}

/// A long double of a valid encoding.
const LONG: &str = "long double expl(long double); long double sinl(long double); long double roundl(long double); int ilogbl(long double);\n\
    int fesetround(int);\n\
    static long double any(int is_valid) { long double x = 0; unsigned long m = __VERIFIER_nondet_ulong(); unsigned short h = __VERIFIER_nondet_uint();\n\
    if (is_valid) __VERIFIER_assume((m >> 63) == ((h & 0x7fff) != 0)); memcpy(&x, &m, 8); memcpy((char *)&x + 8, &h, 2); return x; }\n";

#[test]
fn long_doubles_are_any_libms() {
    let of = |body: &str| format!("{LONG}{}", program(body));
    holds(
        &of("long double x = any(1); __VERIFIER_assume(x >= 0.0L && x <= 10.0L); long double e = expl(x);\n\
             assert(e >= 0.99L && e < 22027.0L);"),
        1,
    );
    holds(
        &of(
            "long double x = any(1); __VERIFIER_assume(x > 2.6L && x < 2.9L); assert(roundl(x) == 3 && ilogbl(x) == 1);",
        ),
        1,
    );
    violates(
        &of("long double x = any(1); __VERIFIER_assume(x >= 0.0L && x <= 4.0L); assert(sinl(x) < 0.75L);"),
        ViolationKind::Assertion("sinl(x) < 0.75L".into()),
    );
}

/// Functions of libm take encodings apart as they like where these are no numbers' only ones; all others go on.
#[test]
fn odd_encodings_stay_unknown() {
    for call in ["expl(x)", "roundl(x)", "ilogbl(x)"] {
        let outcome = run(&format!("{LONG}{}", program(&format!("long double x = any(0); long double y = {call};"))));
        assert!(outcome.violations.is_empty() && outcome.paths.completed == 1, "{call}: {outcome:?}");
        let [unknown] = outcome.unexplored.as_slice() else { panic!("{call}: {outcome:?}") };
        assert!(unknown.why.contains("x87 encoding"), "{call}: {}", unknown.why);
    }
}

/// To nearest exp(1) is at most 4 floats off; in other modes some more.
#[test]
fn other_rounding_modes_are_near() {
    let of = |mode: &str, condition: &str| {
        format!(
            "{LONG}{}",
            program(&format!(
                "double x = __VERIFIER_nondet_double(); __VERIFIER_assume(x >= 1.0 && x <= 4.0); fesetround({mode}); double e = exp(x); assert({condition});"
            ))
        )
    };
    let outcome = holds(&of("0x800", "e > 2.7 && e < 54.7"), 1);
    assert!(outcome.assumptions.iter().any(|text| text.contains("within 16 floats")), "{:?}", outcome.assumptions);
    holds(&of("0", "e >= 0x1.5bf0a8b145765p+1"), 1);
    let outcome = run(&of("0xc00", "e >= 0x1.5bf0a8b145765p+1"));
    assert!(!(outcome.violations.is_empty() && outcome.unexplored.is_empty()), "{outcome:?}");
    let violation = violates(&of("0x400", "e < 20.0"), ViolationKind::Assertion("e < 20.0".into()));
    let x = f64::from_le_bytes(violation.input.objects[0].bytes.clone().try_into().unwrap());
    assert!(x.exp() >= 20.0, "{x}");
    // glibc reports overflows that give no infinity.
    let text = program("double x = __VERIFIER_nondet_double(); fesetround(0x400); errno = 0; exp(x);");
    let outcome = run(&format!("{LONG}{text}"));
    assert!(outcome.unexplored.iter().any(|unknown| unknown.why.contains("errno behind exp")), "{outcome:?}");
}

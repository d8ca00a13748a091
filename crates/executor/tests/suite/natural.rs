//! Small programs that once were proved, and end with a failed assertion natively: what clang's code for x86-64, glibc and libgcc do there is
//! not what the operation's definition says.

use labrys_executor::Outcome;

use crate::support::{holds, run};

const HEADERS: &str = "#include <fenv.h>\n#include <math.h>\n";

/// The program, of which an error is found, or nothing known.
#[track_caller]
fn does_not_hold(text: &str) -> Outcome {
    let outcome = run(&format!("{HEADERS}{text}"));
    assert!(!(outcome.violations.is_empty() && outcome.unexplored.is_empty()), "{text}");
    outcome
}

/// The same, and an error is found.
#[track_caller]
fn is_violated(text: &str) {
    let outcome = does_not_hold(text);
    assert!(!outcome.violations.is_empty(), "{text}: {:?}", outcome.unexplored);
}

const STRICT: &str = "#pragma STDC FENV_ACCESS ON\n";

/// Which of two zeros fmin and fmax give hangs on what is a constant, and on who computes it.
#[test]
fn zeros_of_minima_are_open() {
    for (ty, suffix) in [("double", ""), ("float", "f"), ("long double", "l")] {
        let zeros = format!(
            "static volatile {ty} p = 0, n = -0.0, z = 3; static {ty} (*volatile fp)({ty}, {ty}) = fmin{suffix};"
        );
        is_violated(&format!("{zeros} int main(void) {{ assert(signbit(fmin{suffix}(n, ({ty})0.0))); }}"));
        is_violated(&format!(
            "{zeros} int main(void) {{ {ty} r = fmin{suffix}(({ty})0.0, -(z - 3)); assert(!signbit(r)); }}"
        ));
        is_violated(&format!("{zeros} int main(void) {{ assert(!signbit(fp(p, n))); }}"));
        is_violated(&format!("{STRICT}{zeros} int main(void) {{ {ty} r = fmin{suffix}(p, n); assert(!signbit(r)); }}"));
        is_violated(&format!("{zeros} int main(void) {{ assert(signbit(fmax{suffix}(p, n))); }}"));
    }
    is_violated(
        "static volatile _Float16 p = 0, n = -0.0; int main(void) { _Float16 r = __builtin_fminf16(p, n); assert(!signbit((float)r)); }",
    );
    is_violated(
        "int main(void) { double x = __VERIFIER_nondet_double(); if (x == 0 && signbit(x)) assert(signbit(fmax(x, 0.0))); }",
    );
}

/// All else that clamps are written for is proved.
#[test]
fn clamps_are_proved() {
    holds(
        &format!(
            "{HEADERS} int main(void) {{ double x = __VERIFIER_nondet_double(); double y = fmin(fmax(x, 0.0), 1.0);\n\
             assert(y >= 0.0 && y <= 1.0); }}"
        ),
        1,
    );
    holds(
        &format!(
            "{HEADERS} int main(void) {{ float x = __VERIFIER_nondet_float(), y = __VERIFIER_nondet_float();\n\
             __VERIFIER_assume(x < 0.0f && y == y); float r = fmaxf(x, y); assert(r >= x && r >= y); assert(fminf(x, y) <= -0.0f); }}"
        ),
        1,
    );
}

#[test]
fn signaling_operands_of_glibcs_minima_are_quieted() {
    is_violated(
        "static float (*fp)(float, float) = fmaxf;\n\
         int main(void) { unsigned s = 0x7f800001u, u; float q; memcpy(&q, &s, 4); volatile float sn = q; float r = fp(sn, 1.0f);\n\
         memcpy(&u, &r, 4); assert(u == 0x3f800000); }",
    );
}

/// glibc's cbrt is none that rounds correctly.
#[test]
fn cube_roots_are_this_machines() {
    // SAFETY: libm's function is defined for all arguments.
    let native = unsafe {
        let libm = libloading::Library::new("libm.so.6").unwrap();
        libm.get::<unsafe extern "C" fn(f64) -> f64>("cbrt").unwrap()(27.0)
    };
    let text = |number: f64| format!("int main(void) {{ volatile double x = 27.0; assert(cbrt(x) == {number:?}); }}");
    let outcome = holds(&format!("{HEADERS}{}", text(native)), 1);
    assert!(outcome.assumptions.iter().any(|text| text.contains("this machine's libm")), "{:?}", outcome.assumptions);
    is_violated(&text(native.next_up()));
    if native != 3.0 {
        is_violated(&text(3.0));
    }
}

#[test]
fn positive_differences_are_positive_zeros() {
    for call in ["fdim(x, x)", "fdim(x, 2.0)", "fdimf(x, x)", "fdiml(x, x)"] {
        let text = |sign: &str| {
            format!(
                "static volatile double x = 1.0; int main(void) {{ fesetround(FE_DOWNWARD); long double r = {call}; assert({sign}signbit(r)); }}"
            )
        };
        is_violated(&text(""));
        holds(&format!("{HEADERS}{}", text("!")), 1);
    }
    is_violated(
        "int main(void) { double x = __VERIFIER_nondet_double(); fesetround(FE_DOWNWARD); if (x == x) assert(signbit(fdim(x, x))); }",
    );
}

#[test]
fn conversions_are_those_of_the_accessed_environment() {
    is_violated(&format!(
        "{STRICT}static volatile double x = 1.0; int main(void) {{ volatile unsigned long r = (unsigned long)x; assert(fetestexcept(FE_INEXACT) != 0); }}"
    ));
    is_violated(&format!(
        "{STRICT}static volatile unsigned long x = 0; int main(void) {{ fesetround(FE_DOWNWARD); double r = (double)x; assert(signbit(r)); }}"
    ));
    is_violated(&format!(
        "{STRICT}static volatile long double x = NAN; int main(void) {{ unsigned long r = (unsigned long)x; assert(r == 0); }}"
    ));
    // clang leaves out what would clear the sign of a number that was unsigned.
    for call in ["fabs((double)x)", "copysign((double)x, 1.0)", "fabs(fabs((double)x * 1.0))"] {
        is_violated(&format!(
            "static volatile unsigned long x = 0; int main(void) {{ fesetround(FE_DOWNWARD); double r = {call}; assert(!signbit(r)); }}"
        ));
    }
    // What functions of libgcc raise is not modelled.
    for (x, flag, raised) in
        [("0x1p-1074", "FE_UNDERFLOW", "0"), ("1.0", "FE_INEXACT", "0"), ("0x1p-1074", "FE_INEXACT", "0")]
    {
        does_not_hold(&format!(
            "{STRICT}static volatile double x = {x}; int main(void) {{ volatile __int128 r = (__int128)x; assert(fetestexcept({flag}) == {raised}); }}"
        ));
    }
}

/// A difference with a product of long doubles, which clang's usual code makes one, is a sum with a negative number where the environment is accessed.
#[test]
fn products_of_long_doubles_are_negated_where_the_environment_is_accessed() {
    let text = |pragma: &str, expected: &str| {
        format!(
            "{pragma}static volatile long double a = 0xa.aaaaaaaaaaaaaabp-5L, b = 0x1.fffffffffffffffep0L, c = 0x1.fffffffffffffffep0L;\n\
             int main(void) {{ fesetround(FE_DOWNWARD); long double r = c - a * b; assert(r {expected} 0xa.aaaaaaaaaaaaaaap-3L); }}"
        )
    };
    holds(&format!("{HEADERS}{}", text("", "==")), 1);
    is_violated(&text(STRICT, "=="));
    holds(&format!("{HEADERS}{}", text(STRICT, "!=")), 1);
}

#[test]
fn nan_has_the_payload_of_its_text() {
    let text = |bits: &str| {
        format!(
            "static const char *volatile t = \"77\"; int main(void) {{ double d = nan(t); unsigned long u; memcpy(&u, &d, 8); assert(u == {bits}); }}"
        )
    };
    is_violated(&text("0x7ff8000000000000ul"));
    holds(&format!("{HEADERS}{}", text("0x7ff800000000004dul")), 1);
}

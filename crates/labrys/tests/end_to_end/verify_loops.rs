//! Loops without an end, proved by what their rounds check of themselves, and bugs beside them; equal floats and their bits.

use crate::harness::verify_twins;

const PRELUDE: &str = "#include <assert.h>\n#include <fenv.h>\n#include <math.h>\n#include <stdint.h>\n#include <string.h>\n#include <verifier.h>\n";

/// Programs that hold with the first text in the place of `@`, and are violated with the second.
const TWINS: [(&str, &str, &str); 8] = [
    // A counter that wraps, as a float that is read without a sign.
    ("uint8_t n = 0; float f = 0; while (1) { n++; f = fmodf(f + 1, @); assert(n == f); }", "256", "255"),
    // What the round asserts is what the next one needs: a bound that is not among the program's.
    (
        "union { double d; unsigned char c[8]; } u; u.d = 1; while (1) { int k = __VERIFIER_nondet_int(); if (k >= 0 && k < @) u.c[k] ^= 0xff; else u.d = 2; \
         assert(u.d > 0 && u.d < 4); }",
        "6",
        "8",
    ),
    // The same before the variables change.
    (
        "unsigned a = 3, b = 5; while (1) { assert(a * b % 2 == 1); unsigned k = __VERIFIER_nondet_uint(); a += 2 * k; b += k * @; }",
        "4",
        "3",
    ),
    // Equal keys have equal hashes, but for zeros.
    (
        "double a = __VERIFIER_nondet_double(), b = __VERIFIER_nondet_double(); if (a != b @) return 0; uint64_t u, v; memcpy(&u, &a, 8); memcpy(&v, &b, 8); \
         assert(u * 0x9E3779B97F4A7C15 >> 60 == v * 0x9E3779B97F4A7C15 >> 60);",
        "|| a == 0",
        "",
    ),
    // glibc's pow and hypot give NaN of a signaling NaN, whatever the other operand is.
    ("double x = __VERIFIER_nondet_double(); assert(pow(x, 0) == 1 @);", "|| isnan(x)", ""),
    ("float x = __VERIFIER_nondet_float(); assert(powf(1, x) == 1 @);", "|| isnan(x)", ""),
    ("double x = __VERIFIER_nondet_double(); assert(isinf(hypot(x, INFINITY)) @);", "|| isnan(x)", ""),
    // Remainders are exact.
    (
        "double x = __VERIFIER_nondet_double(); int k; if (!isfinite(x)) return 0; feclearexcept(FE_ALL_EXCEPT); double r = remquo(x, 3, &k); \
         assert(!fetestexcept(FE_ALL_EXCEPT) && !(@ && r == x && x > 0));",
        "x > 2",
        "x < 0x1p-1070",
    ),
];

#[test]
fn loops_hold_by_what_they_check_and_their_twins_do_not() {
    verify_twins(PRELUDE, &TWINS);
}

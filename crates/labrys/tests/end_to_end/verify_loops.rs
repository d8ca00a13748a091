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

/// Machines without an end whose variables have other bounds in each state of a flag: hysteresis, timers, ways up and down, alarms.
const STATES: [(&str, &str, &str); 5] = [
    (
        "int level = 50, pump = 0; while (1) { int d = __VERIFIER_nondet_int(); __VERIFIER_assume(d >= 1 && d <= 4); if (pump) level += 3 * d; else level -= d; \
         if (level < 20) pump = 1; else if (level > 80) pump = 0; assert(level >= @ && level <= 92); }",
        "16",
        "17",
    ),
    (
        "enum { IDLE, RUN, COOL } s = IDLE; unsigned t = 0; for (;;) { _Bool go = __VERIFIER_nondet_bool(); switch (s) { case IDLE: if (go) { s = RUN; t = 0; } break; \
         case RUN: if (++t == 40) { s = COOL; t = @; } break; case COOL: if (--t == 0) s = IDLE; break; } assert(t < 40); assert(s != COOL || t <= 25); assert(s != IDLE || t == 0); }",
        "25",
        "26",
    ),
    (
        "int at = 0, way = 1; for (;;) { int k = __VERIFIER_nondet_int(); __VERIFIER_assume(k > 0 && k < 8); if (way > 0) at += k; else at -= k; \
         if (at >= 1000) way = -1; else if (at <= 0) way = 1; assert(at >= -6 && at <= @); }",
        "1006",
        "1005",
    ),
    (
        "double v = 0, up = 1; for (;;) { double k = __VERIFIER_nondet_double(); __VERIFIER_assume(k >= 0 && k <= 0.25); v += up * k; \
         if (v > 3) up = -1; else if (v < -3) up = 1; assert(v <= @ && v >= -3.25); }",
        "3.25",
        "3.125",
    ),
    (
        "short acc = 0; char alarm = 0; for (;;) { short x = __VERIFIER_nondet_short(); __VERIFIER_assume(x >= -100 && x <= 100); if (alarm) acc /= 2; else acc += x; \
         if (acc > 1000 || acc < -1000) alarm = 1; else if (acc > -200 && acc < 200) alarm = 0; assert(acc >= -1100 && acc <= @); }",
        "1100",
        "1099",
    ),
];

#[test]
fn bounds_hold_in_each_state_and_their_twins_do_not() {
    verify_twins(PRELUDE, &STATES);
}

/// What is asserted behind a loop, of what the loop has counted and added up: it holds of all rounds when the end is replaced by the counter, some of it from the second round on.
const BEHIND: [(&str, &str, &str); 5] = [
    (
        "int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n >= 0 && n <= 1000); double sum = 0; for (int i = 0; i < n; i++) { int k = __VERIFIER_nondet_int(); \
         __VERIFIER_assume(k >= 0 && k <= 5); sum += k + 1; } assert(sum >= n && sum <= @ * n);",
        "6.0",
        "5.0",
    ),
    (
        "int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n >= 1 && n <= 100); int c[4] = {0}; for (int i = 0; i < n; i++) { float x = __VERIFIER_nondet_float(); \
         int k = x < 0 ? 0 : x < 1 ? 1 : x < 2 ? 2 : 3; @ c[k]++; } assert(c[0] + c[1] + c[2] + c[3] == n);",
        "",
        "if (x != 7.25f)",
    ),
    (
        "int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n >= @ && n <= 200); double lo = INFINITY, hi = -INFINITY; for (int i = 0; i < n; i++) { \
         double x = __VERIFIER_nondet_double(); __VERIFIER_assume(x >= -5 && x <= 5); lo = fmin(lo, x); hi = fmax(hi, x); } assert(lo <= hi);",
        "1",
        "0",
    ),
    (
        "int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n >= 0 && n <= 300); int e = 0, o = 0; for (int i = 0; i < n; i++) if (__VERIFIER_nondet_int() % 2 == 0) e++; \
         else o++; int t = 0; for (int i = 0; i < e; i++) t++; for (int i = 0; i < o; i++) t += @; assert(t == n);",
        "1",
        "2",
    ),
    // What is asked for in the round is another value each time, though a condition may be of what was asked for before.
    (
        "int n = __VERIFIER_nondet_int(), r = __VERIFIER_nondet_int(); __VERIFIER_assume(n >= 0 && n <= 1000 && r >= 0); int m = r, x = 0; \
         for (int i = 0; i < n; i++) { r = __VERIFIER_nondet_int(); if (r @ m) x = r; } assert(x <= m);",
        "<",
        ">",
    ),
];

#[test]
fn what_is_asserted_behind_loops_holds_of_their_rounds_and_its_twins_do_not() {
    verify_twins(PRELUDE, &BEHIND);
}

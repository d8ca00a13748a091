//! What is true of real numbers with room for rounding, and twins without the room.

use crate::harness::verify_twins;

const PRELUDE: &str =
    "#include <assert.h>\n#include <fenv.h>\n#include <math.h>\n#include <stdint.h>\n#include <verifier.h>\n";

/// Programs that hold with the first text in the place of `@`, and are violated with the second.
const TWINS: [(&str, &str, &str); 19] = [
    // A histogram has everything that was counted.
    (
        "int count[10] = {0}, total = 0; for (int i = 0; i < 6; i++) { float x = __VERIFIER_nondet_float(); __VERIFIER_assume(x >= 0 && x <= 1); \
         int b = (int)(x * 10); if (b >= 10) b = 9; count[b]++; } for (int b = @; b < 10; b++) total += count[b]; assert(total == 6);",
        "0",
        "1",
    ),
    // Kahan's sum of forty times one of eight million numbers: all are tried.
    (
        "float x = __VERIFIER_nondet_float(); __VERIFIER_assume(x >= 0.5f && x <= 1.0f); float s = 16777216.0f, c = 0; \
         for (int i = 0; i < 40; i++) { float y = x - c, t = s + y; c = (t - s) - y; s = t; } assert(fabs((double)s - (16777216.0 + 40.0 * x)) <= @);",
        "1",
        "0.9",
    ),
    // Prefix sums: neighbours differ by the element, but for one rounding.
    (
        "float a[6], s[7] = {0}; for (int i = 0; i < 6; i++) { a[i] = __VERIFIER_nondet_float(); __VERIFIER_assume(a[i] >= 0 && a[i] <= 1); s[i + 1] = s[i] + a[i]; } \
         for (int i = 0; i < 6; i++) assert(fabsf(s[i + 1] - s[i] - a[i]) <= @);",
        "1e-6f",
        "1e-8f",
    ),
    // Floats of few bits, added up in doubles in either order.
    (
        "float a[3]; for (int i = 0; i < 3; i++) { a[i] = __VERIFIER_nondet_float(); __VERIFIER_assume(fabsf(a[i]) <= 100 && (a[i] == 0 || fabsf(a[i]) >= 0x1p-10f)); } \
         @ f = a[0], b = a[2]; f += a[1]; f += a[2]; b += a[1]; b += a[0]; assert(f == b);",
        "double",
        "float",
    ),
    // A filter for the sign of a determinant of integers.
    (
        "int p[4]; for (int i = 0; i < 4; i++) { p[i] = __VERIFIER_nondet_int(); __VERIFIER_assume(p[i] >= -200000 && p[i] <= 200000); } \
         float l = (float)p[0] * (float)p[3], r = (float)p[1] * (float)p[2], d = l - r; int64_t e = (int64_t)p[0] * p[3] - (int64_t)p[1] * p[2]; \
         if (d >= (fabsf(l) + fabsf(r)) * @) assert(e >= 0);",
        "3e-7f",
        "-3e-8f",
    ),
    // Cents of an amount, there and back.
    (
        "int n = __VERIFIER_nondet_int(); __VERIFIER_assume(n >= 0 && n <= 1000000000); double amount = n / 100.0; assert((int)(amount * 100 + @) == n);",
        "0.5",
        "0.0",
    ),
    // A step of Jacobi's method for a system whose diagonal dominates brings the solution nearer.
    (
        "double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double(); __VERIFIER_assume(fabs(x) <= 10 && fabs(y) <= 10); \
         double u = (6 - y) / @, v = (6 - x) / @; assert(fabs(u - v) <= 0.5 * fabs(x - y) + 1e-12);",
        "3",
        "1.5",
    ),
    // An interval times a number, rounded outwards, has all products of its members.
    (
        "float x[3], y = __VERIFIER_nondet_float(); for (int i = 0; i < 3; i++) x[i] = __VERIFIER_nondet_float(); \
         __VERIFIER_assume(fabsf(x[0]) <= 1e15f && fabsf(x[2]) <= 1e15f && fabsf(y) <= 1e15f && x[0] <= x[1] && x[1] <= x[2]); \
         fesetround(FE_DOWNWARD); float low = fminf(x[0] * y, x[@] * y); fesetround(FE_TONEAREST); assert(low <= (double)x[1] * y);",
        "2",
        "0",
    ),
    // The error of a sum does not change it.
    (
        "float a = __VERIFIER_nondet_float(), b = __VERIFIER_nondet_float(); __VERIFIER_assume(fabsf(a) <= 0x1p100f && fabsf(b) <= 0x1p100f); \
         float s = a + b, part = s - a, e = (a - (s - part)) + (b - part); assert(s + e * @ == s);",
        "1",
        "2",
    ),
    // A quotient behind a guard, times the divisor.
    (
        "double a = __VERIFIER_nondet_double(), b = __VERIFIER_nondet_double(); __VERIFIER_assume(0 <= a && a <= 10 && fabs(b) <= 10); \
         double q = b > 0.1 ? a / b : 0; assert(q * b <= a + @);",
        "1e-13",
        "1e-17",
    ),
    // The quotient of the smaller one by the larger one is finite, and no more than one.
    (
        "double a = __VERIFIER_nondet_double(), b = __VERIFIER_nondet_double(); __VERIFIER_assume(isfinite(a) && isfinite(b) && fabs(a) < fabs(b)); \
         assert(fabs(a / b) <= @);",
        "1",
        "0.75",
    ),
    // A matrix times a column of its inverse.
    (
        "double m[4]; for (int i = 0; i < 4; i++) { m[i] = __VERIFIER_nondet_double(); __VERIFIER_assume(i % 3 == 0 ? m[i] >= 2 && m[i] <= 10 : fabs(m[i]) <= 1); } \
         double d = m[0] * m[3] - m[1] * m[2], x = m[3] / d, y = @ m[2] / d; assert(fabs(m[0] * x + m[1] * y - 1) <= 1e-10);",
        "-",
        "",
    ),
    // A rotation by the quotient of the smaller number by the larger.
    (
        "double a = __VERIFIER_nondet_double(), b = __VERIFIER_nondet_double(), c = 1, s = 0; __VERIFIER_assume(fabs(a) <= 1000 && fabs(b) <= 1000); \
         if (fabs(b) > fabs(a)) { double t = a / b; s = 1 / sqrt(1 + t * t); c = @ t; } assert(fabs(c * c + s * s - 1) <= 1e-12);",
        "s *",
        "",
    ),
    // A standard deviation is no more than half of the range.
    (
        "double x[4], m = 0, q = 0; for (int i = 0; i < 4; i++) { x[i] = __VERIFIER_nondet_double(); __VERIFIER_assume(fabs(x[i]) <= 1000); m += x[i]; } \
         m /= 4; for (int i = 0; i < 4; i++) q += (x[i] - m) * (x[i] - m); assert(sqrt(q / @) <= 1000 + 1e-6);",
        "4",
        "3",
    ),
    // Hermite's interpolation between equal slopes of zero stays between the ends.
    (
        "double p = __VERIFIER_nondet_double(), q = __VERIFIER_nondet_double(), t = __VERIFIER_nondet_double(); __VERIFIER_assume(fabs(p) <= 10 && fabs(q) <= 10 && 0 <= t && t <= 1); \
         double y = (1 + 2 * t) * (1 - t) * (1 - t) * p + t * t * (@ - 2 * t) * q; assert(y >= fmin(p, q) - 1e-9 && y <= fmax(p, q) + 1e-9);",
        "3",
        "4",
    ),
    // Exponentials of differences from the greatest sum to something, and their parts of it to one.
    (
        "double x[2], m, e[2]; for (int i = 0; i < 2; i++) { x[i] = __VERIFIER_nondet_double(); __VERIFIER_assume(fabs(x[i]) <= 800); } \
         m = x[0] > x[1] ? x[0] : x[1]; e[0] = exp(x[0] - m * @); e[1] = exp(x[1] - m * @); double s = e[0] + e[1]; assert(fabs(e[0] / s + e[1] / s - 1) <= 1e-9);",
        "1",
        "0",
    ),
    // An angle less its wrapped one is a multiple of a turn.
    (
        "double a = __VERIFIER_nondet_double(); __VERIFIER_assume(fabs(a) <= 1e4); double r = a - 360 * floor((a + 180) / 360), k = (a - r) / @; assert(fabs(k - round(k)) <= 1e-9);",
        "360",
        "365",
    ),
    // A product in fixed point.
    (
        "double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double(); __VERIFIER_assume(0 <= x && x <= 100 && 0 <= y && y <= 100); \
         int32_t a = (int32_t)(x * 65536), b = (int32_t)(y * 65536), p = (int32_t)(((int64_t)a * b) >> 16); assert(fabs(p / 65536.0 - x * y) <= @);",
        "0.02",
        "0.001",
    ),
    // What Newton's method leaves of a root's square.
    (
        "double a = __VERIFIER_nondet_double(); __VERIFIER_assume(1 <= a && a <= 4); double x = (1 + a) / 2; for (int i = 0; i < @; i++) x = 0.5 * (x + a / x); \
         assert(fabs(x * x - a) <= 1e-10);",
        "4",
        "3",
    ),
];

#[test]
fn what_has_a_margin_holds_and_its_twin_does_not() {
    verify_twins(PRELUDE, &TWINS);
}

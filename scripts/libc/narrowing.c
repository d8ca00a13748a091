/* C23's functions that round to a narrower type once, as glibc 2.36 has them: the exact result is first rounded toward zero, and its last bit is set
   where that was inexact, so that rounding again to fewer bits gives what rounding once gives. */

#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <string.h>

#pragma STDC FENV_ACCESS ON

/* The last bit of a significand lies in the first byte. */
#define ROUNDED_TO_ODD(From, x, operation)                                       \
    From x;                                                                      \
    {                                                                            \
        fenv_t before;                                                           \
        feholdexcept(&before);                                                   \
        fesetround(FE_TOWARDZERO);                                               \
        x = operation;                                                           \
        unsigned char is_inexact = fetestexcept(FE_INEXACT) != 0, last;          \
        feupdateenv(&before);                                                    \
        memcpy(&last, &x, 1);                                                    \
        last |= is_inexact;                                                      \
        memcpy(&x, &last, 1);                                                    \
    }

/* What is reported: a NaN of numbers, an infinity, and a zero that is none. */
#define REPORTED(To, result, is_of_numbers, is_pole, is_lost)                    \
    To rounded = (To)(result);                                                   \
    if (isnan(rounded)) {                                                        \
        if (is_of_numbers) errno = EDOM;                                         \
    } else if (isinf(rounded)) {                                                 \
        if (is_pole) errno = ERANGE;                                             \
    } else if (rounded == 0 && (is_lost)) {                                      \
        errno = ERANGE;                                                          \
    }                                                                            \
    return rounded;

#define NARROWING(To, From, add, sub, mul, div, root, fused, sqrt_of, fma_of)                      \
    /* A sum that is zero, or of infinities, rounds as the current mode says. */                   \
    static To add##_exact(From sum) {                                                              \
        if (isnan(sum)) errno = EDOM;                                                              \
        return (To)sum;                                                                            \
    }                                                                                              \
    To add(From x, From y) {                                                                       \
        if (x == -y) return add##_exact(x + y);                                                    \
        ROUNDED_TO_ODD(From, result, x + y)                                                        \
        REPORTED(To, result, !isnan(x) && !isnan(y), isfinite(x) && isfinite(y), 1)                \
    }                                                                                              \
    To sub(From x, From y) {                                                                       \
        if (x == y) return add##_exact(x - y);                                                     \
        ROUNDED_TO_ODD(From, result, x - y)                                                        \
        REPORTED(To, result, !isnan(x) && !isnan(y), isfinite(x) && isfinite(y), 1)                \
    }                                                                                              \
    To mul(From x, From y) {                                                                       \
        ROUNDED_TO_ODD(From, result, x * y)                                                        \
        REPORTED(To, result, !isnan(x) && !isnan(y), isfinite(x) && isfinite(y), x != 0 && y != 0) \
    }                                                                                              \
    To div(From x, From y) {                                                                       \
        ROUNDED_TO_ODD(From, result, x / y)                                                        \
        REPORTED(To, result, !isnan(x) && !isnan(y), isfinite(x), x != 0 && !isinf(y))             \
    }                                                                                              \
    To root(From x) {                                                                              \
        ROUNDED_TO_ODD(From, result, sqrt_of(x))                                                   \
        REPORTED(To, result, !isnan(x), isfinite(x), x != 0)                                       \
    }                                                                                              \
    /* glibc 2.36 reports nothing of it. */                                                        \
    To fused(From x, From y, From z) {                                                             \
        ROUNDED_TO_ODD(From, result, fma_of(x, y, z))                                              \
        /* A zero is exact, and has the sign that the current mode gives it. */                    \
        if (result == 0) return (To)fma_of(x, y, z);                                               \
        return (To)result;                                                                         \
    }

NARROWING(float, double, fadd, fsub, fmul, fdiv, fsqrt, ffma, __builtin_sqrt, __builtin_fma)
NARROWING(float, long double, faddl, fsubl, fmull, fdivl, fsqrtl, ffmal, __builtin_sqrtl, fmal)
NARROWING(double, long double, daddl, dsubl, dmull, ddivl, dsqrtl, dfmal, __builtin_sqrtl, fmal)

/* flang's runtime: numeric functions of one number. */

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include "labrys.h"

/* Integers have zeros of other signs than other numbers. */
static bool is_small_integer(double x) {
    return x >= -0x1p63 && x < 0x1p63 && (double)(int64_t)x == x;
}

/* A remainder that is zero has the sign of x, and + 0 has none: so flang's. That of modulo has the sign of y, or, where
   zero is divided by what is no integer, that of the quotient. */
#define REMAINDERS(kind, type, fmod)                                                             \
    type _FortranAModReal##kind(type x, type y, const char *file, int line) {                    \
        if (y == 0) abort();                                                                     \
        if (isinf(x)) return NAN;                                                                \
        type rest = fmod(x, y);                                                                  \
        if (rest == 0 && x == 0 && is_small_integer(y)) return -(type)0;                         \
        return rest;                                                                             \
    }                                                                                            \
    type _FortranAModuloReal##kind(type x, type y, const char *file, int line) {                 \
        if (y == 0) abort();                                                                     \
        if (isinf(x) || isinf(y)) return NAN;                                                    \
        type rest = fmod(x, y);                                                                  \
        if (rest == 0) {                                                                         \
            bool is_negative = signbit(y) != 0;                                                  \
            if (x == 0 && !is_small_integer(y)) is_negative ^= signbit(x) != 0;                  \
            return is_negative ? -(type)0 : (type)0;                                             \
        }                                                                                        \
        return (rest < 0) != (y < 0) ? rest + y : rest;                                          \
    }

REMAINDERS(4, float, fmodf)
REMAINDERS(8, double, fmod)

#define EXPONENT(kind, type, ilogb, frexp, scalbn, digits, least)                                             \
    int32_t _FortranAExponent##kind##_4(type x) {                                                             \
        int exponent;                                                                                         \
        if (isnan(x) || isinf(x)) return INT32_MAX;                                                           \
        frexp(x, &exponent);                                                                                  \
        return x == 0 ? 0 : exponent;                                                                         \
    }                                                                                                         \
    int64_t _FortranAExponent##kind##_8(type x) {                                                             \
        int exponent;                                                                                         \
        if (isnan(x) || isinf(x)) return INT64_MAX;                                                           \
        frexp(x, &exponent);                                                                                  \
        return x == 0 ? 0 : exponent;                                                                         \
    }                                                                                                         \
    type _FortranAFraction##kind(type x) {                                                                    \
        int exponent;                                                                                         \
        if (isnan(x)) return x;                                                                               \
        if (isinf(x)) return NAN;                                                                             \
        return x == 0 ? x : frexp(x, &exponent);                                                              \
    }                                                                                                         \
    type _FortranAScale##kind(type x, int64_t exponent) {                                                     \
        return scalbn(x, exponent > 100000 ? 100000 : exponent < -100000 ? -100000 : (int)exponent);          \
    }                                                                                                         \
    type _FortranASetExponent##kind(type x, int64_t exponent) {                                               \
        int own;                                                                                              \
        if (x == 0 || isnan(x)) return x;                                                                     \
        if (isinf(x)) return NAN;                                                                             \
        return _FortranAScale##kind(frexp(x, &own), exponent);                                                \
    }                                                                                                         \
    type _FortranASpacing##kind(type x) {                                                                     \
        int exponent;                                                                                         \
        if (isnan(x)) return x;                                                                               \
        if (isinf(x)) return NAN;                                                                             \
        if (x == 0) return least;                                                                             \
        frexp(x, &exponent);                                                                                  \
        type spacing = scalbn((type)1, exponent - digits);                                                    \
        return spacing < least ? least : spacing;                                                             \
    }                                                                                                         \
    type _FortranARRSpacing##kind(type x) {                                                                   \
        int exponent;                                                                                         \
        if (isnan(x) || x == 0) return isnan(x) ? x : 0;                                                      \
        if (isinf(x)) return NAN;                                                                             \
        type fraction = frexp(x, &exponent);                                                                  \
        return scalbn(fraction < 0 ? -fraction : fraction, digits);                                           \
    }

EXPONENT(4, float, ilogbf, frexpf, scalbnf, 24, 0x1p-126f)
EXPONENT(8, double, ilogb, frexp, scalbn, 53, 0x1p-1022)

/* Powers by integers: the powers of two that the exponent has, multiplied in their order. */
#define POWER(name, type, count)                                                     \
    type name(type x, count n) {                                                     \
        uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;                       \
        type power = 1, square = x;                                                  \
        for (; left > 0; left >>= 1) {                                               \
            if (left & 1) power *= square;                                           \
            if (left > 1) square *= square;                                          \
        }                                                                            \
        return n < 0 ? 1 / power : power;                                            \
    }

POWER(_FortranAFPow4i, float, int32_t)
POWER(_FortranAFPow8i, double, int32_t)
POWER(_FortranAFPow4k, float, int64_t)
POWER(_FortranAFPow8k, double, int64_t)

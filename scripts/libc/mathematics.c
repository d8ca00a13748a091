/* Functions of libm that give two results, by those that give one. */

#include <float.h>
#include <math.h>
#include "labrys.h"

void sincos(double x, double *sine, double *cosine) {
    *sine = sin(x);
    *cosine = cos(x);
}

void sincosf(float x, float *sine, float *cosine) {
    *sine = sinf(x);
    *cosine = cosf(x);
}

void sincosl(long double x, long double *sine, long double *cosine) {
    *sine = sinl(x);
    *cosine = cosl(x);
}

/* The remainder is exact; of the quotient, rounded to the nearest, glibc gives what is above its lowest three bits away, and stores nothing where there is none. */
#define REMQUO(function, type, fmod, remainder, fabs)                                                       \
    type function(type x, type y, int *quotient) {                                                          \
        if (!isfinite(x) || isnan(y) || y == 0) return (x * y) / (x * y); /* errno stays */                  \
        type size = fabs(y), left = fabs(x);                                                                \
        type rest = remainder(x, y);                                                                        \
        int bits = 0;                                                                                       \
        if (isfinite(size)) {                                                                               \
            if (size <= HALVED_##type / 4) left = fmod(left, 8 * size);                                     \
            for (int bit = 4; bit > 0; bit /= 2)                                                            \
                if (size <= HALVED_##type / bit * 2 && left >= bit * size) left -= bit * size, bits += bit; \
        }                                                                                                   \
        /* Rounded up, the remainder is of the other sign. Nothing here is inexact, as in glibc. */         \
        if (rest != 0 && (signbit(rest) != 0) != (signbit(x) != 0)) bits++;                                 \
        *quotient = (signbit(x) != 0) != (signbit(y) != 0) ? -bits : bits;                                  \
        return rest == 0 ? 0 * x : rest;                                                                    \
    }

/* ilogb reports what has no exponent, as glibc's does. */
#define SIGNIFICAND(function, type, ilogb, ldexp)              \
    type function(type x) {                                    \
        int exponent = ilogb(x);                               \
        if (isnan(x)) return x + x;                            \
        return x == 0 || isinf(x) ? x : ldexp(x, -exponent);   \
    }
SIGNIFICAND(significand, double, ilogb, ldexp)
SIGNIFICAND(significandf, float, ilogbf, ldexpf)
SIGNIFICAND(significandl, long double, ilogbl, ldexpl)

#define HALVED_float 0x1.fffffep126f
#define HALVED_double 0x1.fffffffffffffp1022
REMQUO(remquof, float, fmodf, remainderf, fabsf)
REMQUO(remquo, double, fmod, remainder, fabs)
#define HALVED_long_double (LDBL_MAX / 2)
typedef long double long_double;
REMQUO(remquol, long_double, fmodl, remainderl, fabsl)

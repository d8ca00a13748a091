/* math.h and its extension by TS 18661-1: functions on encodings and classes, extremes by size, conversions to integers of any width, and functions of two
   results that the executor does not know. What is computed, raised and reported is glibc 2.36's. */

#define __STDC_WANT_IEC_60559_BFP_EXT_C2X__ 1
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "any_number.h"
#include "labrys.h"

#pragma STDC FENV_ACCESS ON

/* The encoding without the sign. */
static unsigned magnitudef(float x) {
    unsigned bits;
    memcpy(&bits, &x, 4);
    return bits & ~0u >> 1;
}

static unsigned long magnitude(double x) {
    unsigned long bits;
    memcpy(&bits, &x, 8);
    return bits & ~0ul >> 1;
}

/* x87's exponent above the fraction, without the leading bit: 78 bits. */
typedef unsigned __int128 long_size;

static long_size magnitudel(long double x) {
    unsigned long significand;
    unsigned short high;
    memcpy(&significand, &x, 8), memcpy(&high, (char *)&x + 8, 2);
    return (long_size)(high & 0x7fff) << 63 | (significand & ~0ul >> 1);
}

/* A number of such an encoding. */
static void putf(float *to, unsigned size, int is_negative) {
    unsigned bits = size | (unsigned)is_negative << 31;
    memcpy(to, &bits, 4);
}

static void put(double *to, unsigned long size, int is_negative) {
    unsigned long bits = size | (unsigned long)is_negative << 63;
    memcpy(to, &bits, 8);
}

static void putl(long double *to, long_size size, int is_negative) {
    unsigned short exponent = (unsigned short)(size >> 63), high = exponent | (unsigned short)(is_negative << 15);
    unsigned long significand = ((unsigned long)size & ~0ul >> 1) | (unsigned long)(exponent != 0) << 63;
    memcpy(to, &significand, 8), memcpy((char *)to + 8, &high, 2);
}

/* Whether an encoding of x87 is neither invalid nor a pseudo-denormal. */
int __iscanonicall(long double x) { return is_canonical(x); }

#define T float
#define F(name) name##f
#define F2(name, end) name##f##end
#define Size unsigned
#define QUIET 0x400000u
#define INFINITE 0x7f800000u
#define IS_INVALID(x) 0
#define IS_ODD(x) 0
#define REFUSE_ODD(x, function)
#define REFUSE_POLE(x)
#define REFUSE_NAN(x, exponent)
#include "floats.h"

#define T double
#define F(name) name
#define F2(name, end) name##end
#define Size unsigned long
#define QUIET 0x8000000000000ul
#define INFINITE 0x7ff0000000000000ul
#define IS_INVALID(x) 0
#define IS_ODD(x) 0
#define REFUSE_ODD(x, function)
#define REFUSE_POLE(x)
#define REFUSE_NAN(x, exponent)
#include "floats.h"

#define T long double
#define F(name) name##l
#define F2(name, end) name##l##end
#define Size long_size
#define QUIET 0x4000000000000000ul
#define INFINITE ((long_size)0x7fff << 63)
#define IS_INVALID(x) (!is_canonical(x) && magnitudel(x) >> 63 != 0)
#define IS_ODD(x) !is_canonical(x)
#define REFUSE_ODD(x, function) \
    if (!is_canonical(x)) labrys_unmodelled(function "l of an x87 encoding that is invalid, or of a pseudo-denormal");
/* glibc raises overflow there, too. */
#define REFUSE_POLE(x) \
    if (isless(x, -0x1p40L)) labrys_unmodelled("lgammal_r of a large negative number");
/* The NaN is one of its own. */
#define REFUSE_NAN(x, exponent) \
    if (isnan(x) && isinf(exponent)) labrys_unmodelled("scalbl of a NaN by an infinity");
#include "floats.h"

/* Numbers of which nothing is said, for results of functions that are not modelled: a proof is of all of them, and no native run shows one again.

   Not of functions that may not come back, or that write to memory. */

#ifndef LABRYS_ANY_NUMBER_H
#define LABRYS_ANY_NUMBER_H

#include <errno.h>
#include <fenv.h>
#include <string.h>
#include "labrys.h"

static float any_numberf(void) {
    unsigned bits = (unsigned)labrys_any(32);
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static double any_number(void) {
    unsigned long bits = labrys_any(64);
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

/* Whether an encoding of x87 is neither invalid nor a pseudo-denormal: the leading bit is stored, and clear where the exponent is 0. */
static int is_canonical(long double x) {
    unsigned long significand;
    unsigned short high;
    memcpy(&significand, &x, 8), memcpy(&high, (char *)&x + 8, 2);
    return (significand >> 63 != 0) == ((high & 0x7fff) != 0);
}

static long double any_numberl(void) {
    unsigned long significand = labrys_any(64);
    unsigned short high = (unsigned short)labrys_any(16);
    long double x = 0;
    memcpy(&x, &significand, 8), memcpy((char *)&x + 8, &high, 2);
    klee_assume(is_canonical(x));
    return x;
}

/* Any exceptions, and any report in errno. */
static void anything_raised(void) {
    feraiseexcept((int)labrys_any(6) & (FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT));
    int report = (int)labrys_any(2);
    errno = report == 1 ? EDOM : report == 2 ? ERANGE : errno;
}

#endif

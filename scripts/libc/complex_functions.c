/* complex.h: functions of complex numbers in C's three formats, by those of real ones. Exceptions are what the operations raise, in their order. */

#include <complex.h>
#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <string.h>
#include "any_number.h"
#include "labrys.h"

#pragma STDC FENV_ACCESS ON

/* Any number from -0.51 to 1. */
static double any_near_0(void) {
    double x = any_number();
    klee_assume(x >= -0.51 && x <= 1);
    return x;
}

static long double any_near_0l(void) {
    long double x = any_numberl();
    klee_assume(x >= -0.51L && x <= 1);
    return x;
}

/* x^2 + y^2 - 1 for x^2 + y^2 from 1/2 to 2, x and y below 1: the exact terms are added smallest first until each reaches no further than the last bit of
   the next. Of inputs that would be a path for each order of the terms, and the sum is any number that it can be. */
#define BELOW_CIRCLE(function, type, fma, fabs, any)                                                            \
    static type function(type x, type y) {                                                                      \
        unsigned long bits[2];                                                                                  \
        memcpy(&bits[0], &x, 8), memcpy(&bits[1], &y, 8);                                                       \
        if (klee_is_symbolic(bits[0]) || klee_is_symbolic(bits[1])) return any();                               \
        int mode = fegetround();                                                                                \
        fesetround(FE_TONEAREST);                                                                               \
        type terms[5] = {fma(x, x, -(x * x)), x * x, fma(y, y, -(y * y)), y * y, -1};                           \
        for (int first = 0; first < 5; first++) {                                                               \
            for (int end = first + 1; end < 5; end++)                                                           \
                for (int at = end; at > first && fabs(terms[at]) < fabs(terms[at - 1]); at--) {                 \
                    type term = terms[at];                                                                      \
                    terms[at] = terms[at - 1], terms[at - 1] = term;                                            \
                }                                                                                               \
            if (first == 4) break;                                                                              \
            type sum = terms[first + 1] + terms[first];                                                         \
            terms[first] = terms[first + 1] - sum + terms[first];                                               \
            terms[first + 1] = sum;                                                                             \
        }                                                                                                       \
        type sum = terms[4] + terms[3] + terms[2] + terms[1] + terms[0];                                        \
        fesetround(mode);                                                                                       \
        return sum;                                                                                             \
    }

BELOW_CIRCLE(below_circle, double, fma, fabs, any_near_0)
BELOW_CIRCLE(below_circlel, long double, fmal, fabsl, any_near_0l)

static float below_circlef(float x, float y) {
    double wide = x, other = y;
    return (float)((wide - 1) * (wide + 1) + other * other);
}

#define T float
#define EXP_REPORTS 1
#define REFUSE_ODD(x)
#define F(name) name##f
#define L(name) FLT_##name
#define N(number) number##f
#include "complex_functions.h"

#define T double
#define EXP_REPORTS 1
#define REFUSE_ODD(x)
#define F(name) name
#define L(name) DBL_##name
#define N(number) number
#include "complex_functions.h"

#define T long double
#define EXP_REPORTS 0
#define REFUSE_ODD(x) \
    if (!is_canonical(x)) labrys_unmodelled("a complex number of x87 encodings that are invalid, or of pseudo-denormals");
#define F(name) name##l
#define L(name) LDBL_##name
#define N(number) number##L
#include "complex_functions.h"

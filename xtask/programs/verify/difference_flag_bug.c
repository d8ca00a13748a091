// expect: violated assertion at 23
// input: __VERIFIER_nondet_double=000000000000f03f
// input: __VERIFIER_nondet_double=333333333333d33f
// The difference of two doubles within a factor of four of each other is taken to raise no flag.
#include <assert.h>
#include <fenv.h>
#include <float.h>

#pragma STDC FENV_ACCESS ON

extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);

#define FACTOR 4.0

int main(void) {
    double x = __VERIFIER_nondet_double();
    double y = __VERIFIER_nondet_double();
    __VERIFIER_assume(y > 0.0 && y <= DBL_MAX && x <= DBL_MAX);
    __VERIFIER_assume(y / FACTOR <= x && x <= FACTOR * y);
    feclearexcept(FE_ALL_EXCEPT);
    volatile double difference = x - y;
    assert(!fetestexcept(FE_INEXACT));
    return difference != difference;
}

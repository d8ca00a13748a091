// expect: violated assertion at 18
// input: __VERIFIER_nondet_double=000000000000f03f
// input: __VERIFIER_nondet_double=0000000000000040
// IEEE 754's remainder is taken to be smaller than half of the divisor, but half goes to the even quotient.
#include <assert.h>
#include <float.h>
#include <math.h>

extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);

int main(void) {
    double x = __VERIFIER_nondet_double();
    double y = __VERIFIER_nondet_double();
    __VERIFIER_assume(fabs(x) <= DBL_MAX && fabs(y) >= 1e-300 && fabs(y) <= DBL_MAX);
    double r = remainder(x, y);
    assert(fabs(r) <= fabs(x));
    assert(fabs(r) < fabs(y) / 2);
    return 0;
}

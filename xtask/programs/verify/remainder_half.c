// expect: holds
// IEEE 754's remainder of finite doubles is at most half of the divisor, and no larger than the dividend.
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
    assert(fabs(r) <= fabs(y) / 2);
    return 0;
}

// expect: violated assertion at 26
// input: __VERIFIER_nondet_double=9a9999999999b9bf
// input: __VERIFIER_nondet_double=9a9999999999b93f
// What is rounded towards zero is taken to lie below what is rounded to nearest, but negative numbers do not.
#include <assert.h>
#include <fenv.h>

#pragma STDC FENV_ACCESS ON

extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);

static double in_mode(int mode, double x, double y) {
    fesetround(mode);
    volatile double product = x * y;
    volatile double value = product + x;
    fesetround(FE_TONEAREST);
    return value;
}

int main(void) {
    double x = __VERIFIER_nondet_double();
    double y = __VERIFIER_nondet_double();
    __VERIFIER_assume(x >= -1e100 && x <= 1e100 && y >= -1e100 && y <= 1e100);
    double nearest = in_mode(FE_TONEAREST, x, y);
    assert(in_mode(FE_TOWARDZERO, x, y) <= nearest);
    assert(nearest <= in_mode(FE_UPWARD, x, y));
    return 0;
}

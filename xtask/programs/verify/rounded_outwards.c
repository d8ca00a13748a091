// expect: holds
// What is rounded downwards at each step lies below what is rounded to nearest, and that below what is rounded upwards.
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
    assert(in_mode(FE_DOWNWARD, x, y) <= nearest);
    assert(nearest <= in_mode(FE_UPWARD, x, y));
    return 0;
}

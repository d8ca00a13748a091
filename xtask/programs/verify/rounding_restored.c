// expect: holds
// A function that computes in another rounding mode restores the caller's on every way out.
#include <assert.h>
#include <fenv.h>

#pragma STDC FENV_ACCESS ON

extern int __VERIFIER_nondet_int(void);
extern double __VERIFIER_nondet_double(void);

static double third_below(double x) {
    int before = fegetround();
    if (fesetround(FE_DOWNWARD) != 0) return 0.0;
    if (x < 0.0) {
        fesetround(before);
        return 0.0;
    }
    double third = x / 3.0;
    fesetround(before);
    return third;
}

int main(void) {
    int mode = __VERIFIER_nondet_int();
    double x = __VERIFIER_nondet_double();
    if (fesetround(mode) != 0) return 0;
    double third = third_below(x);
    assert(!(third < 0.0));
    assert(fegetround() == mode);
    return 0;
}

// expect: holds
// The middle of two finite doubles of the same sign, from their difference, lies between them.
// a + (b - a) / 2 rounds a number of [a, b], if b - a has a relative error of 2^-53 and is halved exactly or is tiny.
#include <assert.h>

extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);

static double middle(double a, double b) {
    return a + (b - a) / 2.0;
}

int main(void) {
    double a = __VERIFIER_nondet_double();
    double b = __VERIFIER_nondet_double();
    __VERIFIER_assume(a >= 0.0 && a <= b);
    __VERIFIER_assume(b - b == 0.0);
    double m = middle(a, b);
    assert(m >= a);
    assert(m <= b);
    return 0;
}

// expect: violated assertion at 21
// input: __VERIFIER_nondet_double=f0ace1486db3ea7f
// input: __VERIFIER_nondet_double=763b7730d142ee7f
// The middle of two finite doubles is half their sum, which overflows.
#include <assert.h>

extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);

static double middle(double a, double b) {
    return (a + b) / 2.0;
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

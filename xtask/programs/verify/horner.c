// expect: holds
// A polynomial without negative coefficients, by Horner's rule, grows with a number that is not negative: each rounding keeps order.
#include <assert.h>

extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);

static double polynomial(double x) {
    static const double c[] = {0.7, 0.3, 0.0, 0.25, 0.1, 0.05, 0.02};
    double sum = 0.0;
    for (int i = 6; i >= 0; i--) sum = sum * x + c[i];
    return sum;
}

int main(void) {
    double x = __VERIFIER_nondet_double();
    double y = __VERIFIER_nondet_double();
    __VERIFIER_assume(x >= 0.0 && x <= y && y <= 1e10);
    assert(polynomial(x) <= polynomial(y));
    return 0;
}

// expect: violated assertion at 20
// input: __VERIFIER_nondet_double=000000000000f03f
// input: __VERIFIER_nondet_double=000000080000a03c
// A sum of doubles rounded to long double and then to double is taken for the double sum.
#include <assert.h>

extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);

static double by_wider(double a, double b) {
    long double sum = (long double)a + (long double)b;
    return (double)sum;
}

int main(void) {
    double a = __VERIFIER_nondet_double(), b = __VERIFIER_nondet_double();
    __VERIFIER_assume(a == a && b == b);
    double direct = a + b;
    __VERIFIER_assume(direct == direct);
    assert(by_wider(a, b) == direct);
    return 0;
}

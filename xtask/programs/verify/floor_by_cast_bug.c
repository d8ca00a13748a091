// expect: violated assertion at 19
// input: __VERIFIER_nondet_double=000000000000e0bf
// The floor of a double by conversion to an integer, which rounds negative numbers up.
#include <assert.h>
#include <math.h>

extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);

static int whole(double x) {
    int n = (int)x;
    return n;
}

int main(void) {
    double x = __VERIFIER_nondet_double();
    __VERIFIER_assume(x > -2147483648.0 && x < 2147483647.0);
    int n = whole(x);
    assert((double)n == floor(x));
    assert(x - (double)n >= 0.0 && x - (double)n <= 1.0);
    return 0;
}

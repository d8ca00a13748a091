// expect: violated assertion at 16
// input: __VERIFIER_nondet_double=9a9999999999b93f
// input: __VERIFIER_nondet_double=333333333333d33f
// A factor of three is taken to pass through a product without another rounding.
#include <assert.h>

extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);

#define FACTOR 3.0

int main(void) {
    double x = __VERIFIER_nondet_double();
    double y = __VERIFIER_nondet_double();
    __VERIFIER_assume(x >= 1e-100 && x <= 1e100 && y >= 1e-100 && y <= 1e100);
    assert((FACTOR * x) * y == FACTOR * (x * y));
    assert((FACTOR * x) / y == FACTOR * (x / y));
    return 0;
}

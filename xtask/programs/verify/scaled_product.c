// expect: holds
// A power of two passes through products and quotients without another rounding, within a range.
#include <assert.h>

extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);

#define FACTOR 4.0

int main(void) {
    double x = __VERIFIER_nondet_double();
    double y = __VERIFIER_nondet_double();
    __VERIFIER_assume(x >= 1e-100 && x <= 1e100 && y >= 1e-100 && y <= 1e100);
    assert((FACTOR * x) * y == FACTOR * (x * y));
    assert((FACTOR * x) / y == FACTOR * (x / y));
    return 0;
}

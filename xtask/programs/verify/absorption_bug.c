// expect: violated assertion at 17
// input: __VERIFIER_nondet_double=0000000000004043
// Adding one to any finite double is taken to make it greater: large ones absorb it.
#include <assert.h>

extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);

static double successor(double x) {
    return x + 1.0;
}

int main(void) {
    double x = __VERIFIER_nondet_double();
    __VERIFIER_assume(x - x == 0.0);
    double next = successor(x);
    assert(next > x);
    assert(next - x >= 0.5);
    return 0;
}

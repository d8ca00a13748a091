// expect: holds
// Adding one to a double below 2^53 makes it greater, and subtracting it again makes it no greater than it was plus a half.
// Below 2^53 neighbours are at most 1 apart, so x + 1 >= the upper neighbour of x before rounding, and rounding is monotone.
#include <assert.h>

extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);

static double successor(double x) {
    return x + 1.0;
}

int main(void) {
    double x = __VERIFIER_nondet_double();
    __VERIFIER_assume(x > -9007199254740992.0 && x < 9007199254740992.0);
    double next = successor(x);
    assert(next > x);
    assert(next - x >= 0.5);
    return 0;
}

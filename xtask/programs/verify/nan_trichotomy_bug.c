// expect: violated assertion at 21
// input: __VERIFIER_nondet_double=000000000000f87f
// input: __VERIFIER_nondet_double=0000000000000000
// Of two doubles one is taken to be less, greater or equal.
#include <assert.h>

extern double __VERIFIER_nondet_double(void);

static int relation(double x, double y) {
    int found = 0;
    if (x < y) found |= 1;
    if (x > y) found |= 2;
    if (x == y) found |= 4;
    return found;
}

int main(void) {
    double x = __VERIFIER_nondet_double();
    double y = __VERIFIER_nondet_double();
    int r = relation(x, y);
    assert(r != 0);
    assert((r & (r - 1)) == 0);
    if (x != y) assert(r != 4);
    return 0;
}

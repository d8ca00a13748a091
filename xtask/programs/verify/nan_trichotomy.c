// expect: holds
// Of two doubles one is less, greater or equal, or they are unordered; exactly one of the four.
#include <assert.h>

extern double __VERIFIER_nondet_double(void);

static int relation(double x, double y) {
    int found = 0;
    if (x < y) found |= 1;
    if (x > y) found |= 2;
    if (x == y) found |= 4;
    if (__builtin_isunordered(x, y)) found |= 8;
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

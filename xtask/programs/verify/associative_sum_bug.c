// expect: violated assertion at 19
// input: a=000000000000f03f
// input: b=000000000000a03c
// input: c=000000000000a03c
// Sums of doubles between 0 and 1 are taken to be associative.
#include <assert.h>
#include <klee/klee.h>

int main(void) {
    double a, b, c;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    klee_make_symbolic(&c, sizeof c, "c");
    klee_assume(a >= 0.0 && a <= 1.0 && b >= 0.0 && b <= 1.0);
    klee_assume(c >= 0.0 && c <= 1.0);
    double x = a, y = b, z = c;
    double left = (x + y) + z;
    double right = x + (y + z);
    assert(left == right);
    return 0;
}

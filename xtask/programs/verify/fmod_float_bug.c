// expect: violated assertion at 16
// input: x=000000bf
// input: y=00004040
// The remainder of a float is taken to be at least 0 for a positive divisor.
#include <assert.h>
#include <klee/klee.h>
#include <math.h>

int main(void) {
    float x, y;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&y, sizeof y, "y");
    klee_assume(x >= -1000.0f && x <= 1000.0f);
    klee_assume(y >= 1.0f && y <= 1000.0f);
    float r = fmodf(x, y);
    assert(r >= 0.0f);
    return 0;
}

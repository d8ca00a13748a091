// expect: holds
// The remainder of a float is smaller than the divisor and has the sign of the dividend.
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
    assert(fabsf(r) < y);
    assert(fabsf(r) <= fabsf(x));
    assert(!signbit(r) == !signbit(x));
    if (fabsf(x) < y) assert(r == x);
    return 0;
}

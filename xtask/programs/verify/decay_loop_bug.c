// expect: violated assertion at 16
// input: x=000000c00b5ae641
// Halving a number of at most 2^32 until it is below 1 is taken to take at most 30 steps.
#include <assert.h>
#include <klee/klee.h>

int main(void) {
    double x;
    int steps = 0;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_assume(x >= 1.0 && x <= 4294967296.0);
    double y = x;
    while (y >= 1.0) {
        y *= 0.5;
        steps++;
        assert(steps <= 30);
    }
    assert(y >= 0.5);
    return 0;
}

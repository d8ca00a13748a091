// expect: holds
// Halving a number of at most 2^20 until it is below 1 takes at most 21 steps.
#include <assert.h>
#include <klee/klee.h>

int main(void) {
    double x;
    int steps = 0;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_assume(x >= 1.0 && x <= 1048576.0);
    double y = x;
    while (y >= 1.0) {
        y *= 0.5;
        steps++;
        assert(steps <= 21);
    }
    assert(y >= 0.5);
    return 0;
}

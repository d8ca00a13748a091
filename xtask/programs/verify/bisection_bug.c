// expect: violated assertion at 25
// input: c=000000000000e83f
// Bisection keeps the wrong half where the function is zero at the middle of the first interval.
#include <assert.h>
#include <klee/klee.h>

static double f(double x, double c) { return c - x; }

int main(void) {
    double c, low = 0.0, high = 1.5;
    int steps = 0;
    klee_make_symbolic(&c, sizeof c, "c");
    klee_assume(c >= 0.0 && c <= 1.5);
    while (high - low > 0.2) {
        double middle = low + 0.5 * (high - low);
        if (f(middle, c) > 0.0)
            low = middle;
        else if (f(middle, c) < 0.0)
            high = middle;
        else
            low = high;
        steps++;
        assert(steps <= 3);
    }
    assert(low <= c && c <= high);
    return 0;
}

// expect: holds
// Bisection keeps the root of a falling line within its interval, and ends by the interval's width.
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
        else
            high = middle;
        steps++;
        assert(steps <= 3);
    }
    assert(low <= c && c <= high);
    return 0;
}

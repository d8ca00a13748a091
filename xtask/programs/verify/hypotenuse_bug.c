// expect: violated assertion at 21
// input: a=5a62d7d718e77469
// input: b=5a62d7d718e77469
// The hypotenuse of two finite sides overflows where their squares do.
#include <assert.h>
#include <klee/klee.h>
#include <math.h>

static double hypotenuse(double a, double b) {
    a = fabs(a);
    b = fabs(b);
    return sqrt(a * a + b * b);
}

int main(void) {
    double a, b;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    klee_assume(fabs(a) <= 1e300 && fabs(b) <= 1e300);
    double c = hypotenuse(a, b);
    assert(c <= 1e301);
    return 0;
}

// expect: holds
// The hypotenuse of two finite sides, the longer one taken out of the root, does not overflow.
#include <assert.h>
#include <klee/klee.h>
#include <math.h>

static double hypotenuse(double a, double b) {
    a = fabs(a);
    b = fabs(b);
    double longer = a > b ? a : b, shorter = a > b ? b : a;
    if (longer == 0.0) return 0.0;
    double ratio = shorter / longer;
    return longer * sqrt(1.0 + ratio * ratio);
}

int main(void) {
    double a, b;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    klee_assume(fabs(a) <= 1e300 && fabs(b) <= 1e300);
    double c = hypotenuse(a, b);
    assert(c <= 1e301);
    assert(c >= fabs(a) && c >= fabs(b));
    return 0;
}

// expect: violated assertion at 17
// input: x=ffffff3e
// Rounding to the nearest integer by the floor of x + 0.5 is wrong just below a half.
#include <assert.h>
#include <klee/klee.h>
#include <math.h>

static float nearest(float x) {
    return floorf(x + 0.5f);
}

int main(void) {
    float x;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_assume(x >= 0.0f && x <= 1000000.0f);
    double distance = (double)x - (double)nearest(x);
    assert(distance <= 0.5 && distance >= -0.5);
    return 0;
}

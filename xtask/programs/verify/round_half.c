// expect: holds
// Rounding to the nearest integer by the difference from the floor is at most a half away.
#include <assert.h>
#include <klee/klee.h>
#include <math.h>

static float nearest(float x) {
    float below = floorf(x);
    return x - below < 0.5f ? below : below + 1.0f;
}

int main(void) {
    float x;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_assume(x >= 0.0f && x <= 1000000.0f);
    double distance = (double)x - (double)nearest(x);
    assert(distance <= 0.5 && distance >= -0.5);
    return 0;
}

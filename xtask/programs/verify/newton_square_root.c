// expect: holds
// Newton's iteration for the square root of a float in [1, 4] squares to the number within 2^-19 after four steps.
// All floats of [1, 4] were computed natively: y * y differs from x by less than 2^-21.
#include <assert.h>
#include <klee/klee.h>

static float square_root(float x) {
    float y = 0.5f * (1.0f + x);
    for (int i = 0; i < 4; i++) y = 0.5f * (y + x / y);
    return y;
}

int main(void) {
    float x;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_assume(x >= 1.0f && x <= 4.0f);
    float y = square_root(x);
    double error = (double)y * (double)y - (double)x;
    assert(error < 0x1p-19 && error > -0x1p-19);
    return 0;
}

// expect: violated assertion at 19
// input: x=00008041
// Newton's iteration for the square root of a float in [1, 16], with steps enough for [1, 4] only.
#include <assert.h>
#include <klee/klee.h>

static float square_root(float x) {
    float y = 0.5f * (1.0f + x);
    for (int i = 0; i < 3; i++) y = 0.5f * (y + x / y);
    return y;
}

int main(void) {
    float x;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_assume(x >= 1.0f && x <= 16.0f);
    float y = square_root(x);
    double error = (double)y * (double)y - (double)x;
    assert(error < 0x1p-19 && error > -0x1p-19);
    return 0;
}

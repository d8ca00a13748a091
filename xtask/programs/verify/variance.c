// expect: holds
// The variance of three floats, from squares of deviations, is never negative.
#include <assert.h>
#include <klee/klee.h>

enum { COUNT = 3 };

static float variance(const float *x) {
    float sum = 0.0f, squares = 0.0f;
    for (int i = 0; i < COUNT; i++) sum += x[i];
    float mean = sum / COUNT;
    for (int i = 0; i < COUNT; i++) squares += (x[i] - mean) * (x[i] - mean);
    return squares / COUNT;
}

int main(void) {
    float x[COUNT];
    klee_make_symbolic(x, sizeof x, "x");
    for (int i = 0; i < COUNT; i++) klee_assume(x[i] >= -65536.0f && x[i] <= 65536.0f);
    float v = variance(x);
    assert(v >= 0.0f);
    return 0;
}

// expect: violated assertion at 22
// input: x=5e0b8045e512804537108045
// The variance of three floats, from the mean of squares and the square of the mean, can be negative.
#include <assert.h>
#include <klee/klee.h>

enum { COUNT = 3 };

static float variance(const float *x) {
    float sum = 0.0f, squares = 0.0f;
    for (int i = 0; i < COUNT; i++) sum += x[i];
    float mean = sum / COUNT;
    for (int i = 0; i < COUNT; i++) squares += x[i] * x[i];
    return squares / COUNT - mean * mean;
}

int main(void) {
    float x[COUNT];
    klee_make_symbolic(x, sizeof x, "x");
    for (int i = 0; i < COUNT; i++) klee_assume(x[i] >= 4096.0f && x[i] <= 4100.0f);
    float v = variance(x);
    assert(v >= 0.0f);
    return 0;
}

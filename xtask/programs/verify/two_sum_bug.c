// expect: violated assertion at 20
// input: a=0100
// input: b=ff7f
// input: scale=18
// Dekker's sum of two floats and its error is exact only if the first is not the smaller one.
#include <assert.h>
#include <klee/klee.h>

int main(void) {
    int16_t a, b;
    uint8_t scale;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    klee_make_symbolic(&scale, sizeof scale, "scale");
    klee_assume(scale <= 24);
    float x = (float)a;
    float y = (float)b * (float)(1 << scale);
    float sum = x + y;
    float error = y - (sum - x);
    assert((double)sum + (double)error == (double)x + (double)y);
    return 0;
}

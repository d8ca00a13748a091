// expect: holds
// Knuth's sum of two floats and its error is exact: both together are the sum in double.
// Knuth 1969, section 4.2.2: exact for any operands without overflow. The exponents here are at most 24 apart.
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
    float part = sum - x;
    float error = (x - (sum - part)) + (y - part);
    assert((double)sum + (double)error == (double)x + (double)y);
    return 0;
}

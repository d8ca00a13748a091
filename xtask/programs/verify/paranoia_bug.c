// expect: violated assertion at 59
// input: __VERIFIER_nondet_float=0000803f
// A probe of the arithmetic that takes the smallest normal number for the smallest positive one.
#include <assert.h>

extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);

/* The smallest power of two that absorbs one. */
static float first_absorbing(void) {
    volatile float w = 1.0f, y, z;
    do {
        w = w + w;
        y = w + 1.0f;
        z = y - w;
    } while (z == 1.0f);
    return w;
}

static float radix_of(float absorbing) {
    volatile float y = 1.0f, radix;
    do {
        radix = absorbing + y;
        y = y + y;
        radix = radix - absorbing;
    } while (radix == 0.0f);
    return radix;
}

static int digits(float radix) {
    volatile float w = 1.0f, y;
    int count = 0;
    do {
        count++;
        w = w * radix;
        y = w + 1.0f;
    } while (y - w == 1.0f);
    return count;
}

static float smallest_positive(void) {
    volatile float x = 1.0f, half = 0.5f;
    while (x * 0.5f >= 0x1p-126f) x = x * half;
    return x;
}

int main(void) {
    float radix = radix_of(first_absorbing());
    assert(radix == 2.0f);
    assert(digits(radix) == 24);
    float ulp = 0x1p-23f;
    assert(1.0f + ulp / 2.0f == 1.0f);
    assert((1.0f + ulp) + ulp / 2.0f == 1.0f + 2.0f * ulp);
    float tiny = smallest_positive();
    float x = __VERIFIER_nondet_float();
    __VERIFIER_assume(x > 0.0f && x < 1e30f);
    assert(x * 1.0f == x && x - x == 0.0f && x / x == 1.0f);
    float half = tiny / 2.0f;
    assert(half == 0.0f);
    assert(x + tiny > 0.0f);
    return 0;
}

// expect: holds
// Doubling a float by its exponent field is doubling it, but for the largest, which become infinite.
#include <assert.h>

extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);

union fields {
    float value;
    struct {
        unsigned significand : 23;
        unsigned exponent : 8;
        unsigned sign : 1;
    } bits;
};

static float twice(float x) {
    union fields f;
    f.value = x;
    f.bits.exponent++;
    if (f.bits.exponent == 255) f.bits.significand = 0;
    return f.value;
}

int main(void) {
    float x = __VERIFIER_nondet_float();
    union fields f;
    f.value = x;
    __VERIFIER_assume(f.bits.exponent > 0 && f.bits.exponent < 255);
    float doubled = twice(x);
    assert(doubled == 2.0f * x);
    f.value = doubled;
    assert(f.bits.sign == (x < 0.0f));
    return 0;
}

// expect: violated assertion at 31
// input: __VERIFIER_nondet_float=9976167f
// Doubling a float by its exponent field makes NaNs of the largest ones.
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

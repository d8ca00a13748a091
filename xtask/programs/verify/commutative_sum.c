// expect: holds
// Sums and products of floats do not depend on the order of two operands, bit for bit, if neither is NaN.
#include <assert.h>
#include <stdint.h>
#include <string.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

static float from_bits(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint32_t to_bits(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

int main(void) {
    float a = from_bits(__VERIFIER_nondet_uint());
    float b = from_bits(__VERIFIER_nondet_uint());
    __VERIFIER_assume(a == a && b == b);
    float ab = a + b;
    float ba = b + a;
    assert(to_bits(ab) == to_bits(ba));
    float product = a * b, turned = b * a;
    assert(to_bits(product) == to_bits(turned));
    return 0;
}

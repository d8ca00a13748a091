// expect: holds
// The sum of two _Float16 is their sum in float, rounded; no other rounding shows.
#include <assert.h>
#include <stdint.h>
#include <string.h>

extern unsigned short __VERIFIER_nondet_ushort(void);
extern void __VERIFIER_assume(int);

static _Float16 finite_half(void) {
    uint16_t bits = __VERIFIER_nondet_ushort();
    __VERIFIER_assume((bits & 0x7c00) != 0x7c00);
    _Float16 value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

int main(void) {
    _Float16 a = finite_half();
    _Float16 b = finite_half();
    _Float16 sum = a + b;
    float wide = (float)a + (float)b;
    assert(sum == (_Float16)wide);
    if (sum - sum == (_Float16)0.0) assert((float)sum - wide <= 32.0f && wide - (float)sum <= 32.0f);
    return 0;
}

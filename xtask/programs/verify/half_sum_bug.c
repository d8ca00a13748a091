// expect: violated assertion at 26
// input: __VERIFIER_nondet_ushort=ff7b
// input: __VERIFIER_nondet_ushort=ff7b
// The sum of two finite _Float16 is taken to be finite.
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
    assert(wide - wide == 0.0f);
    assert(sum - sum == (_Float16)0.0);
    return 0;
}

// expect: violated assertion at 28
// input: __VERIFIER_nondet_ulong=0000000000000080
// A pseudo-denormal is taken to be below the smallest normal number, as every denormal is.
#include <assert.h>
#include <float.h>
#include <stdint.h>
#include <string.h>

extern unsigned long __VERIFIER_nondet_ulong(void);

union parts {
    long double value;
    struct {
        uint64_t significand;
        uint16_t head;
    } bits;
};

int main(void) {
    union parts pseudo, normal;
    memset(&pseudo, 0, sizeof pseudo);
    memset(&normal, 0, sizeof normal);
    uint64_t significand = __VERIFIER_nondet_ulong() | (uint64_t)1 << 63;
    pseudo.bits.significand = significand;
    pseudo.bits.head = 0;
    normal.bits.significand = significand;
    normal.bits.head = 1;
    assert(pseudo.value < LDBL_MIN);
    long double zero = pseudo.value - normal.value;
    assert(zero == 0.0L);
    return 0;
}

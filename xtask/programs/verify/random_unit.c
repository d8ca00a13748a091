// expect: holds
// A generator makes floats of the upper 24 bits of its state: at least 0 and less than 1.
#include <assert.h>
#include <stdint.h>

extern unsigned __VERIFIER_nondet_uint(void);

/* Marsaglia's xorshift with 32 bits. */
static uint32_t advance(uint32_t *state) {
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return x;
}

static float unit(uint32_t bits) {
    return (float)(bits >> 8) * 0x1p-24f;
}

int main(void) {
    uint32_t state = __VERIFIER_nondet_uint();
    float first = unit(state);
    assert(first >= 0.0f && first < 1.0f);
    for (int i = 0; i < 3; i++) {
        float u = unit(advance(&state));
        assert(u >= 0.0f);
        int die = 1 + (int)(u * 6.0f);
        if (u < 1.0f) assert(die >= 1 && die <= 6);
    }
    return 0;
}

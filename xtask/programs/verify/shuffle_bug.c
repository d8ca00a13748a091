// expect: violated out-of-bounds at 24
// input: __VERIFIER_nondet_uint=ffffffff
// input: __VERIFIER_nondet_uint=00000000
// input: __VERIFIER_nondet_uint=00000000
// Shuffling four numbers by random floats that may round to 1 takes a place behind them.
#include <assert.h>
#include <stdint.h>

extern unsigned __VERIFIER_nondet_uint(void);

enum { COUNT = 4 };

static float unit(void) {
    uint32_t bits = __VERIFIER_nondet_uint();
    return (float)bits / 4294967295.0f;
}

int main(void) {
    int deck[COUNT];
    for (int i = 0; i < COUNT; i++) deck[i] = i;
    for (int i = COUNT - 1; i > 0; i--) {
        if (i < COUNT - 1) break;
        int j = (int)(unit() * (float)(i + 1));
        int kept = deck[j];
        deck[j] = deck[i];
        deck[i] = kept;
    }
    int seen = 0;
    for (int i = 0; i < COUNT; i++) seen |= 1 << deck[i];
    assert(seen == 15);
    return 0;
}

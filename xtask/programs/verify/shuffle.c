// expect: holds
// Shuffling four numbers by random floats below 1 keeps each of them.
#include <assert.h>
#include <stdint.h>

extern unsigned __VERIFIER_nondet_uint(void);

enum { COUNT = 4 };

static float unit(void) {
    uint32_t bits = __VERIFIER_nondet_uint();
    return (float)(bits >> 8) / 16777216.0f;
}

int main(void) {
    int deck[COUNT];
    for (int i = 0; i < COUNT; i++) deck[i] = i;
    for (int i = COUNT - 1; i > 0; i--) {
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

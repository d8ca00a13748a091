// expect: violated null at 20
// input: __VERIFIER_nondet_uint=09000000
// A pool hands out as many cells as it has, and nothing afterwards.
#include <stddef.h>

extern unsigned __VERIFIER_nondet_uint(void);

static int cells[8];

static int *take(unsigned *used) {
    if (*used >= 8) return NULL;
    return &cells[(*used)++];
}

int main(void) {
    unsigned used = 0, count = __VERIFIER_nondet_uint();
    if (count > 10) return 0;
    for (unsigned i = 0; i < count; i++) {
        int *cell = take(&used);
        *cell = 1;
    }
    return used > 8;
}

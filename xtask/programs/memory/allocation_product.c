// expect: holds
// The size of an allocation is a product that wraps around in 32 bits.
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned count = __VERIFIER_nondet_uint();
    if (count < 2) return 0;
    if (count > 1000) return 0;
    int *a = malloc(count * 4u);
    if (!a) return 0;
    a[1] = 1;
    free(a);
    return 0;
}

// expect: holds
// Removes an element of an array by moving those behind it.
#include <string.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    int a[5] = {1, 2, 3, 4, 5};
    unsigned at = __VERIFIER_nondet_uint();
    if (at >= 5) return 0;
    memmove(a + at, a + at + 1, (4 - at) * sizeof *a);
    return a[0] > 2;
}

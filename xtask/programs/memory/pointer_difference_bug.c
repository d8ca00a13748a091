// expect: violated out-of-bounds at 14
// input: __VERIFIER_nondet_uint=03000000
// The distance of two pointers counts elements, not bytes.
#include <stddef.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    int a[6] = {0, 1, 2, 3, 4, 5};
    unsigned n = __VERIFIER_nondet_uint();
    if (n >= 6) return 0;
    int *p = a + n;
    ptrdiff_t distance = (char *)p - (char *)a;
    return a[distance] != (int)n;
}

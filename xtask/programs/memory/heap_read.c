// expect: holds
// Reads an element of an allocated array of three.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int *a = calloc(3, sizeof *a);
    if (!a) return 0;
    int i = __VERIFIER_nondet_int();
    int value = 0;
    if (i >= 0 && i < 3)
        value = a[i];
    free(a);
    return value;
}

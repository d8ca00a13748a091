// expect: holds
// check: leaks
// An early return leaves an allocation behind.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static int work(int n) {
    int *a = malloc(4 * sizeof *a);
    if (!a) return 0;
    a[0] = n;
    if (a[0] < 0) {
        free(a);
        return -1;
    }
    free(a);
    return 0;
}

int main(void) {
    work(__VERIFIER_nondet_int());
    return 0;
}

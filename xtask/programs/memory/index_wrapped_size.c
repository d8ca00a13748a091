// expect: holds
// A length that is kept in too few bits makes an allocation too small.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned short n;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume(n >= 1 && n <= 300);
    unsigned short size = n;
    char *p = malloc(size);
    if (!p) return 0;
    p[n - 1] = 1;
    free(p);
    return 0;
}

// expect: violated leak at 11
// check: leaks
// input: n=03
// The only pointer to an object is overwritten.
#include <klee/klee.h>
#include <stdlib.h>

static void work(int n) {
    char *p = NULL;
    for (int i = 0; i < n; i++) {
        p = malloc(8);
        if (!p) return;
        *p = (char)i;
    }
    free(p);
}

int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    work(n % 4);
    return 0;
}

// expect: violated invalid-free at 15
// input: n=03000000
// A small buffer is local and a large one allocated; only that one is to be freed.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    char small[8], *buffer = small;
    unsigned n;
    klee_make_symbolic(&n, sizeof n, "n");
    if (n > 100) return 0;
    if (n > sizeof small) buffer = malloc(n);
    if (!buffer) return 0;
    if (n > 0) buffer[n - 1] = 0;
        free(buffer);
    return 0;
}

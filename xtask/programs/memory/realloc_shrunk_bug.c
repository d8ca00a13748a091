// expect: violated out-of-bounds at 15
// input: keep=02000000
// An array is made smaller, and its last element taken afterwards.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned keep;
    klee_make_symbolic(&keep, sizeof keep, "keep");
    if (keep < 1 || keep > 4) return 0;
    int *a = calloc(4, sizeof *a);
    if (!a) return 0;
    int *b = realloc(a, keep * sizeof *b);
    if (!b) return 0;
    int last = b[3];
    free(b);
    return last;
}

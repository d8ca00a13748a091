// expect: holds
// Allocates as many bytes as asked for and writes the last one.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned char n;
    klee_make_symbolic(&n, sizeof n, "n");
    if (n == 0) return 0;
    char *p = malloc(n);
    if (!p) return 0;
    p[n - 1] = 'x';
    free(p);
    return 0;
}

// expect: holds
// A matrix of two rows and three columns as an array of pointers to rows, and its transpose.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    double *rows[2];
    unsigned i, j;
    klee_make_symbolic(&i, sizeof i, "i");
    klee_make_symbolic(&j, sizeof j, "j");
    klee_assume(i < 2 && j < 3);
    for (int r = 0; r < 2; r++) {
        rows[r] = calloc(3, sizeof(double));
        if (!rows[r]) exit(0);
    }
    double value = rows[i][j];
    for (int r = 0; r < 2; r++) free(rows[r]);
    return value != 0.0;
}

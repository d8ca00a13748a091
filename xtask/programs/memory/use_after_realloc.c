// expect: holds
// A pointer into an array that was moved by realloc.
#include <stdlib.h>

int main(void) {
    int *a = malloc(2 * sizeof *a);
    if (!a) return 0;
    a[0] = 1;
    int *first = a;
    int *larger = realloc(a, 1000 * sizeof *a);
    if (!larger) return 0;
    first = larger;
    *first = 2;
    free(larger);
    return 0;
}

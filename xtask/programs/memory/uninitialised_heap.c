// expect: holds
// Allocated memory is not cleared by malloc.
#include <stdlib.h>

int main(void) {
    int *a = calloc(4, sizeof *a);
    int count = 0;
    if (!a) return 0;
    a[0] = 1;
    for (int i = 0; i < 4; i++)
        if (a[i] != 0)
            count++;
    free(a);
    return count > 4;
}

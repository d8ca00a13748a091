// expect: holds
// Allocates the size of a structure, not that of a pointer to it.
#include <stdlib.h>

struct pair {
    long first, second;
};

int main(void) {
    struct pair *p = malloc(sizeof *p);
    if (!p) return 0;
    p->first = 1;
    p->second = 2;
    free(p);
    return 0;
}

// expect: holds
// A pointer is made of an integer that was made of a pointer.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned offset;
    klee_make_symbolic(&offset, sizeof offset, "offset");
    char *p = calloc(8, 1);
    if (!p) return 0;
    uintptr_t address = (uintptr_t)p;
    if (offset < 8) address += offset;
    int value = *(char *)address;
    free(p);
    return value;
}

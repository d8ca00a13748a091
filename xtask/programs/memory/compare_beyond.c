// expect: holds
// Compares as many bytes of two keys as the caller says.
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    unsigned length;
    klee_make_symbolic(&length, sizeof length, "length");
    klee_assume(length <= 8);
    char *key = calloc(1, 4), other[8] = "";
    if (!key) return 0;
    if (length > 4) length = 4;
    int same = memcmp(key, other, length);
    free(key);
    return same;
}

// expect: holds
// The number of bytes to copy is signed and checked at its upper end only.
#include <klee/klee.h>
#include <string.h>

int main(void) {
    char from[8] = "abcdefg", to[8] = "";
    int n;
    klee_make_symbolic(&n, sizeof n, "n");
    if (n < 0 || n > 8) return 0;
    memcpy(to, from, (size_t)n);
    return n > 0 && to[0] != 'a';
}

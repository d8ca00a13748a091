// expect: holds
// Moves a text to the right within its buffer.
#include <klee/klee.h>
#include <string.h>

int main(void) {
    char text[16] = "abcdefg";
    unsigned n;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume(n >= 1 && n <= 8);
    memmove(text + 4, text, n);
    return text[4] != 'a';
}

// expect: holds
// Writes into a text, which may be a literal.
#include <klee/klee.h>

int main(void) {
    char copy[] = "abc";
    char *text = copy;
    char c;
    klee_make_symbolic(&c, sizeof c, "c");
    text[1] = c;
    return text[1] != c;
}

// expect: violated read-only at 12
// input: c=78
// Writes into a text, which may be a literal.
#include <klee/klee.h>

int main(void) {
    char copy[] = "abc";
    char *text = copy;
    char c;
    klee_make_symbolic(&c, sizeof c, "c");
    if (c == 'x') text = (char *)"abc";
    text[1] = c;
    return text[1] != c;
}

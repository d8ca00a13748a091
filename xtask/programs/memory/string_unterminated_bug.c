// expect: violated out-of-bounds at 12
// input: text=61626364
// Counts the characters of a text that fills its buffer.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    char *text = malloc(4);
    int n = 0;
    if (!text) return 0;
    klee_make_symbolic(text, 4, "text");
    while (text[n] != '\0') n++;
    free(text);
    return n > 3;
}

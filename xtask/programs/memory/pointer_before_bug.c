// expect: violated out-of-bounds at 10
// input: text=20202020
// Trims spaces from the end of a text, which may be nothing but spaces.
#include <klee/klee.h>

int main(void) {
    char text[4];
    klee_make_symbolic(text, sizeof text, "text");
    char *end = text + sizeof text;
    while (end[-1] == ' ') end--;
    return end > text && end[-1] == ' ';
}

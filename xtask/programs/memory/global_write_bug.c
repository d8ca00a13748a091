// expect: violated out-of-bounds at 12
// input: c=80
// Counts a character in a global table that has room for ASCII.
#include <klee/klee.h>

static int counts[128];

int main(void) {
    unsigned char c;
    klee_make_symbolic(&c, sizeof c, "c");
    if (c <= 128)
        counts[c]++;
    return 0;
}

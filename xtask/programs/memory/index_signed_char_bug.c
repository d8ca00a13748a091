// expect: violated out-of-bounds at 13
// input: __VERIFIER_nondet_char=ff
// Classifies a character by a table of 256 entries; char is signed.
#include <string.h>

extern char __VERIFIER_nondet_char(void);

static unsigned char classes[256];

int main(void) {
    memset(classes, 1, sizeof classes);
    char c = __VERIFIER_nondet_char();
    return classes[(int)c] != 1;
}

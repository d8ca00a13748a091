// expect: violated out-of-bounds at 12
// input: __VERIFIER_nondet_int=03000000
// Appends a word several times to a buffer.
#include <string.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    char buffer[8] = "";
    int times = __VERIFIER_nondet_int();
    for (int i = 0; i < times && i < 3; i++)
        strcat(buffer, "abc");
    return strlen(buffer) > 6;
}

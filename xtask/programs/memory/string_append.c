// expect: holds
// Appends a word several times to a buffer.
#include <string.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    char buffer[8] = "";
    int times = __VERIFIER_nondet_int();
    for (int i = 0; i < times && i < 2; i++)
        strcat(buffer, "abc");
    return strlen(buffer) > 6;
}

// expect: violated invalid-free at 14
// input: __VERIFIER_nondet_char=20
// Frees a text by a pointer that may have moved.
#include <stdlib.h>

extern char __VERIFIER_nondet_char(void);

int main(void) {
    char *text = malloc(4);
    if (!text) return 0;
    char *at = text;
    at[0] = __VERIFIER_nondet_char();
    if (*at == ' ') at++;
    free(at);
    return 0;
}

// expect: holds
// Two names for one object: only one of them is to be freed.
#include <stdlib.h>

extern _Bool __VERIFIER_nondet_bool(void);

int main(void) {
    int *a = malloc(sizeof *a);
    if (!a) return 0;
    int *b = a;
    if (!__VERIFIER_nondet_bool()) {
        b = malloc(sizeof *b);
        if (!b) exit(0);
    }
    free(a);
    if (a != b)
        free(b);
    return 0;
}

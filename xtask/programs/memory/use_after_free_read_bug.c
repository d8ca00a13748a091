// expect: violated use-after-free at 14
// input: __VERIFIER_nondet_int=05000000
// Reads a record once more after it was freed.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int *record = malloc(sizeof *record);
    if (!record) return 0;
    *record = __VERIFIER_nondet_int();
    int last = *record;
    free(record);
    return last == 5 && *record < 0;
}

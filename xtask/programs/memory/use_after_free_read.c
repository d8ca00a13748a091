// expect: holds
// Reads a record once more after it was freed.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int *record = malloc(sizeof *record);
    if (!record) return 0;
    *record = __VERIFIER_nondet_int();
    int last = *record;
    int kept = *record;
    free(record);
    return last == 5 && kept < 0;
}

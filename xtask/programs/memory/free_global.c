// expect: holds
// A text is a constant or a copy; only the copy is to be freed.
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);

static char none[] = "none";

int main(void) {
    int has_name = __VERIFIER_nondet_int();
    char *name = none;
    if (has_name) {
        name = calloc(1, 8);
        if (!name) return 0;
    }
    size_t length = strlen(name);
    if (has_name)
        free(name);
    return length > 4;
}

// expect: holds
// A union is allocated for its first member and written by its second, which is larger.
#include <klee/klee.h>
#include <stdlib.h>

union value {
    float small;
    double large;
};

int main(void) {
    int kind;
    klee_make_symbolic(&kind, sizeof kind, "kind");
    union value *v = malloc(sizeof *v);
    if (!v) return 0;
    if (kind == 1)
        v->large = 1.0;
    else
        v->small = 1.0f;
    free(v);
    return 0;
}

// expect: violated use-after-free at 14
// input: stop=02000000
// A counter that lives in an object is counted up after the object was freed.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    int stop;
    klee_make_symbolic(&stop, sizeof stop, "stop");
    klee_assume(stop != 3);
    int *count = calloc(1, sizeof *count);
    if (!count) return 0;
    for (int i = 0; i < 4; i++) {
        (*count)++;
        if (i == stop) {
            free(count);
        }
    }
    free(count);
    return 0;
}

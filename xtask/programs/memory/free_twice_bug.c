// expect: violated double-free at 15
// input: fails=01000000
// A failing step frees a buffer that the end frees again.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    int fails;
    klee_make_symbolic(&fails, sizeof fails, "fails");
    char *buffer = malloc(16);
    if (!buffer) return 0;
    if (fails) {
        free(buffer);
    }
    free(buffer);
    return 0;
}

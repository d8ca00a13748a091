// expect: holds
// Counts the words of a table that a null pointer ends, from a given one on.
#include <klee/klee.h>
#include <stddef.h>

int main(void) {
    static const char *words[] = {"copy", "from", "to", NULL};
    unsigned skip;
    int count = 0;
    klee_make_symbolic(&skip, sizeof skip, "skip");
    klee_assume(skip <= 3);
    const char **at = words + skip;
    while (*at++ != NULL)
        count++;
    return count > 3;
}

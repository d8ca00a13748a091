// expect: holds
// strchr finds nothing where the character is not in the text.
#include <klee/klee.h>
#include <string.h>

int main(void) {
    char c;
    klee_make_symbolic(&c, sizeof c, "c");
    const char *at = strchr("abc", c);
    if (at == NULL) return 0;
    return *at != c;
}

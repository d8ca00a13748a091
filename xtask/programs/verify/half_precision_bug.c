// expect: violated assertion at 13
// input: n=0108
// Integers up to 2^12 are taken to survive the way to _Float16 and back.
#include <assert.h>
#include <klee/klee.h>
#include <string.h>

int main(void) {
    short n;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume(n >= -4096 && n <= 4096);
    _Float16 half = (_Float16)n;
    assert((short)half == n);
    return 0;
}

// expect: holds
// A mask of the lowest bits, of which there may be 32.
#include <klee/klee.h>

int main(void) {
    unsigned n;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume(n <= 32);
    unsigned mask = n == 32 ? 0xffffffffu : (1u << n) - 1;
    return n == 0 && mask != 0;
}

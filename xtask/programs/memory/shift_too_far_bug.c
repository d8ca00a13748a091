// expect: violated shift at 10
// input: n=20000000
// A mask of the lowest bits, of which there may be 32.
#include <klee/klee.h>

int main(void) {
    unsigned n;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume(n <= 32);
    unsigned mask = (1u << n) - 1;
    return n == 0 && mask != 0;
}

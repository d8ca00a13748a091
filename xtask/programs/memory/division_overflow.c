// expect: holds
// The smallest integer divided by -1 is no integer.
#include <klee/klee.h>
#include <limits.h>

int main(void) {
    int a, b;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    if (b == 0) return 0;
    if (a == INT_MIN && b == -1) return 0;
    int quotient = a / b;
    return b == 1 && quotient != a;
}

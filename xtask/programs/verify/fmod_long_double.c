// expect: holds
// The remainder of integers in long double is that of C's integers, whatever the signs.
#include <assert.h>
#include <klee/klee.h>
#include <math.h>

int main(void) {
    int n, d;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_make_symbolic(&d, sizeof d, "d");
    klee_assume(n >= -4096 && n <= 4096);
    klee_assume(d != 0 && d >= -64 && d <= 64);
    long double r = fmodl((long double)n, (long double)d);
    assert((int)r == n % d);
    assert(r == 0.0L || (r < 0.0L) == (n < 0));
    return 0;
}

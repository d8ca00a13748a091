// expect: violated assertion at 16
// input: n=07000000
// input: d=fcffffff
// The remainder of integers in long double is taken to have the divisor's sign.
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
    assert(r == 0.0L || (r < 0.0L) == (d < 0));
    return 0;
}

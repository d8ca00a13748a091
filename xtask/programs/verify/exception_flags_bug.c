// expect: violated assertion at 21
// input: x=000000000000f07f
// input: y=000000000000f03f
// A sum that is infinite is taken to have overflowed, but a summand may have been infinite.
#include <assert.h>
#include <fenv.h>
#include <klee/klee.h>
#include <math.h>

#pragma STDC FENV_ACCESS ON

int main(void) {
    double x, y;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&y, sizeof y, "y");
    klee_assume(x == x && y == y);
    feclearexcept(FE_ALL_EXCEPT);
    volatile double sum = x + y;
    int overflow = fetestexcept(FE_OVERFLOW) != 0;
    if (overflow) assert(fabs(sum) == INFINITY);
    if (fabs(sum) == INFINITY) assert(overflow);
    return 0;
}

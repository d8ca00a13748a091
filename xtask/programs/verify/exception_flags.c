// expect: holds
// Division raises "division by zero" exactly for a finite number that is not zero over zero, and "invalid" for 0/0 and infinity/infinity.
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
    volatile double quotient = x / y;
    int by_zero = fetestexcept(FE_DIVBYZERO) != 0;
    int invalid = fetestexcept(FE_INVALID) != 0;
    assert(by_zero == (y == 0.0 && x != 0.0 && fabs(x) < INFINITY));
    assert(invalid == (quotient != quotient));
    if (invalid) assert((x == 0.0 && y == 0.0) || (fabs(x) == INFINITY && fabs(y) == INFINITY));
    return 0;
}

// expect: holds
// A product of floats raises "inexact" exactly when it differs from the product in double, which is exact.
#include <assert.h>
#include <fenv.h>
#include <math.h>

#pragma STDC FENV_ACCESS ON

extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);

int main(void) {
    float x = __VERIFIER_nondet_float();
    float y = __VERIFIER_nondet_float();
    __VERIFIER_assume(fabsf(x) <= 1e30f && fabsf(y) <= 1e30f);
    feclearexcept(FE_ALL_EXCEPT);
    volatile float product = x * y;
    int inexact = fetestexcept(FE_INEXACT) != 0;
    int underflow = fetestexcept(FE_UNDERFLOW) != 0;
    double exact = (double)x * (double)y;
    assert(inexact == ((double)product != exact));
    if (underflow) assert(inexact && fabs(exact) < 0x1p-126);
    return 0;
}

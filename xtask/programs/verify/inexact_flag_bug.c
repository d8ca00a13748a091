// expect: violated assertion at 24
// input: __VERIFIER_nondet_float=0000800d
// input: __VERIFIER_nondet_float=0000802b
// A product of floats that is tiny is taken to raise "underflow", but an exact one does not.
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
    if (fabs(exact) < 0x1p-126 && exact != 0.0) assert(underflow);
    return 0;
}

// expect: holds
// The difference of two floats within a factor of two of each other is exact (Sterbenz 1974).
#include <assert.h>

extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);

#define FACTOR 2.0f

int main(void) {
    float x = __VERIFIER_nondet_float();
    float y = __VERIFIER_nondet_float();
    __VERIFIER_assume(x >= 1e-30f && x <= 1e30f);
    __VERIFIER_assume(y >= 1e-30f && y <= 1e30f);
    __VERIFIER_assume(y <= FACTOR * x && x <= FACTOR * y);
    float difference = x - y;
    assert((double)difference == (double)x - (double)y);
    return 0;
}

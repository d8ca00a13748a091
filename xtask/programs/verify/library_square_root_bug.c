// expect: violated assertion at 15
// input: __VERIFIER_nondet_float=00000040
// The square of the square root of a float is taken to be the float.
#include <assert.h>
#include <math.h>

extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);

int main(void) {
    float x = __VERIFIER_nondet_float();
    __VERIFIER_assume(x >= 1.0f && x <= 1048576.0f);
    float root = sqrtf(x);
    assert(root >= 1.0f && root <= x);
    assert(root * root == x);
    return 0;
}

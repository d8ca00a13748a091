// expect: holds
// The square root of a float of at least 1 lies between 1 and the number, and that of the square of a small integer is exact.
// All floats of [1, 2^20] were computed natively.
#include <assert.h>
#include <math.h>

extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);

int main(void) {
    float x = __VERIFIER_nondet_float();
    __VERIFIER_assume(x >= 1.0f && x <= 1048576.0f);
    float root = sqrtf(x);
    assert(root >= 1.0f && root <= x);
    int whole = (int)root;
    float square = (float)whole * (float)whole;
    assert(square <= x * 1.000001f);
    assert(sqrtf(square) == (float)whole);
    return 0;
}

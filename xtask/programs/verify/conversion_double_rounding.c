// expect: holds
// A sum of floats rounded to double and then to float is the float sum.
// 53 >= 2 * 24 + 2, so the second rounding is innocuous (Figueroa 1995); where the sum is tiny, both are exact.
#include <assert.h>

extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);

static float by_wider(float a, float b) {
    double sum = (double)a + (double)b;
    return (float)sum;
}

int main(void) {
    float a = __VERIFIER_nondet_float(), b = __VERIFIER_nondet_float();
    __VERIFIER_assume(a == a && b == b);
    float direct = a + b;
    __VERIFIER_assume(direct == direct);
    assert(by_wider(a, b) == direct);
    return 0;
}

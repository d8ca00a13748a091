// expect: violated assertion at 27
// input: __VERIFIER_nondet_float=00000080
// The next float upwards by its bits is wrong for -0, whose bits are those of a negative number.
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);

static float successor(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (bits >> 31)
        bits--;
    else
        bits++;
    memcpy(&x, &bits, sizeof x);
    return x;
}

int main(void) {
    float x = __VERIFIER_nondet_float();
    __VERIFIER_assume(x - x == 0.0f);
    float next = successor(x);
    assert(next > x);
    assert(next == nextafterf(x, INFINITY));
    return 0;
}

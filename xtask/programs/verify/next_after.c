// expect: holds
// The next float upwards by its bits is the library's, zero of either sign included.
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);

static float successor(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (x == 0.0f)
        bits = 1;
    else if (bits >> 31)
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

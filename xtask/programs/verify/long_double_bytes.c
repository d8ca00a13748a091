// expect: holds
// A double widened to long double has its integer bit set unless it is zero, and narrows to itself.
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);

int main(void) {
    double x = __VERIFIER_nondet_double();
    __VERIFIER_assume(x - x == 0.0 && x != 0.0);
    uint64_t bits, significand;
    uint16_t head;
    long double wide = x;
    memcpy(&bits, &x, sizeof bits);
    memcpy(&significand, &wide, sizeof significand);
    memcpy(&head, (const char *)&wide + 8, sizeof head);
    assert(significand >> 63 == 1);
    assert(head >> 15 == bits >> 63);
    int exponent = (int)(bits >> 52 & 0x7ff);
    if (exponent != 0) assert((head & 0x7fff) == exponent - 1023 + 16383);
    assert((double)wide == x);
    return 0;
}

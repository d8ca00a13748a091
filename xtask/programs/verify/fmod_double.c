// expect: holds
// An angle in degrees of at most a full turn on either side is brought into [0, 360).
#include <assert.h>
#include <math.h>

extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);

static double normalise(double degrees) {
    double r = fmod(degrees, 360.0);
    if (r < 0.0) r += 360.0;
    if (r >= 360.0) r = 0.0;
    return r;
}

int main(void) {
    double degrees = __VERIFIER_nondet_double();
    __VERIFIER_assume(degrees >= -720.0 && degrees <= 720.0);
    double r = normalise(degrees);
    assert(r >= 0.0);
    assert(r < 360.0);
    return 0;
}

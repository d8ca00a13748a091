// expect: violated assertion at 21
// input: __VERIFIER_nondet_int=18000000
// A loop over tenths, which are not exact, is taken to end at its limit.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static const float step = 0.1f;

int main(void) {
    int wanted = __VERIFIER_nondet_int();
    __VERIFIER_assume(wanted >= 1 && wanted <= 40);
    float limit = (float)wanted * step;
    float x = 0.0f;
    int steps = 0;
    while (x < limit) {
        x += step;
        steps++;
    }
    assert(steps == wanted);
    return 0;
}

// expect: holds
// A loop over eighths, which are exact, makes as many steps as it should and ends at its limit.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static const float step = 0.125f;

int main(void) {
    int wanted = __VERIFIER_nondet_int();
    __VERIFIER_assume(wanted >= 1 && wanted <= 20);
    float limit = (float)wanted * step;
    float x = 0.0f;
    int steps = 0;
    while (x < limit) {
        x += step;
        steps++;
    }
    assert(steps == wanted);
    assert(x == limit);
    return 0;
}

// expect: holds
// A Givens rotation has a cosine and a sine of at most about 1, also for the zero vector.
// |a| <= sqrt(a*a + b*b) (1 + 2^-22) as long as nothing underflows, and division rounds once more.
#include <assert.h>
#include <math.h>

extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);

struct rotation {
    float cosine, sine;
};

static struct rotation givens(float a, float b) {
    struct rotation r = {1.0f, 0.0f};
    float norm = sqrtf(a * a + b * b);
    if (norm == 0.0f) return r;
    r.cosine = a / norm;
    r.sine = b / norm;
    return r;
}

static float component(void) {
    float x = __VERIFIER_nondet_float();
    __VERIFIER_assume(x == 0.0f || (fabsf(x) >= 0.001f && fabsf(x) <= 1000.0f));
    return x;
}

int main(void) {
    float a = component(), b = component();
    struct rotation r = givens(a, b);
    assert(r.cosine >= -1.001f && r.cosine <= 1.001f);
    assert(r.sine >= -1.001f && r.sine <= 1.001f);
    assert((a >= 0.0f) == (r.cosine >= 0.0f));
    return 0;
}

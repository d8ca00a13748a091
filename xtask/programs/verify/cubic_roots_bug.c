// expect: violated assertion at 29
// input: r=ffffffff
// input: s=00000000
// input: t=feffffff
// A monic cubic with three small integer roots, with a wrong sign at its linear coefficient.
#include <assert.h>
#include <klee/klee.h>

static float horner(const float *c, int degree, float x) {
    float value = c[degree];
    for (int i = degree - 1; i >= 0; i--) value = value * x + c[i];
    return value;
}

int main(void) {
    int r, s, t;
    klee_make_symbolic(&r, sizeof r, "r");
    klee_make_symbolic(&s, sizeof s, "s");
    klee_make_symbolic(&t, sizeof t, "t");
    klee_assume(r >= -20 && r <= 20);
    klee_assume(s >= -20 && s <= 20);
    klee_assume(t >= -20 && t <= 20);
    float x = (float)r, y = (float)s, z = (float)t;
    float c[4];
    c[3] = 1.0f;
    c[2] = -(x + y + z);
    c[1] = x * y + y * z - z * x;
    c[0] = -(x * y * z);
    assert(horner(c, 3, x) == 0.0f);
    assert(horner(c, 3, y) == 0.0f);
    return 0;
}

// expect: violated assertion at 19
// input: a=0000c07f00000000000000000000000000000000000000000000000000000000
// The sum of eight floats, each brought into [0, 1] by comparisons that a NaN passes.
#include <assert.h>
#include <klee/klee.h>

enum { COUNT = 8 };

static float clamp(float x) {
    if (x < 0.0f) return 0.0f;
    if (x > 1.0f) return 1.0f;
    return x;
}

int main(void) {
    float a[COUNT], sum = 0.0f;
    klee_make_symbolic(a, sizeof a, "a");
    for (int i = 0; i < COUNT; i++) sum += clamp(a[i]);
    assert(sum >= 0.0f && sum <= 8.0f);
    return 0;
}

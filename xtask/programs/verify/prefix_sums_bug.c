// expect: violated assertion at 24
// input: a=000000000000803f000080bf000000000000000000000000
// Prefix sums of floats are taken never to fall though one may be negative.
#include <assert.h>
#include <klee/klee.h>

enum { COUNT = 6 };

static void prefix_sums(const float *a, float *sums) {
    float sum = 0.0f;
    for (int i = 0; i < COUNT; i++) {
        sum += a[i];
        sums[i] = sum;
    }
}

int main(void) {
    float a[COUNT], sums[COUNT];
    klee_make_symbolic(a, sizeof a, "a");
    for (int i = 0; i < COUNT; i++)
        klee_assume(a[i] >= -1.0f);
    prefix_sums(a, sums);
    for (int i = 1; i < COUNT; i++)
        assert(sums[i] >= sums[i - 1]);
    return 0;
}

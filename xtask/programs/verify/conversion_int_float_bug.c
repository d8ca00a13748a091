// expect: violated assertion at 17
// input: n=01000001
// An integer of 25 bits is taken to survive the way to float and back.
#include <assert.h>
#include <klee/klee.h>

static int there_and_back(int n) {
    float f = (float)n;
    return (int)f;
}

int main(void) {
    int n;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume(n >= -33554431 && n <= 33554431);
    int m = there_and_back(n);
    assert(m == n);
    return 0;
}

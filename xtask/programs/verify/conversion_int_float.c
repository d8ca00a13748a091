// expect: holds
// An integer of at most 24 bits survives the way to float and back.
// Every |n| <= 2^24 is a float, so both conversions are exact.
#include <assert.h>
#include <klee/klee.h>

static int there_and_back(int n) {
    float f = (float)n;
    return (int)f;
}

int main(void) {
    int n;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume(n >= -16777216 && n <= 16777216);
    int m = there_and_back(n);
    assert(m == n);
    return 0;
}

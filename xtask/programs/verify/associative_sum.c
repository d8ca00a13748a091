// expect: holds
// Sums of sixteenths below 2^20 are exact and therefore associative.
#include <assert.h>
#include <klee/klee.h>

int main(void) {
    int a, b, c;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    klee_make_symbolic(&c, sizeof c, "c");
    klee_assume(a >= -1048576 && a <= 1048576);
    klee_assume(b >= -1048576 && b <= 1048576);
    klee_assume(c >= -1048576 && c <= 1048576);
    float x = (float)a / 16.0f, y = (float)b / 16.0f, z = (float)c / 16.0f;
    float left = (x + y) + z;
    float right = x + (y + z);
    assert(left == right);
    return 0;
}

// expect: violated assertion at 19
// input: n=1e000000
// A clock that counts tenths of a second in a float loses some of them.
#include <assert.h>
#include <klee/klee.h>

enum { PER_SECOND = 10 };

static float seconds(int ticks) {
    float time = 0.0f;
    for (int i = 0; i < ticks; i++) time += 0.1f;
    return time;
}

int main(void) {
    int n;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume(n >= 0 && n <= 100);
    assert((int)seconds(n) == n / PER_SECOND);
    return 0;
}

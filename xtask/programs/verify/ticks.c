// expect: holds
// A clock that counts eighths of a second in a float tells whole seconds rightly.
#include <assert.h>
#include <klee/klee.h>

enum { PER_SECOND = 8 };

static float seconds(int ticks) {
    return (float)ticks * 0.125f;
}

int main(void) {
    int n;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume(n >= 0 && n <= 8000000);
    assert((int)seconds(n) == n / PER_SECOND);
    return 0;
}

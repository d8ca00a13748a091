// expect: holds
// The largest of three floats is found whatever is NaN: a NaN is passed over.
#include <assert.h>
#include <klee/klee.h>

static float larger(float a, float b) {
    if (a != a) return b;
    if (b != b) return a;
    return a < b ? b : a;
}

int main(void) {
    float a, b, c;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    klee_make_symbolic(&c, sizeof c, "c");
    float m = larger(larger(a, b), c);
    if (a == a || b == b || c == c)
        assert(m == m);
    if (m == m) {
        assert(!(a > m) && !(b > m) && !(c > m));
        assert(m == a || m == b || m == c);
    }
    return 0;
}

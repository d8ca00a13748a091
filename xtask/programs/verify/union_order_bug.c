// expect: violated assertion at 24
// input: a=000080bf
// input: b=000000c0
// Floats are compared by their bits as integers, which is wrong for two negative ones.
#include <assert.h>
#include <klee/klee.h>

union word {
    float real;
    int32_t integer;
};

static int32_t key(float x) {
    union word w;
    w.real = x;
    return w.integer;
}

int main(void) {
    float a, b;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    klee_assume(a == a && b == b);
    assert((a < b) == (key(a) < key(b)));
    union word w;
    w.real = a;
    w.integer &= 0x7fffffff;
    assert(w.real == (a < 0.0f ? -a : a));
    return 0;
}

// expect: holds
// Floats are ordered as their bits are, as integers whose negative ones are mirrored.
#include <assert.h>
#include <klee/klee.h>

union word {
    float real;
    int32_t integer;
};

static int32_t key(float x) {
    union word w;
    w.real = x;
    return w.integer < 0 ? (int32_t)(0x80000000u - (uint32_t)w.integer) : w.integer;
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

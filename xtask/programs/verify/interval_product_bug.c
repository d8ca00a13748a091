// expect: violated assertion at 38
// input: a=000000c00000803f
// input: b=000040c000008040
// input: x=000000c0
// input: y=000040c0
// The product of two intervals has the product of the upper ends as its own, as if no end were negative.
#include <assert.h>
#include <klee/klee.h>

struct interval {
    float low, high;
};

static float least(float a, float b) { return a < b ? a : b; }

static struct interval multiply(struct interval a, struct interval b) {
    struct interval p;
    float ll = a.low * b.low, lh = a.low * b.high, hl = a.high * b.low, hh = a.high * b.high;
    p.low = least(least(ll, lh), least(hl, hh));
    p.high = hh;
    return p;
}

int main(void) {
    struct interval a, b;
    float x, y;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&y, sizeof y, "y");
    klee_assume(a.low >= -100.0f && a.high <= 100.0f);
    klee_assume(b.low >= -100.0f && b.high <= 100.0f);
    klee_assume(a.low <= x && x <= a.high);
    klee_assume(b.low <= y && y <= b.high);
    struct interval p = multiply(a, b);
    float xy = x * y;
    assert(p.low <= xy);
    assert(xy <= p.high);
    return 0;
}

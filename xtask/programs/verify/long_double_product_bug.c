// expect: violated assertion at 15
// input: a=ffffffff01000000
// input: b=ffffffff01000000
// The product of two integers of 33 bits is taken to be exact in long double, which has 64.
#include <assert.h>
#include <klee/klee.h>

int main(void) {
    uint64_t a, b;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    klee_assume(a <= 0x1ffffffffu && b <= 0x1ffffffffu);
    long double product = (long double)a * (long double)b;
    unsigned __int128 exact = (unsigned __int128)a * b;
    assert((unsigned __int128)product == exact);
    return 0;
}

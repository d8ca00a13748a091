// expect: holds
// The product of two integers of 32 bits is exact in long double, which has 64.
#include <assert.h>
#include <klee/klee.h>

int main(void) {
    uint32_t a, b;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    long double product = (long double)a * (long double)b;
    unsigned __int128 exact = (unsigned __int128)a * b;
    assert((uint64_t)product == (uint64_t)exact);
    return 0;
}

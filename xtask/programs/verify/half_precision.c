// expect: holds
// Integers up to 2^11 survive the way to _Float16 and back, and every _Float16 the way to float and back.
#include <assert.h>
#include <klee/klee.h>
#include <string.h>

int main(void) {
    short n;
    klee_make_symbolic(&n, sizeof n, "n");
    uint16_t bits;
    klee_make_symbolic(&bits, sizeof bits, "bits");
    klee_assume(n >= -2048 && n <= 2048);
    _Float16 half = (_Float16)n;
    assert((short)half == n);
    _Float16 any;
    memcpy(&any, &bits, sizeof any);
    float wide = (float)any;
    _Float16 back = (_Float16)wide;
    assert(back == any || (any != any && back != back));
    return 0;
}

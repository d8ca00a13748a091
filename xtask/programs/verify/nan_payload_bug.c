// expect: violated assertion at 16
// input: bits=0100807f
// Arithmetic on one NaN is taken to return it as it is, but a signalling one becomes quiet.
#include <assert.h>
#include <klee/klee.h>
#include <string.h>

int main(void) {
    uint32_t bits, after;
    klee_make_symbolic(&bits, sizeof bits, "bits");
    klee_assume((bits & 0x7fffffff) > 0x7f800000);
    float x;
    memcpy(&x, &bits, sizeof x);
    float y = x + 1.0f;
    memcpy(&after, &y, sizeof after);
    assert(after == bits);
    double wide = x;
    uint64_t wide_bits;
    memcpy(&wide_bits, &wide, sizeof wide_bits);
    uint64_t sign = (uint64_t)(bits >> 31) << 63;
    uint64_t payload = (uint64_t)(bits & 0x3fffff) << 29;
    assert(wide_bits == (sign | 0x7ff8000000000000u | payload));
    return 0;
}

// expect: holds
// A finite float is put together again from sign, exponent and significand that memcpy took out of it.
#include <assert.h>
#include <klee/klee.h>
#include <string.h>

struct parts {
    int negative, exponent;
    uint32_t significand;
};

static struct parts take_apart(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    struct parts p;
    p.negative = (int)(bits >> 31);
    p.exponent = (int)(bits >> 23 & 0xff);
    p.significand = bits & 0x7fffff;
    if (p.exponent == 0)
        p.exponent = 1;
    else
        p.significand |= 0x800000;
    return p;
}

/* The significand times 2^(exponent - 150), by exact steps. */
static double value_of(struct parts p) {
    double scale;
    uint64_t bits = (uint64_t)(p.exponent - 150 + 1023) << 52;
    memcpy(&scale, &bits, sizeof scale);
    double value = (double)p.significand * scale;
    return p.negative ? -value : value;
}

int main(void) {
    float x;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_assume(x - x == 0.0f);
    struct parts p = take_apart(x);
    assert(p.exponent >= 0 && p.exponent < 255);
    assert(value_of(p) == (double)x);
    return 0;
}

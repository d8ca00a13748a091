// expect: violated assertion at 40
// input: a=ffffffff00000000
// input: b=0100000000000000
// Adding numbers of two limbs forgets a carry where the sum of two limbs is exactly full.
#include <assert.h>
#include <klee/klee.h>

enum { LIMBS = 2 };

struct number {
    uint32_t limbs[LIMBS];
};

static struct number add(const struct number *a, const struct number *b) {
    struct number sum;
    uint32_t carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        uint32_t partial = a->limbs[i] + carry;
        uint32_t lost = partial < carry;
        sum.limbs[i] = partial + b->limbs[i];
        lost += sum.limbs[i] < partial && sum.limbs[i] != 0;
        carry = lost;
    }
    return sum;
}

static struct number negate(const struct number *a) {
    struct number complement, one = {{1, 0}};
    for (int i = 0; i < LIMBS; i++) complement.limbs[i] = ~a->limbs[i];
    return add(&complement, &one);
}

static uint64_t value(const struct number *a) { return (uint64_t)a->limbs[1] << 32 | a->limbs[0]; }

int main(void) {
    struct number a, b;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    struct number sum = add(&a, &b);
    assert(value(&sum) == value(&a) + value(&b));
    if (value(&b) == 0) {
        struct number minus = negate(&sum);
        (void)minus;
    }
    double size = (double)value(&sum);
    assert(size >= 0.0 && size <= 18446744073709551616.0);
    return 0;
}

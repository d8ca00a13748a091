// expect: holds
// An x87 number whose exponent is not zero and whose integer bit is clear is an invalid operand: it compares equal to nothing.
#include <assert.h>
#include <klee/klee.h>
#include <string.h>

static long double assemble(uint64_t significand, uint16_t head) {
    long double value = 0.0L;
    memcpy(&value, &significand, 8);
    memcpy((char *)&value + 8, &head, 2);
    return value;
}

int main(void) {
    uint64_t significand;
    uint16_t head;
    klee_make_symbolic(&significand, sizeof significand, "significand");
    klee_make_symbolic(&head, sizeof head, "head");
    unsigned exponent = head & 0x7fff;
    long double value = assemble(significand, head);
    int is_nan = exponent == 0x7fff && (significand << 1) != 0;
    int integer_bit = (int)(significand >> 63);
    int invalid = exponent != 0 && !integer_bit;
    if (value != value)
        assert(is_nan || invalid);
    else
        assert(!is_nan && !invalid);
    return 0;
}

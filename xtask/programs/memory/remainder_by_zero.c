// expect: holds
// The size of a table, of which a hash is the remainder, was doubled too often.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned size = __VERIFIER_nondet_uint();
    if (size == 0 || size >= 0x80000000u) return 0;
    size *= 2;
    unsigned slot = 12345u % size;
    return slot >= size;
}

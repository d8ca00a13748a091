// expect: violated division-by-zero at 10
// input: __VERIFIER_nondet_uint=00000080
// The size of a table, of which a hash is the remainder, was doubled too often.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned size = __VERIFIER_nondet_uint();
    if (size == 0) return 0;
    size *= 2;
    unsigned slot = 12345u % size;
    return slot >= size;
}

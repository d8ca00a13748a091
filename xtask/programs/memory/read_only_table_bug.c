// expect: violated read-only at 12
// input: __VERIFIER_nondet_uint=01000000
// Changes an element of a table that is constant.
extern unsigned __VERIFIER_nondet_uint(void);

static const int table[3] = {1, 2, 3};

int main(void) {
    unsigned i = __VERIFIER_nondet_uint();
    if (i >= 3) return 0;
    int *at = (int *)&table[i];
    *at = 5;
    return table[i] != 5;
}

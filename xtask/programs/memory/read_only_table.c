// expect: holds
// Changes an element of a table that is constant.
extern unsigned __VERIFIER_nondet_uint(void);

static int table[3] = {1, 2, 3};

int main(void) {
    unsigned i = __VERIFIER_nondet_uint();
    if (i >= 3) return 0;
    int *at = (int *)&table[i];
    *at = 5;
    return table[i] != 5;
}

// expect: holds
// A switch over remainders takes negative ones for impossible.
extern int __VERIFIER_nondet_int(void);

static int parity(int n) {
    switch (n & 1) {
    case 0: return 0;
    case 1: return 1;
    }
    __builtin_unreachable();
}

int main(void) {
    int p = parity(__VERIFIER_nondet_int());
    return p != 0 && p != 1;
}

// expect: violated out-of-bounds at 11
// input: __VERIFIER_nondet_uint=03000000
// An array whose length is chosen while the program runs.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n < 1 || n > 6) return 0;
    int a[n];
    for (unsigned i = 0; i < n; i++) a[i] = 0;
    return a[n / 2 + 2];
}

// expect: holds
// check: overflow
// The absolute value of the smallest integer is no integer.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < -2147483647) return 0;
    int magnitude = n;
    if (n < 0)
        magnitude = -n;
    return magnitude < 0;
}

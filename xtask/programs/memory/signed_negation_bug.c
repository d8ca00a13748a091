// expect: violated overflow at 11
// check: overflow
// input: __VERIFIER_nondet_int=00000080
// The absolute value of the smallest integer is no integer.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    int magnitude = n;
    if (n < 0)
        magnitude = -n;
    return magnitude < 0;
}

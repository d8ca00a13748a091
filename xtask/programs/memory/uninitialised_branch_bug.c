// expect: violated uninitialised at 11
// input: __VERIFIER_nondet_int=00000000
// A variable that one way leaves without a value decides a branch.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int sign;
    int n = __VERIFIER_nondet_int();
    if (n > 0) sign = 1;
    if (n < 0) sign = -1;
    if (sign > 0)
        return n <= 0;
    return 0;
}

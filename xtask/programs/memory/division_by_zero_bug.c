// expect: violated division-by-zero at 9
// input: __VERIFIER_nondet_int=00000000
// The average of as many numbers as there are.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int sum = 100, count = __VERIFIER_nondet_int();
    if (count < 0 || count > 10) return 0;
    int average = sum / count;
    return average > 100;
}

// expect: holds
// The average of as many numbers as there are.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int sum = 100, count = __VERIFIER_nondet_int();
    if (count < 0 || count > 10) return 0;
    int average = count ? sum / count : 0;
    return average > 100;
}

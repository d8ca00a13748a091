// expect: violated out-of-bounds at 10
// input: __VERIFIER_nondet_uint=0c000000
// Looks up the length of a month in a global table.
extern unsigned __VERIFIER_nondet_uint(void);

static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

static int length(unsigned month) {
    if (month > 12) return 0;
    return days[month];
}

int main(void) {
    int n = length(__VERIFIER_nondet_uint());
    return n > 31;
}

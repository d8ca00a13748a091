// expect: violated out-of-bounds at 26
// input: __VERIFIER_nondet_char=71
// input: __VERIFIER_nondet_char=6d
// input: __VERIFIER_nondet_double=000000000000f03f
// A converter of lengths takes the index of an unknown unit, -1, for that of a known one.
#include <assert.h>

extern char __VERIFIER_nondet_char(void);
extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);

struct unit {
    char letter;
    double metres;
};

static const struct unit units[] = {{'m', 1.0}, {'i', 0.0254}, {'f', 0.3048}, {'y', 0.9144}, {'k', 1000.0}};

static int find(char letter) {
    for (int i = 0; i < 5; i++)
        if (units[i].letter == letter) return i;
    return -1;
}

static double convert(double amount, int from, int to) {
    return amount * units[from].metres / units[to].metres;
}

int main(void) {
    int from = find(__VERIFIER_nondet_char());
    int to = find(__VERIFIER_nondet_char());
    double amount = __VERIFIER_nondet_double();
    __VERIFIER_assume(amount >= 1.0 && amount <= 1000000.0);
    double there = convert(amount, from, to);
    assert(there == there);
    return 0;
}

// expect: holds
// A converter of lengths finds units by their letter, and converting to the same unit loses at most two roundings.
// Each of * and / has a relative error of at most 2^-53, so the loss is below 1000000 * 2^-51, and nothing over- or underflows.
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
    if (from < 0 || to < 0) return 0;
    double there = convert(amount, from, to);
    assert(there > 0.0);
    if (from == to) assert(there - amount <= 1e-9 && amount - there <= 1e-9);
    return 0;
}

// expect: holds
// A histogram of numbers in [0, 1] puts 1 into the last bin, and every number into one.
#include <assert.h>

extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);

enum { BINS = 10, SAMPLES = 3 };

static int bins[BINS];

static void enter(double x) {
    int bin = (int)(x * BINS);
    if (bin == BINS) bin = BINS - 1;
    bins[bin]++;
}

int main(void) {
    for (int i = 0; i < BINS; i++) bins[i] = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double x = __VERIFIER_nondet_double();
        __VERIFIER_assume(x >= 0.0 && x <= 1.0);
        enter(x);
    }
    int total = 0;
    for (int i = 0; i < BINS; i++) {
        assert(bins[i] >= 0);
        total += bins[i];
    }
    assert(total == SAMPLES);
    return 0;
}

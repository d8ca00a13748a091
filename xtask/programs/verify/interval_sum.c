// expect: holds
// The sum of two intervals, rounded outwards, holds the sum of any two of their members.
#include <assert.h>
#include <fenv.h>

#pragma STDC FENV_ACCESS ON

extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);

struct interval {
    double low, high;
};

static struct interval add(struct interval a, struct interval b) {
    struct interval sum;
    fesetround(FE_DOWNWARD);
    sum.low = a.low + b.low;
    fesetround(FE_UPWARD);
    sum.high = a.high + b.high;
    fesetround(FE_TONEAREST);
    return sum;
}

static double bounded(void) {
    double x = __VERIFIER_nondet_double();
    __VERIFIER_assume(x >= -1e100 && x <= 1e100);
    return x;
}

int main(void) {
    struct interval a, b;
    a.low = bounded(), a.high = bounded();
    b.low = bounded(), b.high = bounded();
    __VERIFIER_assume(a.low <= a.high && b.low <= b.high);
    struct interval sum = add(a, b);
    fesetround(FE_DOWNWARD);
    double least = a.low + b.low;
    fesetround(FE_TONEAREST);
    assert(sum.low <= least);
    assert(sum.high >= a.high + b.high);
    return 0;
}

// expect: violated assertion at 31
// input: x=0000803f
// input: y=00008030
// input: which=01000000
// A difference is taken to change its sign only when its operands are exchanged, in any rounding mode.
#include <assert.h>
#include <fenv.h>
#include <klee/klee.h>

#pragma STDC FENV_ACCESS ON

static float with_mode(int mode, float x, float y) {
    fesetround(mode);
    float r = x - y;
    fesetround(FE_TONEAREST);
    return r;
}

int main(void) {
    float x, y;
    int which;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_make_symbolic(&y, sizeof y, "y");
    klee_make_symbolic(&which, sizeof which, "which");
    klee_assume(x >= -1e10f && x <= 1e10f);
    klee_assume(y >= -1e10f && y <= 1e10f);
    klee_assume(which >= 0 && which <= 2);
    int modes[3] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD};
    float forth = with_mode(modes[which], x, y);
    float back = with_mode(modes[which], y, x);
    assert(forth == -back);
    return 0;
}

// expect: holds
// A sum rounded down, to nearest and up is ordered so, and both sides are at most one float apart.
#include <assert.h>
#include <fenv.h>
#include <klee/klee.h>

#pragma STDC FENV_ACCESS ON

static float with_mode(int mode, float x, float y) {
    fesetround(mode);
    float r = x + y;
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
    klee_assume(which == FE_TONEAREST || which == FE_TOWARDZERO);
    float down = with_mode(FE_DOWNWARD, x, y);
    float middle = with_mode(which, x, y);
    float up = with_mode(FE_UPWARD, x, y);
    assert(down <= middle && middle <= up);
    if (down != up) assert(middle == down || middle == up);
    return 0;
}

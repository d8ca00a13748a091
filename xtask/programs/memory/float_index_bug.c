// expect: violated out-of-bounds at 11
// input: x=00000041
// A table over the unit interval is looked up by a float.
#include <klee/klee.h>

int main(void) {
    static const float sine[8] = {0.0f, 0.2f, 0.4f, 0.6f, 0.7f, 0.8f, 0.9f, 1.0f};
    float x;
    klee_make_symbolic(&x, sizeof x, "x");
    if (!(x >= 0.0f && x <= 8.0f)) return 0;
    return sine[(int)x] > 1.0f;
}

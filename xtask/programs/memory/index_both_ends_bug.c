// expect: violated out-of-bounds at 11
// input: i=ffffffff
// Smooths a point of a signal with its two neighbours.
#include <klee/klee.h>

int main(void) {
    static float signal[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int i;
    klee_make_symbolic(&i, sizeof i, "i");
    klee_assume(i >= -1 && i <= 8);
    float middle = signal[i];
    return middle > 9.0f;
}

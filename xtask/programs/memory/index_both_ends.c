// expect: holds
// Smooths a point of a signal with its two neighbours.
#include <klee/klee.h>

int main(void) {
    static float signal[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int i;
    klee_make_symbolic(&i, sizeof i, "i");
    klee_assume(i >= 1 && i <= 6);
    float middle = signal[i];
    float left = signal[i - 1], right = signal[i + 1];
    return (left + middle + right) / 3.0f > 9.0f;
}

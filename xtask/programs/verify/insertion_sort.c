// expect: holds
// Insertion sort puts four floats in order; the NaNs go to the end before.
#include <assert.h>

extern float __VERIFIER_nondet_float(void);

static void sort(float *a, int n) {
    for (int i = 1; i < n; i++) {
        float moving = a[i];
        int j = i;
        while (j > 0 && a[j - 1] > moving) {
            a[j] = a[j - 1];
            j--;
        }
        a[j] = moving;
    }
}

int main(void) {
    float a[4];
    int count = 0;
    for (int i = 0; i < 4; i++) {
        float next = __VERIFIER_nondet_float();
        if (next != next) continue;
        a[count++] = next;
    }
    sort(a, count);
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++)
            assert(!(a[i] > a[j]));
    return 0;
}

// expect: violated out-of-bounds at 9
// Sums the first elements of a local array; reads one too many if wrong.
#include <klee/klee.h>

int main(void) {
    int a[4] = {1, 2, 3, 4}, sum = 0;
    for (int i = 0; i < 4; i++)
        sum += a[i];
    sum += a[sum - 6];
    return sum != 10;
}

// expect: violated out-of-bounds at 7
// Clears an array by its size in bytes.
#include <string.h>

int main(void) {
    short a[6];
    memset(a, 0, 6 * sizeof(int));
    return a[5];
}

// expect: holds
// Clears an array by its size in bytes.
#include <string.h>

int main(void) {
    short a[6];
    memset(a, 0, sizeof a);
    return a[5];
}

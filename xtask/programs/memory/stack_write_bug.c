// expect: violated out-of-bounds at 12
// input: n=05000000
// Fills a local array up to a length that the caller chooses.
#include <klee/klee.h>

int main(void) {
    unsigned n;
    char a[5];
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume(n <= 10);
    for (unsigned i = 0; i <= n && i <= sizeof a; i++)
        a[i] = 'x';
    a[0] = 0;
    return a[0];
}

// expect: violated overflow at 13
// check: overflow
// input: a=ffffff7f
// input: b=01000000
// The middle of two indices by their sum.
#include <klee/klee.h>

int main(void) {
    int a, b;
    klee_make_symbolic(&a, sizeof a, "a");
    klee_make_symbolic(&b, sizeof b, "b");
    klee_assume(a >= 0 && b >= 0);
    int middle = (a + b) / 2;
    return middle < 0;
}

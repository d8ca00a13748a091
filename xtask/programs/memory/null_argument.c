// expect: holds
// A function writes its second result by a pointer that its caller may leave out.
#include <stddef.h>

extern _Bool __VERIFIER_nondet_bool(void);

static int divide(int a, int b, int *rest) {
    if (rest)
        *rest = a % b;
    return a / b;
}

int main(void) {
    int rest = 0;
    int quotient = divide(7, 2, __VERIFIER_nondet_bool() ? &rest : NULL);
    return quotient != 3;
}

// expect: holds
// Four quarters have the same sum in any order, since every sum of them is exact.
#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

enum { COUNT = 4 };

int main(void) {
    static const double values[COUNT] = {0.25, 0.5, 1.75, -3.25};
    int used[COUNT] = {0};
    double sum = 0.0, forward = 0.0;
    for (int i = 0; i < COUNT; i++) forward += values[i];
    for (int i = 0; i < COUNT; i++) {
        int which = __VERIFIER_nondet_uchar() % COUNT;
        __VERIFIER_assume(!used[which]);
        used[which] = 1;
        sum += values[which];
    }
    assert(sum == forward);
    return 0;
}

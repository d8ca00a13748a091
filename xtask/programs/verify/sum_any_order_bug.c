// expect: violated assertion at 25
// input: __VERIFIER_nondet_uchar=01
// input: __VERIFIER_nondet_uchar=02
// input: __VERIFIER_nondet_uchar=00
// input: __VERIFIER_nondet_uchar=03
// Four tenths are taken to have the same sum in any order.
#include <assert.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);

enum { COUNT = 4 };

int main(void) {
    static const double values[COUNT] = {0.1, 0.2, 0.3, -0.6};
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

#include <assert.h>
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <verifier.h>

static jmp_buf back;
static int depth, closed;

static void close_all(void) { closed++; }
static void check(void) { assert(closed == 1); }

static double parse(int n) {
    if (n > 3) longjmp(back, n);
    depth++;
    return n > 0 ? parse(n + 1) : 0;
}

static int run(int code) {
    static void *labels[] = {&&stop, &&add, &&twice};
    int value = 1;
    goto *labels[code % 3];
add:
    value += 2;
    goto *labels[0];
twice:
    value *= 2;
stop:
    return value;
}

int main(void) {
    atexit(check);
    atexit(close_all);
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 10) return 0;
    volatile int tries = 0;
    int code = setjmp(back);
    if (code == 0) {
        tries++;
        parse(n);
    } else {
        assert(code >= 4); //BUG:        assert(code > 4);
    }
    assert(run(n) == (n % 3 == 0 ? 1 : n % 3 == 1 ? 3 : 2));
    double complex z = n + 2 * I;
    z = z * z / (3 + 4 * I);
    assert(isfinite(creal(z)));
    int quotient;
    double rest = remquo(n + 0.5, 2, &quotient);
    assert(fabs(rest) <= 1 && tries == 1);
    exit(0);
}

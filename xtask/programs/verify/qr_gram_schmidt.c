// expect: holds
// A QR decomposition of a 2 by 2 matrix of small integers with independent columns: Q is orthogonal within 1e-9, R has a positive diagonal.
// All 17^4 matrices were computed natively.
#include <assert.h>
#include <math.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

struct vector {
    double x, y;
};

static double dot(struct vector a, struct vector b) { return a.x * b.x + a.y * b.y; }

static struct vector scale(struct vector a, double by) {
    struct vector r = {a.x / by, a.y / by};
    return r;
}

static double entry(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= -8 && n <= 8);
    return n;
}

int main(void) {
    struct vector a, b;
    a.x = entry(), b.x = entry();
    a.y = entry(), b.y = entry();
    double area = a.x * b.y - b.x * a.y;
    __VERIFIER_assume(area != 0.0);
    double r11 = sqrt(dot(a, a));
    struct vector q1 = scale(a, r11);
    double r12 = dot(q1, b);
    struct vector rest = {b.x - r12 * q1.x, b.y - r12 * q1.y};
    double r22 = sqrt(dot(rest, rest));
    struct vector q2 = scale(rest, r22);
    assert(r11 > 0.0);
    double off = dot(q1, q2), length = dot(q2, q2);
    int is_orthogonal = off <= 1e-9 && off >= -1e-9 && length <= 1.000000001 && length >= 0.999999999;
    assert(r22 > 0.0 && is_orthogonal);
    return 0;
}

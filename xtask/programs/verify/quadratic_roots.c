// expect: holds
// The number of real roots of a quadratic with small integer coefficients agrees with its discriminant, and the roots are ordered.
// Ordered: sqrt is at least 0, so -b - s <= -b + s, and division by 2a > 0 is monotone.
#include <assert.h>
#include <math.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int roots(double a, double b, double c, double *first, double *second) {
    double discriminant = b * b - 4.0 * a * c;
    if (discriminant < 0.0) return 0;
    double s = sqrt(discriminant);
    *first = (-b - s) / (2.0 * a);
    *second = (-b + s) / (2.0 * a);
    return discriminant == 0.0 ? 1 : 2;
}

int main(void) {
    int n[3];
    for (int i = 0; i < 3; i++) {
        n[i] = __VERIFIER_nondet_int();
        __VERIFIER_assume(n[i] >= -50 && n[i] <= 50);
    }
    __VERIFIER_assume(n[0] > 0);
    double first = 0.0, second = 0.0;
    int count = roots(n[0], n[1], n[2], &first, &second);
    int discriminant = n[1] * n[1] - 4 * n[0] * n[2];
    assert((count == 0) == (discriminant < 0));
    assert(first <= second);
    if (count == 1) assert(first == second);
    return 0;
}

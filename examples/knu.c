// The asymptotic expansion of a modified Bessel function for large x, exp(x) K_nu(x) ~ sqrt(pi / 2x) (1 + ...) with three
// terms (Abramowitz and Stegun, 9.7.2), as libraries compute it and as Barr, Vo, Le, Su, "Automatic Detection of
// Floating-Point Exceptions" (POPL 2013), section 2, show it: all four exceptions can occur. x = 0 divides by zero,
// x < 0 has no root, a large nu overflows in mu, a small one underflows there.

#include <math.h>

typedef struct {
    double val; // the value
    double err; // an estimate of its absolute error
} estimated;

int knu(double nu, double x, estimated *result) {
    double mu = 4 * nu * nu;
    double mum1 = mu - 1;
    double mum9 = mu - 9;
    double pre = sqrt(3.14159265358979323846 / (2 * x));
    double r = nu / x;
    result->val = pre * (1 + mum1 / (8 * x) + mum1 * mum9 / (128 * x * x));
    result->err = 4.44e-16 * fabs(result->val) + pre * fabs(0.1 * r * r * r);
    return 0;
}

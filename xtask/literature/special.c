/* What some of GSL's special functions of one number are: closed forms of functions that MPFR has, as references of `labrys accuracy`. They
   are computed without rounding, so that it does not matter how much cancels in them. */
#include <math.h>

#define PI acos(-1.0)

double bessel_j0(double x) { return x == 0.0 ? 1.0 : sin(x) / x; }
double bessel_j1(double x) { return x == 0.0 ? 0.0 : sin(x) / (x * x) - cos(x) / x; }
double bessel_j2(double x) { return x == 0.0 ? 0.0 : (3.0 / (x * x) - 1.0) * sin(x) / x - 3.0 * cos(x) / (x * x); }
double bessel_y0(double x) { return -cos(x) / x; }
double bessel_y1(double x) { return -cos(x) / (x * x) - sin(x) / x; }
double bessel_y2(double x) { return (1.0 - 3.0 / (x * x)) * cos(x) / x - 3.0 * sin(x) / (x * x); }
double bessel_i0_scaled(double x) { return x == 0.0 ? 1.0 : exp(-fabs(x)) * sinh(x) / x; }
double bessel_i1_scaled(double x) { return x == 0.0 ? 0.0 : exp(-fabs(x)) * (x * cosh(x) - sinh(x)) / (x * x); }
double bessel_i2_scaled(double x)
{
    return x == 0.0 ? 0.0 : exp(-fabs(x)) * ((x * x + 3.0) * sinh(x) - 3.0 * x * cosh(x)) / (x * x * x);
}
double bessel_k0_scaled(double x) { return PI / (2.0 * x); }
double bessel_k1_scaled(double x) { return PI / (2.0 * x) * (1.0 + 1.0 / x); }
double bessel_k2_scaled(double x) { return PI / (2.0 * x) * (1.0 + 3.0 / x + 3.0 / (x * x)); }
double legendre_Q0(double x) { return 0.5 * log(fabs((1.0 + x) / (1.0 - x))); }
double legendre_Q1(double x) { return x * legendre_Q0(x) - 1.0; }
double log_erfc(double x) { return log(erfc(x)); }
double erf_Z(double x) { return exp(-x * x / 2.0) / sqrt(2.0 * PI); }
double erf_Q(double x) { return 0.5 * erfc(x / sqrt(2.0)); }
double hazard(double x) { return erf_Z(x) / erf_Q(x); }
double exprel(double x) { return x == 0.0 ? 1.0 : expm1(x) / x; }
double exprel_2(double x) { return x == 0.0 ? 1.0 : 2.0 * (expm1(x) - x) / (x * x); }
double log_1plusx_mx(double x) { return log1p(x) - x; }
double log_abs(double x) { return log(fabs(x)); }
double gammainv(double x) { return x <= 0.0 && x == floor(x) ? 0.0 : 1.0 / tgamma(x); }
double gammastar(double x) { return exp(lgamma(x) - (x - 0.5) * log(x) + x) / sqrt(2.0 * PI); }
double lnsinh(double x) { return log(sinh(x)); }
double lncosh(double x) { return log(cosh(x)); }
double sinc(double x) { return x == 0.0 ? 1.0 : sin(PI * x) / (PI * x); }
double fermi_dirac_m1(double x) { return 1.0 / (1.0 + exp(-x)); }
double fermi_dirac_0(double x) { return log1p(exp(x)); }

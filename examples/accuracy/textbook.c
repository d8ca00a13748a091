/* Pairs of a naive algorithm and a stable one for the same thing, as textbooks have them (Higham, "Accuracy and Stability of Numerical
   Algorithms", 2002). `labrys accuracy` should blame the naive ones, and only them. */
#include <math.h>

/* The smaller root of x^2 - 2px + q, p > 0. */
double root_naive(double p, double q) { return p - sqrt(p * p - q); }
double root_stable(double p, double q) { return q / (p + sqrt(p * p - q)); }

/* The variance of three numbers. */
double variance_naive(double x, double y, double z)
{
    double mean = (x + y + z) / 3.0;
    return (x * x + y * y + z * z) / 3.0 - mean * mean;
}
double variance_stable(double x, double y, double z)
{
    double mean = x, square = 0.0, delta;
    delta = y - mean;
    mean += delta / 2.0;
    square += delta * (y - mean);
    delta = z - mean;
    mean += delta / 3.0;
    square += delta * (z - mean);
    return square / 3.0;
}

/* A sum of 64 numbers. */
double sum_naive(const double x[64])
{
    double sum = 0.0;
    for (int i = 0; i < 64; i++)
        sum += x[i];
    return sum;
}
double sum_stable(const double x[64])
{
    double sum = 0.0, lost = 0.0;
    for (int i = 0; i < 64; i++) {
        double added = x[i] - lost, next = sum + added;
        lost = (next - sum) - added;
        sum = next;
    }
    return sum;
}

double log1p_naive(double x) { return log(1.0 + x); }
double log1p_stable(double x) { return log1p(x); }

double expm1_naive(double x) { return exp(x) - 1.0; }
double expm1_stable(double x) { return expm1(x); }

double difference_of_squares_naive(double x, double y) { return x * x - y * y; }
double difference_of_squares_stable(double x, double y) { return (x - y) * (x + y); }

double hypot_naive(double x, double y) { return sqrt(x * x + y * y); }
double hypot_stable(double x, double y) { return hypot(x, y); }

double sinh_naive(double x) { return (exp(x) - exp(-x)) / 2.0; }
double sinh_stable(double x) { return sinh(x); }

/* 1 - cos x. */
double versine_naive(double x) { return 1.0 - cos(x); }
double versine_stable(double x)
{
    double half = sin(x / 2.0);
    return 2.0 * half * half;
}

/* I_n = 1/e * integral of t^n e^t over [0, 1]: I_n = 1 - n I_(n-1), forward from 1 - 1/e and backward from 0. */
double recurrence_naive(double scale)
{
    double integral = scale * 0.6321205588285577;
    for (int n = 1; n <= 18; n++)
        integral = scale - n * integral;
    return integral;
}
double recurrence_stable(double scale)
{
    double integral = 0.0;
    for (int n = 40; n > 18; n--)
        integral = (scale - integral) / n;
    return integral;
}

/* (x - 2)^7. */
double power_naive(double x)
{
    return ((((((x - 14.0) * x + 84.0) * x - 280.0) * x + 560.0) * x - 672.0) * x + 448.0) * x - 128.0;
}
double power_stable(double x)
{
    double d = x - 2.0, square = d * d;
    return square * square * square * d;
}

double sqrt_difference_naive(double x) { return sqrt(x + 1.0) - sqrt(x); }
double sqrt_difference_stable(double x) { return 1.0 / (sqrt(x + 1.0) + sqrt(x)); }

double reciprocals_naive(double x) { return 1.0 / (x + 1.0) - 1.0 / x; }
double reciprocals_stable(double x) { return -1.0 / (x * (x + 1.0)); }

double tanh_naive(double x) { return (exp(x) - exp(-x)) / (exp(x) + exp(-x)); }
double tanh_stable(double x) { return tanh(x); }

double atanh_naive(double x) { return log((1.0 + x) / (1.0 - x)) / 2.0; }
double atanh_stable(double x) { return atanh(x); }

/* e^-x for positive x, by a series of alternating terms and by the reciprocal of one without. */
double exp_series_naive(double x)
{
    double sum = 1.0, term = 1.0;
    for (int n = 1; n < 80; n++) {
        term *= -x / n;
        sum += term;
    }
    return sum;
}
double exp_series_stable(double x)
{
    double sum = 1.0, term = 1.0;
    for (int n = 1; n < 80; n++) {
        term *= x / n;
        sum += term;
    }
    return 1.0 / sum;
}

/* (e^x - 1) / x: both divide something that cancels, but the second cancels alike in both. */
double relative_exp_naive(double x) { return (exp(x) - 1.0) / x; }
double relative_exp_stable(double x)
{
    double y = exp(x);
    return y == 1.0 ? 1.0 : (y - 1.0) / log(y);
}

/* The area of a triangle with sides a >= b >= c: Heron's formula and Kahan's. */
double triangle_naive(double a, double b, double c)
{
    double s = (a + b + c) / 2.0;
    return sqrt(s * (s - a) * (s - b) * (s - c));
}
double triangle_stable(double a, double b, double c)
{
    return sqrt((a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c))) / 4.0;
}

/* log of the sum of exponentials. */
double log_sum_exp_naive(double x, double y) { return log(exp(x) + exp(y)); }
double log_sum_exp_stable(double x, double y)
{
    double m = fmax(x, y), d = fmin(x, y) - m;
    return m + log1p(exp(d));
}

/* log(x) - log(y) for close numbers. */
double log_ratio_naive(double x, double y) { return log(x) - log(y); }
double log_ratio_stable(double x, double y) { return log1p((x - y) / y); }

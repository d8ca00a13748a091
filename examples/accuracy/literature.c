/* What the literature searches for large errors (Guo, Rubio-Gonzalez, "Efficient Generation of Error-Inducing Floating-Point Inputs via
   Symbolic Execution", ICSE 2020): sums, matrices and weighted statistics, written anew from their definitions, in double throughout. */
#include <math.h>

double recursive_sum(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static double halves(const double *x, int n)
{
    return n == 1 ? x[0] : halves(x, n / 2) + halves(x + n / 2, n - n / 2);
}
double pairwise_sum(const double *x, int n) { return n < 1 ? 0.0 : halves(x, n); }

double compensated_sum(const double *x, int n)
{
    double sum = 0.0, lost = 0.0;
    for (int i = 0; i < n; i++) {
        double added = x[i] - lost, next = sum + added;
        lost = (next - sum) - added;
        sum = next;
    }
    return sum;
}

/* A vector's sum, taken from its end. */
double sum(const double *x, int n)
{
    double sum = 0.0;
    while (n-- > 0)
        sum += x[n];
    return sum;
}

double norm1(const double x[4]) { return fabs(x[0]) + fabs(x[1]) + fabs(x[2]) + fabs(x[3]); }
double norm2(const double x[4]) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]); }

double dot(const double x[4], const double y[4])
{
    double sum = 0.0;
    for (int i = 0; i < 4; i++)
        sum += x[i] * y[i];
    return sum;
}

void conv(const double x[4], const double y[4], double out[7])
{
    for (int k = 0; k < 7; k++) {
        double sum = 0.0;
        for (int i = 0; i < 4; i++)
            if (k >= i && k - i < 4)
                sum += x[i] * y[k - i];
        out[k] = sum;
    }
}

void mv(const double a[16], const double x[4], double out[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = dot(a + 4 * i, x);
}

void mm(const double a[16], const double b[16], double out[16])
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            double sum = 0.0;
            for (int k = 0; k < 4; k++)
                sum += a[4 * i + k] * b[4 * k + j];
            out[4 * i + j] = sum;
        }
}

/* Gaussian elimination with partial pivoting. */
void lu(double a[16])
{
    for (int k = 0; k < 4; k++) {
        int pivot = k;
        for (int i = k + 1; i < 4; i++)
            if (fabs(a[4 * i + k]) > fabs(a[4 * pivot + k]))
                pivot = i;
        if (a[4 * pivot + k] == 0.0)
            continue;
        for (int j = 0; j < 4 && pivot != k; j++) {
            double other = a[4 * k + j];
            a[4 * k + j] = a[4 * pivot + j];
            a[4 * pivot + j] = other;
        }
        for (int i = k + 1; i < 4; i++) {
            a[4 * i + k] /= a[4 * k + k];
            for (int j = k + 1; j < 4; j++)
                a[4 * i + j] -= a[4 * i + k] * a[4 * k + j];
        }
    }
}

/* Householder's reflections; R is left in the upper triangle. */
void qr(double a[16])
{
    for (int k = 0; k < 3; k++) {
        double norm = 0.0, v[4] = {0}, square = 0.0;
        for (int i = k; i < 4; i++)
            norm += a[4 * i + k] * a[4 * i + k];
        norm = sqrt(norm);
        if (norm == 0.0)
            continue;
        for (int i = k; i < 4; i++)
            v[i] = a[4 * i + k];
        v[k] += a[4 * k + k] < 0.0 ? -norm : norm;
        for (int i = k; i < 4; i++)
            square += v[i] * v[i];
        for (int j = k; j < 4; j++) {
            double product = 0.0;
            for (int i = k; i < 4; i++)
                product += v[i] * a[4 * i + j];
            for (int i = k; i < 4; i++)
                a[4 * i + j] -= 2.0 * product / square * v[i];
        }
    }
}

double wmean(const double *w, const double *x, int n)
{
    double mean = 0.0, weight = 0.0;
    for (int i = 0; i < n; i++)
        if (w[i] > 0.0) {
            weight += w[i];
            mean += (x[i] - mean) * (w[i] / weight);
        }
    return mean;
}

/* The weighted mean of |x - mean|^power, or of its signed power where that is odd, updated as GSL does. */
static double moment(const double *w, const double *x, int n, double mean, double scale, int power)
{
    double moment = 0.0, weight = 0.0;
    for (int i = 0; i < n; i++)
        if (w[i] > 0.0) {
            double distance = (x[i] - mean) / scale, term = distance;
            for (int k = 1; k < power; k++)
                term *= distance;
            weight += w[i];
            moment += (term - moment) * (w[i] / weight);
        }
    return moment;
}

static double factor(const double *w, int n)
{
    double a = 0.0, b = 0.0;
    for (int i = 0; i < n; i++)
        if (w[i] > 0.0) {
            a += w[i];
            b += w[i] * w[i];
        }
    return a * a / (a * a - b);
}

double wvariance_w(const double *w, const double *x, int n, double mean) { return moment(w, x, n, mean, 1.0, 2); }
double wsd_w(const double *w, const double *x, int n, double mean) { return sqrt(wvariance_w(w, x, n, mean)); }
double wvariance_m(const double *w, const double *x, int n, double mean)
{
    return factor(w, n) * moment(w, x, n, mean, 1.0, 2);
}
double wsd_m(const double *w, const double *x, int n, double mean) { return sqrt(wvariance_m(w, x, n, mean)); }
double wvariance(const double *w, const double *x, int n) { return wvariance_m(w, x, n, wmean(w, x, n)); }
double wsd(const double *w, const double *x, int n) { return sqrt(wvariance(w, x, n)); }

double wtss_m(const double *w, const double *x, int n, double mean)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        if (w[i] > 0.0)
            sum += w[i] * (x[i] - mean) * (x[i] - mean);
    return sum;
}
double wtss(const double *w, const double *x, int n) { return wtss_m(w, x, n, wmean(w, x, n)); }

double wabsdev_m(const double *w, const double *x, int n, double mean)
{
    double deviation = 0.0, weight = 0.0;
    for (int i = 0; i < n; i++)
        if (w[i] > 0.0) {
            weight += w[i];
            deviation += (fabs(x[i] - mean) - deviation) * (w[i] / weight);
        }
    return deviation;
}
double wabsdev(const double *w, const double *x, int n) { return wabsdev_m(w, x, n, wmean(w, x, n)); }

double wskew_m(const double *w, const double *x, int n, double mean, double sd) { return moment(w, x, n, mean, sd, 3); }
double wskew(const double *w, const double *x, int n) { return wskew_m(w, x, n, wmean(w, x, n), wsd(w, x, n)); }
double wkurtosis_m(const double *w, const double *x, int n, double mean, double sd)
{
    return moment(w, x, n, mean, sd, 4) - 3.0;
}
double wkurtosis(const double *w, const double *x, int n) { return wkurtosis_m(w, x, n, wmean(w, x, n), wsd(w, x, n)); }

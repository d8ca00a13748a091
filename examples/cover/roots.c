#include <math.h>

/* How many real roots x^2 + p x + q has, as doubles tell. */
int roots(double p, double q) {
    double half = p / 2, d = half * half - q;
    if (d < 0)
        return 0;
    double s = sqrt(d);
    if (d > 0 && s == 0)
        return -1;
    if (-half + s == -half - s)
        return 1;
    if (s != s)
        return -2;
    return 2;
}

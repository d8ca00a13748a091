#include <math.h>
/* Digits are lost only where inputs stand in a relation to each other. */
double tripled(double x, double y, double a, double b) {
    if (x > 1234.5678 && y == x * 3) return (a + b) - a;
    return a;
}
double circle(double x, double y, double a) {
    if (x * x + y * y == 25.0 && x != 0 && y != 0 && a > 1.0) return (a + x) - a;
    return a;
}
double thin(double a, double b, double c) {
    if (a > b * c && a < b * c + 1e-9 && b > 3 && c > 7) return (a - b * c) * 1e9;
    return a;
}
double affine(double x, double y, double z) {
    if (2 * x + 3 * y == 5 * z && x > 10 && z > 100) return sqrt(x * x + 1e-30) - x + y * 1e-300;
    return x;
}
double logratio(double p, double q, double r) {
    if (p == q + r && q > 50 && r > 70) return log(p * (1 / q) * (q / (q + r)));
    return p;
}
double discriminant(double a, double b, double c) {
    if (a > 1 && c > 1 && b == a + c + 1) return b * b - 4 * a * c - (b * b - 4 * a * c + 1e-3) ;
    return a;
}
double mean(double x, double y, double m) {
    if (m == (x + y) / 2 && x > 100 && y > 300) return (x - m) + (y - m) + 1e-18;
    return x;
}
double hidden(double x, double y) {
    double u = x * 7 - 3, v = y * 11 + 5;
    if (u == v && x > 17) return (u * u - v * y) - (v * v - u * y) + (x / 3 - (x - 2) / 3);
    return x;
}
double chain(double a, double b, double c, double d) {
    if (b == a + 1 && c == b * 2 && d > c) return ((d + a) - d) - a * 0.999999999;
    return a;
}
double sine(double x, double y, double k) {
    if (y == x + 3 && k > 1 && k < 2) return sin(k * x * 0.1 + y * 0.01);
    return x;
}
double cubic(double x, double y) {
    if (x > 2 && y > x * x * x - 1e-7 && y < x * x * x) return 1 / (y - x * x * x);
    return x;
}
double ordered(double a, double b, double c) {
    if (a == b * b && c == b + a && b > 1000) return (c * c - a * a) - b * (c + a);
    return a;
}

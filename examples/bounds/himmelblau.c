// Himmelblau's function.
// x1 in [-5, 5]
// x2 in [-5, 5]

double himmelblau(double x1, double x2) {
    double a = x1 * x1 + x2 - 11.0;
    double b = x1 + x2 * x2 - 7.0;
    return a * a + b * b;
}

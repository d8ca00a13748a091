/* Halves before it adds, so that the sum cannot overflow. */
double midpoint(double a, double b) {
    return a / 2 + b / 2;
}

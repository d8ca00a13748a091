/* Halves and the larger of two. */
double midpoint(double a, double b);
double larger(double a, double b);

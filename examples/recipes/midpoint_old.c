/* The first version: the sum overflows where the midpoint does not. */
double midpoint(double a, double b) {
    return (a + b) / 2;
}

// The sine's Taylor polynomial of degree seven.
// x in [-1.57079632679, 1.57079632679]

double sine(double x) {
    return x - (x * x * x) / 6.0 + (x * x * x * x * x) / 120.0 - (x * x * x * x * x * x * x) / 5040.0;
}

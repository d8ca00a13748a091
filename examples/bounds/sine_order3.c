// A cubic near the sine.
// x in [-2, 2]

double sine_order3(double x) {
    return 0.954929658551372 * x - 0.12900613773279798 * (x * x * x);
}

// A polynomial of the proof of Kepler's conjecture.
// x1 in [4, 6.36]
// x2 in [4, 6.36]
// x3 in [4, 6.36]
// x4 in [4, 6.36]

double kepler1(double x1, double x2, double x3, double x4) {
    return x1 * x4 * (-x1 + x2 + x3 - x4) + x2 * (x1 - x2 + x3 + x4) + x3 * (x1 + x2 - x3 + x4) - x2 * x3 * x4 - x1 * x3 - x1 * x2 - x4;
}

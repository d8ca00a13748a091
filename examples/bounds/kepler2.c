// A polynomial of the proof of Kepler's conjecture.
// x1 in [4, 6.36]
// x2 in [4, 6.36]
// x3 in [4, 6.36]
// x4 in [4, 6.36]
// x5 in [4, 6.36]
// x6 in [4, 6.36]

double kepler2(double x1, double x2, double x3, double x4, double x5, double x6) {
    return x1 * x4 * (-x1 + x2 + x3 - x4 + x5 + x6) + x2 * x5 * (x1 - x2 + x3 + x4 - x5 + x6) + x3 * x6 * (x1 + x2 - x3 + x4 + x5 - x6)
    - x2 * x3 * x4 - x1 * x3 * x5 - x1 * x2 * x6 - x4 * x5 * x6;
}

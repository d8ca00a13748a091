// A term of a turbine's design.
// v in [-4.5, -0.3]
// w in [0.4, 0.9]
// r in [3.8, 7.8]

double turbine2(double v, double w, double r) {
    return 6.0 * v - 0.5 * v * (w * w * r * r) / (1.0 - v) - 2.5;
}

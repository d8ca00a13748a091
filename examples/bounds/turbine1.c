// A term of a turbine's design.
// v in [-4.5, -0.3]
// w in [0.4, 0.9]
// r in [3.8, 7.8]

double turbine1(double v, double w, double r) {
    return 3.0 + 2.0 / (r * r) - 0.125 * (3.0 - 2.0 * v) * (w * w * r * r) / (1.0 - v) - 4.5;
}

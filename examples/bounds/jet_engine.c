// A jet engine's controller.
// x1 in [-5, 5]
// x2 in [-20, 5]

double jet_engine(double x1, double x2) {
    double t = 3.0 * x1 * x1 + 2.0 * x2 - x1;
    double u = 3.0 * x1 * x1 - 2.0 * x2 - x1;
    double d = x1 * x1 + 1.0;
    double s = t / d;
    double q = u / d;
    return x1 + ((2.0 * x1 * s * (s - 3.0) + x1 * x1 * (4.0 * s - 6.0)) * d + 3.0 * x1 * x1 * s + x1 * x1 * x1 + x1 + 3.0 * q);
}

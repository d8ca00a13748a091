// The frequency that a moving observer hears, over another range.
// u in [-30, 120]
// v in [320, 20300]
// T in [-50, 30]

double doppler3(double u, double v, double T) {
    double speed = 331.4 + 0.6 * T;
    return (-speed * v) / ((speed + u) * (speed + u));
}

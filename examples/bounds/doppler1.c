// The frequency that a moving observer hears.
// u in [-100, 100]
// v in [20, 20000]
// T in [-30, 50]

double doppler1(double u, double v, double T) {
    double speed = 331.4 + 0.6 * T;
    return (-speed * v) / ((speed + u) * (speed + u));
}

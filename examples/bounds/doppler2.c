// The frequency that a moving observer hears, over a larger range.
// u in [-125, 125]
// v in [15, 25000]
// T in [-40, 60]

double doppler2(double u, double v, double T) {
    double speed = 331.4 + 0.6 * T;
    return (-speed * v) / ((speed + u) * (speed + u));
}

// The position of a two-wheeled robot from its wheels' speeds, by Taylor expansions of sine and cosine, 100 steps;
// a program of the FPBench suite (odometer).
double odometer(double sl, double sr) {
    double c = 12.34;
    double l = 0.1;
    double x = 0, y = 0, theta = 0;
    int j = 0;
    for (int i = 0; i < 100; i++) {
        double dl = c * sl;
        double dr = c * sr;
        double d = (dl + dr) * 0.5;
        double dt = (dr - dl) * (1 / l);
        double a = theta + dt * 0.5;
        double cosi = 1 - a * a * 0.5 + a * a * a * a * 0.0416666666;
        x += d * cosi;
        double sini = a - a * a * a * 0.1666666666 + a * a * a * a * a * 0.008333333;
        y += d * sini;
        theta += dt;
        if (j == 50) {
            double swapped = sl;
            sl = sr;
            sr = swapped;
        }
        j = j == 50 ? 0 : j + 1;
    }
    return x;
}

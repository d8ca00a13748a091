// A jet engine controller's state update; a program of the FPBench suite (jetEngine).
double jetengine(double x1, double x2) {
    double t = 3 * x1 * x1 + 2 * x2 - x1;
    double u = 3 * x1 * x1 - 2 * x2 - x1;
    double d = x1 * x1 + 1;
    double s = t / d;
    double q = u / d;
    return x1 + ((2 * x1 * s) * (s - 3) + x1 * x1 * (4 * s - 6)) * d + 3 * x1 * x1 * s + x1 * x1 * x1 + x1 + 3 * q;
}

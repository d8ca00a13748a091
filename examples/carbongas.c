// Van der Waals' equation of state for carbon dioxide; a program of the FPBench suite (carbonGas).
double carbongas(double v) {
    double p = 3.5e7;
    double a = 0.401;
    double b = 42.7e-6;
    double t = 300;
    double n = 1000;
    double k = 1.3806503e-23;
    return (p + a * (n / v) * (n / v)) * (v - n * b) - k * n * t;
}

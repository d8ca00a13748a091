// Van der Waals's equation for carbon dioxide.
// v in [0.1, 0.5]

double carbon_gas(double v) {
    double p = 3.5e7;
    double a = 0.401;
    double b = 42.7e-6;
    double t = 300.0;
    double n = 1000.0;
    double k = 1.3806503e-23;
    return (p + a * (n / v) * (n / v)) * (v - n * b) - k * n * t;
}

// One of the three results of a gas turbine's blade computation; a program of the FPBench suite (turbine3).
double turbine3(double v, double w, double r) {
    return 3 - 2 / (r * r) - 0.125 * (1 + 2 * v) * (w * w * r * r) / (1 - v) - 0.5;
}

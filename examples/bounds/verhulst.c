// Verhulst's growth of a population.
// x in [0.1, 0.3]

double verhulst(double x) {
    return (4.0 * x) / (1.0 + x / 1.11);
}

// A population that is preyed upon.
// x in [0.1, 0.3]

double predator_prey(double x) {
    return (4.0 * x * x) / (1.0 + (x / 1.11) * (x / 1.11));
}

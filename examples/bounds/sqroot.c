// Taylor's polynomial of the square root of 1 + x.
// x in [0, 1]

double sqroot(double x) {
    return 1.0 + 0.5 * x - 0.125 * x * x + 0.0625 * x * x * x - 0.0390625 * x * x * x * x;
}

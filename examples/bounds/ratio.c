// Near one for large operands.
// t in [0, 999]

double ratio(double t) {
    return t / (t + 1.0);
}

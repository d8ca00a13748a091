// A term of the motion of a rigid body, of degree four.
// x1 in [-15, 15]
// x2 in [-15, 15]
// x3 in [-15, 15]

double rigid_body2(double x1, double x2, double x3) {
    return 2.0 * (x1 * x2 * x3) + 3.0 * (x3 * x3) - x2 * (x1 * x2 * x3) + 3.0 * (x3 * x3) - x2;
}

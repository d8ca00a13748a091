// A term of the motion of a rigid body.
// x1 in [-15, 15]
// x2 in [-15, 15]
// x3 in [-15, 15]

double rigid_body1(double x1, double x2, double x3) {
    return -(x1 * x2) - 2.0 * (x2 * x3) - x1 - x3;
}

// A test function of global optimisation.
// x1 in [0, 1]
// x2 in [0, 1]
// x3 in [0, 1]
#include <math.h>

double hartman3(double x1, double x2, double x3) {
    double d11 = x1 - 0.3689;
    double d12 = x2 - 0.117;
    double d13 = x3 - 0.2673;
    double e1 = 3.0 * (d11 * d11) + 10.0 * (d12 * d12) + 30.0 * (d13 * d13);
    double d21 = x1 - 0.4699;
    double d22 = x2 - 0.4387;
    double d23 = x3 - 0.747;
    double e2 = 0.1 * (d21 * d21) + 10.0 * (d22 * d22) + 35.0 * (d23 * d23);
    double d31 = x1 - 0.1091;
    double d32 = x2 - 0.8732;
    double d33 = x3 - 0.5547;
    double e3 = 3.0 * (d31 * d31) + 10.0 * (d32 * d32) + 30.0 * (d33 * d33);
    double d41 = x1 - 0.03815;
    double d42 = x2 - 0.5743;
    double d43 = x3 - 0.8828;
    double e4 = 0.1 * (d41 * d41) + 10.0 * (d42 * d42) + 35.0 * (d43 * d43);
    return -(1.0 * exp(-e1) + 1.2 * exp(-e2) + 3.0 * exp(-e3) + 3.2 * exp(-e4));
}

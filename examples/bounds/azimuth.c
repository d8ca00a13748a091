// The direction from one place on a sphere to another.
// lat1 in [0, 0.4]
// lat2 in [0.5, 1]
// lon1 in [0, 3.14159265]
// lon2 in [-3.14159265, -0.5]
#include <math.h>

double azimuth(double lat1, double lat2, double lon1, double lon2) {
    double turn = lon2 - lon1;
    return atan((cos(lat2) * sin(turn)) / (cos(lat1) * sin(lat2) - sin(lat1) * cos(lat2) * cos(turn)));
}

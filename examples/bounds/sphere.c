// A coordinate of a point on a sphere.
// x in [-10, 10]
// r in [0, 10]
// lat in [-1.570796, 1.570796]
// lon in [-3.14159265, 3.14159265]
#include <math.h>

double sphere(double x, double r, double lat, double lon) {
    return x + r * sin(lat) * cos(lon);
}

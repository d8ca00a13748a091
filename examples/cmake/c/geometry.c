#include "geometry.h"

/* Halves come first, so that the sum cannot overflow. */
double midpoint(double a, double b) {
    return a / 2 + b / 2;
}

double larger(double a, double b) {
    return a > b ? a : b;
}

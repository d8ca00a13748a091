#include <cmath>

namespace signal_processing {

/// The amplitude of a signal with two components. Squares overflow long before their root does.
double amplitude(double re, double im) {
    return std::sqrt(re * re + im * im);
}

/// A gain of six decibels: a product with a power of two is exact.
double gain(double x) {
    return 2 * x;
}

}

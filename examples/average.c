// Five ways to the average of two numbers, from the second section of Barr, Vo, Le, Su, "Automatic Detection of
// Floating-Point Exceptions" (POPL 2013). They are one function over the reals.

// Overflows where the sum of x and y does.
double average1(double x, double y) {
    return (x + y) / 2;
}

// Cannot overflow; halving an odd subnormal number underflows.
double average2(double x, double y) {
    return x / 2 + y / 2;
}

// Overflows where x and y are large and of different signs.
double average3(double x, double y) {
    return x + (y - x) / 2;
}

// The same, seen from y.
double average4(double x, double y) {
    return y + (x - y) / 2;
}

// Each formula where it is safe: for finite numbers no overflow, no invalid operation and no division by zero.
// Underflow is left: (y - x) / 2 halves an odd subnormal number.
double average(double x, double y) {
    int same_sign = (x >= 0) == (y >= 0);
    if (!same_sign) {
        return average1(x, y);
    }
    return y >= x ? average3(x, y) : average4(x, y);
}

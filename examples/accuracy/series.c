/* The exponential function by six terms of its series: near one it is off by far more than rounding. */
double exp_series(double x)
{
    double sum = 1.0, term = 1.0;
    for (int k = 1; k < 6; k++) {
        term *= x / k;
        sum += term;
    }
    return sum;
}

/* The inner product of x and y. */
double dot(const double *x, const double *y, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

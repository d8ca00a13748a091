/* The sums of Guo, Rubio-Gonzalez, "Efficient Generation of Error-Inducing Floating-Point Inputs via Symbolic Execution", ICSE 2020, which
   are no library's. */

double recursive_sum(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static double halves(const double *x, int n)
{
    return n == 1 ? x[0] : halves(x, n / 2) + halves(x + n / 2, n - n / 2);
}
double pairwise_sum(const double *x, int n) { return n < 1 ? 0.0 : halves(x, n); }

double compensated_sum(const double *x, int n)
{
    double sum = 0.0, lost = 0.0;
    for (int i = 0; i < n; i++) {
        double added = x[i] - lost, next = sum + added;
        lost = (next - sum) - added;
        sum = next;
    }
    return sum;
}

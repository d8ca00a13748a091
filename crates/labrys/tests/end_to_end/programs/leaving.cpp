#include <complex>
#include <cstdlib>
#include <vector>
#include <verifier.h>

struct Ledger {
    std::vector<double> entries;
    double total = 0;
    void add(double x) {
        entries.push_back(x);
        total += x;
    }
    ~Ledger() {
        double sum = 0;
        for (double x : entries) sum += x;
        if (sum != total) abort();
    }
};

static Ledger &ledger() {
    static Ledger only;
    return only;
}

int main() {
    double x = __VERIFIER_nondet_double();
    if (!(std::abs(x) < 1e6)) return 1;
    std::complex<double> z(x, 1);
    z *= std::complex<double>(0, 1);
    ledger().add(z.imag());
    if (x == 5) ledger().total = 5; //BUG:    if (x == 5) ledger().total = 4;
    std::exit(0);
}

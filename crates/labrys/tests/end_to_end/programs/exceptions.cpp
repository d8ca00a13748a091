#include <cstdio>
#include <stdexcept>
#include <string>
#include <verifier.h>

static int live;
struct Counted {
    Counted() { live++; }
    ~Counted() { live--; }
};
struct Failure {
    int code;
};
struct Special : Failure {
    explicit Special(int code) { this->code = code; }
};

static void inner(int n) {
    Counted here;
    if (n == 1) throw Special(7);
    if (n == 2) throw std::out_of_range("two");
    if (n == 3) throw n;
    if (n == 4) throw "four";
}

static int outer(int n) {
    Counted here;
    try {
        inner(n);
    } catch (const Failure &failure) {
        return failure.code;
    } catch (int number) {
        try {
            throw;
        } catch (...) {
            return number;
        }
    } catch (const char *text) {
        return text[0] == 'f' ? 4 : 0;
    }
    return 0;
}

int main() {
    int n = __VERIFIER_nondet_int(), result = -1;
    try {
        result = outer(n);
    } catch (const std::logic_error &error) { //BUG:    } catch (const std::runtime_error &error) {
        result = 2;
    }
    __VERIFIER_assert(live == 0);
    __VERIFIER_assert(result == (n == 1 ? 7 : n >= 2 && n <= 4 ? n : 0));
}

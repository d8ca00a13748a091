// expect: holds
// An evaluator of expressions with a variable, parentheses and signs agrees with the compiler on five expressions.
#include <assert.h>
#include <klee/klee.h>

struct evaluator {
    const char *at;
    double x;
    int depth, failed;
};

static double sum(struct evaluator *e);

static double primary(struct evaluator *e) {
    if (*e->at == '-') {
        e->at++;
        return -primary(e);
    }
    if (*e->at == '(') {
        e->at++;
        if (++e->depth > 10) e->failed = 1;
        double value = e->failed ? 0.0 : sum(e);
        if (*e->at == ')')
            e->at++;
        else
            e->failed = 1;
        e->depth--;
        return value;
    }
    if (*e->at == 'x') {
        e->at++;
        return e->x;
    }
    if (*e->at >= '0' && *e->at <= '9') return *e->at++ - '0';
    e->failed = 1;
    return 0.0;
}

static double product(struct evaluator *e) {
    double value = primary(e);
    while (!e->failed && (*e->at == '*' || *e->at == '/')) {
        char operator = *e->at++;
        double right = primary(e);
        value = operator == '*' ? value * right : value / right;
    }
    return value;
}

static double sum(struct evaluator *e) {
    double value = product(e);
    while (!e->failed && (*e->at == '+' || *e->at == '-')) {
        char operator = *e->at++;
        double right = product(e);
        value = operator == '+' ? value + right : value - right;
    }
    return value;
}

int main(void) {
    static const char *const texts[5] = {"x*x+1", "(x+1)*(x-1)", "-x/(2+x*x)", "9-x-4", "((x))*2"};
    unsigned which;
    double x;
    klee_make_symbolic(&which, sizeof which, "which");
    klee_make_symbolic(&x, sizeof x, "x");
    klee_assume(which < 5 && x >= -100.0 && x <= 100.0);
    double direct[5] = {x * x + 1.0, (x + 1.0) * (x - 1.0), -x / (2.0 + x * x), 9.0 - x - 4.0, x * 2.0};
    struct evaluator e = {texts[which], x, 0, 0};
    double value = sum(&e);
    assert(!e.failed && *e.at == '\0');
    assert(value == direct[which]);
    return 0;
}

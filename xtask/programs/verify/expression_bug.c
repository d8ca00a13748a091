// expect: violated division-by-zero at 31
// input: text=312f302b32
// An evaluator of sums and products of digits divides by zero where the text says so.
#include <assert.h>
#include <klee/klee.h>

enum { LENGTH = 5 };

struct parser {
    const char *at;
    int failed;
};

static int digit(struct parser *p) {
    if (*p->at < '0' || *p->at > '9') {
        p->failed = 1;
        return 0;
    }
    return *p->at++ - '0';
}

static int product(struct parser *p) {
    int value = digit(p);
    while (!p->failed && (*p->at == '*' || *p->at == '/')) {
        char operator = *p->at++;
        int right = digit(p);
        if (p->failed) break;
        if (operator == '*') {
            value *= right;
        } else {
            value /= right;
        }
    }
    return value;
}

static int sum(struct parser *p) {
    int value = product(p);
    while (!p->failed && (*p->at == '+' || *p->at == '-')) {
        char operator = *p->at++;
        int right = product(p);
        value = operator == '+' ? value + right : value - right;
    }
    return value;
}

int main(void) {
    char text[LENGTH + 1];
    klee_make_symbolic(text, LENGTH, "text");
    text[LENGTH] = '\0';
    struct parser p = {text, 0};
    int value = sum(&p);
    assert(p.at <= text + LENGTH);
    if (!p.failed) assert(value >= -81 && value <= 729);
    return 0;
}

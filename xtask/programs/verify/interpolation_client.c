// expect: holds
// A client of an interpolation library looks up a value between two points and frees its objects once.
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>

struct interpolation {
    size_t count;
    double *x, *y;
};

static struct interpolation *interpolation_alloc(size_t count) {
    struct interpolation *p = malloc(sizeof *p);
    if (!p) exit(0);
    p->count = count;
    p->x = calloc(count, sizeof *p->x);
    p->y = calloc(count, sizeof *p->y);
    if (!p->x || !p->y) exit(0);
    return p;
}

static void interpolation_free(struct interpolation *p) {
    free(p->x);
    free(p->y);
    free(p);
}

static double evaluate(const struct interpolation *p, double x) {
    size_t i = 0;
    while (i + 2 < p->count && x >= p->x[i + 1]) i++;
    double t = (x - p->x[i]) / (p->x[i + 1] - p->x[i]);
    return p->y[i] + t * (p->y[i + 1] - p->y[i]);
}

int main(void) {
    double x;
    klee_make_symbolic(&x, sizeof x, "x");
    klee_assume(x >= 0.0 && x <= 3.0);
    struct interpolation *p = interpolation_alloc(4);
    for (size_t i = 0; i < 4; i++) {
        p->x[i] = (double)i;
        p->y[i] = (double)(i * i);
    }
    double y = evaluate(p, x);
    assert(y >= 0.0 && y <= 9.0);
    interpolation_free(p);
    return 0;
}

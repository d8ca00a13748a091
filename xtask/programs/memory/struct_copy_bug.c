// expect: violated out-of-bounds at 15
// input: i=03000000
// Copies a whole structure out of an array of three.
#include <klee/klee.h>

struct point {
    double x, y, z;
};

int main(void) {
    struct point points[3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}};
    unsigned i;
    klee_make_symbolic(&i, sizeof i, "i");
    if (i > 3) return 0;
    struct point p = points[i];
    return p.x > 2.0;
}

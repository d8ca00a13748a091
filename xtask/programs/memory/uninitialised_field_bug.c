// expect: violated uninitialised at 24
// input: detailed=00000000
// One way of making a structure leaves a field without a value.
#include <klee/klee.h>

struct shape {
    int sides, has_area;
    double area;
};

static void make(struct shape *s, int detailed) {
    s->sides = 3;
    if (detailed) {
        s->has_area = 1;
        s->area = 0.5;
    }
}

int main(void) {
    struct shape s;
    int detailed;
    klee_make_symbolic(&detailed, sizeof detailed, "detailed");
    make(&s, detailed);
    if (s.has_area == 1)
        return s.sides != 3;
    return 0;
}

// expect: violated out-of-bounds at 26
// input: points=0000003f0000d040
// A histogram over the plane compares the second coordinate with the first one's limit.
#include <assert.h>
#include <klee/klee.h>

enum { COLUMNS = 8, ROWS = 4 };

struct histogram {
    float low[2], width[2];
    int outside;
    int counts[ROWS][COLUMNS];
};

static void enter(struct histogram *h, float x, float y) {
    float column = (x - h->low[0]) / h->width[0];
    float row = (y - h->low[1]) / h->width[1];
    if (!(column >= 0.0f && column < COLUMNS)) {
        h->outside++;
        return;
    }
    if (!(row >= 0.0f && row < COLUMNS)) {
        h->outside++;
        return;
    }
    h->counts[(int)row][(int)column]++;
}

int main(void) {
    struct histogram h = {{0.0f, 0.0f}, {0.25f, 1.0f}, 0, {{0}}};
    float points[2];
    klee_make_symbolic(points, sizeof points, "points");
    enter(&h, points[0], points[1]);
    int total = h.outside;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) total += h.counts[r][c];
    assert(total == 1);
    if (points[0] != points[0]) assert(h.outside == 1);
    return 0;
}

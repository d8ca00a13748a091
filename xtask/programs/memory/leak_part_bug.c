// expect: violated leak at 13
// check: leaks
// A structure is freed, and what it points to is not.
#include <stdlib.h>

struct box {
    int *content;
};

static void work(void) {
    struct box *box = malloc(sizeof *box);
    if (!box) return;
    box->content = malloc(12);
    free(box);
}

int main(void) {
    work();
    return 0;
}

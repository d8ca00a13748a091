// expect: violated out-of-bounds at 19
// input: __VERIFIER_nondet_uchar=02
// A structure with a flexible array is allocated with as many elements as it says.
#include <stdlib.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

struct packet {
    int count;
    int values[];
};

int main(void) {
    int count = __VERIFIER_nondet_uchar() % 4;
    struct packet *p = malloc(sizeof *p + (size_t)count);
    if (!p) return 0;
    p->count = count;
    for (int i = 0; i < p->count; i++)
        p->values[i] = i;
    free(p);
    return 0;
}

// expect: holds
// A field of a structure that is not there for every key.
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);

struct entry {
    int key;
    double value;
};

static struct entry *find(struct entry *table, int key) {
    for (int i = 0; i < 2; i++)
        if (table[i].key == key) return &table[i];
    return NULL;
}

int main(void) {
    struct entry table[2] = {{1, 1.5}, {3, 2.5}};
    struct entry *found = find(table, __VERIFIER_nondet_int());
    if (!found) return 0;
    return found->value < 1.0;
}

// expect: holds
// Binary search for a double in eight sorted ones finds the first that is not less.
#include <assert.h>
#include <klee/klee.h>

enum { COUNT = 8 };

/* The index of the first element that is not less than the key; COUNT if there is none. */
static int lower_bound(const double *table, double key) {
    int low = 0, high = COUNT;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (table[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int main(void) {
    double table[COUNT], key;
    klee_make_symbolic(table, sizeof table, "table");
    klee_make_symbolic(&key, sizeof key, "key");
    for (int i = 1; i < COUNT; i++) klee_assume(table[i - 1] <= table[i]);
    int at = lower_bound(table, key);
    assert(at >= 0 && at <= COUNT);
    if (at < COUNT) assert(!(table[at] < key));
    if (at > 0) assert(table[at - 1] < key);
    return 0;
}

// expect: holds
// Goes to the n-th node of a linked list of three.
#include <klee/klee.h>
#include <stddef.h>

struct node {
    struct node *next;
    int value;
};

int main(void) {
    struct node c = {NULL, 3}, b = {&c, 2}, a = {&b, 1}, *at = &a;
    unsigned n;
    klee_make_symbolic(&n, sizeof n, "n");
    klee_assume(n <= 5);
    for (unsigned i = 0; i < n && at; i++)
        at = at->next;
    return at && at->value > 3;
}

// expect: violated null at 17
// input: key=07000000
// Looks a key up in a binary tree in which it may be missing.
#include <klee/klee.h>
#include <stddef.h>

struct tree {
    int key;
    struct tree *children[2];
};

int main(void) {
    struct tree left = {2, {NULL, NULL}}, right = {9, {NULL, NULL}}, root = {5, {&left, &right}};
    const struct tree *at = &root;
    int key;
    klee_make_symbolic(&key, sizeof key, "key");
    while (at->key != key)
        at = at->children[key > at->key];
    return at && at->key != key;
}

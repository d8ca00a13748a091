// expect: violated use-after-free at 19
// Frees a list, whose next node has to be read before.
#include <stdlib.h>

struct node {
    struct node *next;
};

int main(void) {
    struct node *list = NULL;
    for (int i = 0; i < 3; i++) {
        struct node *node = malloc(sizeof *node);
        if (!node) exit(0);
        node->next = list;
        list = node;
    }
    while (list) {
        free(list);
        list = list->next;
    }
    return 0;
}

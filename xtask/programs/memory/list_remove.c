// expect: holds
// Removes the nodes with a given value from a list, the first one among them.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

int main(void) {
    int unwanted = __VERIFIER_nondet_int(), sum = 0;
    struct node *list = NULL;
    for (int i = 0; i < 3; i++) {
        struct node *node = malloc(sizeof *node);
        if (!node) exit(0);
        node->next = list;
        node->value = i;
        list = node;
    }
    struct node **link = &list;
    while (*link) {
        struct node *node = *link;
        if (node->value == unwanted) {
            *link = node->next;
            free(node);
        } else {
            link = &node->next;
        }
    }
    for (struct node *node = list; node; node = node->next)
        sum += node->value;
    return sum > 3;
}

// expect: holds
// Duplicates a text, for whose terminator there has to be room.
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char text[4];
    klee_make_symbolic(text, sizeof text, "text");
    text[3] = '\0';
    char *copy = malloc(strlen(text) + 1);
    if (!copy) return 0;
    strcpy(copy, text);
    int same = strcmp(copy, text);
    free(copy);
    return same;
}

// expect: violated out-of-bounds at 11
// input: name=6162636465666700
// Copies a name into a field of four characters.
#include <klee/klee.h>
#include <string.h>

int main(void) {
    char name[8], field[4];
    klee_make_symbolic(name, sizeof name, "name");
    name[7] = '\0';
    strcpy(field, name);
    return field[0] != name[0];
}

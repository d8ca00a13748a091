// expect: violated abort at 16
// input: opcode=04
// An interpreter aborts at an unknown instruction.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned char opcode;
    klee_make_symbolic(&opcode, sizeof opcode, "opcode");
    switch (opcode & 7) {
    case 0:
    case 1:
    case 2:
    case 3: return 0;
    default:
        if (opcode == 4) abort();
        return 0;
    }
}

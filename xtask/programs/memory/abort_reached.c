// expect: holds
// An interpreter aborts at an unknown instruction.
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
    unsigned char opcode;
    klee_make_symbolic(&opcode, sizeof opcode, "opcode");
    switch (opcode & 3) {
    case 0:
    case 1:
    case 2:
    case 3: return 0;
    default:
        abort();
        return 0;
    }
}

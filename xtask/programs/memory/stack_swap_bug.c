// expect: violated out-of-bounds at 15
// input: text=322b00
// A calculator with a stack takes more from it than is on it.
#include <klee/klee.h>

int main(void) {
    char text[3];
    int stack[3] = {0}, depth = 0;
    klee_make_symbolic(text, sizeof text, "text");
    for (int i = 0; i < 3; i++) {
        if (text[i] >= '0' && text[i] <= '9') {
            stack[depth++] = text[i] - '0';
        } else if (text[i] == '+') {
            depth--;
            stack[depth - 1] += stack[depth];
        }
    }
    return stack[0] > 27;
}

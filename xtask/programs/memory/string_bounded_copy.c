// expect: holds
// strncpy does not terminate what it cuts.
#include <klee/klee.h>
#include <string.h>

int main(void) {
    char text[7], short_text[4];
    klee_make_symbolic(text, sizeof text, "text");
    text[6] = '\0';
    strncpy(short_text, text, sizeof short_text);
    short_text[3] = '\0';
    const char *at = short_text;
    while (*at) at++;
    return at - short_text > 3;
}

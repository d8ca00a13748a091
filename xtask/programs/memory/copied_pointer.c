// expect: holds
// A structure that is copied shares what its pointer names.
#include <stdlib.h>

extern _Bool __VERIFIER_nondet_bool(void);

struct buffer {
    char *bytes;
    int length;
};

int main(void) {
    struct buffer a = {malloc(4), 4}, b;
    if (!a.bytes) return 0;
    a.bytes[0] = 'a';
    b = a;
    if (__VERIFIER_nondet_bool()) {
        free(a.bytes);
        return 0;
    }
    int wrong = b.bytes[0] != 'a';
    free(b.bytes);
    return wrong;
}

// expect: violated out-of-bounds at 12
// input: __VERIFIER_nondet_uint=09000000
// Copies a message of given length into a buffer of eight bytes.
#include <string.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    char message[16] = "0123456789abcde", buffer[8];
    unsigned length = __VERIFIER_nondet_uint();
    if (length > sizeof message) return 0;
    memcpy(buffer, message, length);
    return length > 0 && buffer[0] != '0';
}

// expect: holds
// Reads four bytes at an offset of a message of eight.
#include <stdint.h>
#include <string.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned char message[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    unsigned offset = __VERIFIER_nondet_uint();
    uint32_t word;
    if (offset > 4) return 0;
    memcpy(&word, message + offset, sizeof word);
    return word == 0;
}

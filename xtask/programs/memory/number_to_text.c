// expect: holds
// Writes a number of five digits at most, and a terminator.
extern unsigned short __VERIFIER_nondet_ushort(void);

int main(void) {
    char text[6];
    unsigned n = __VERIFIER_nondet_ushort(), rest = n;
    int length = 1;
    while (rest >= 10) {
        rest /= 10;
        length++;
    }
    text[length] = '\0';
    while (length > 0) {
        text[--length] = (char)('0' + n % 10);
        n /= 10;
    }
    return text[0] < '0';
}

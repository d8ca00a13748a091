// expect: holds
// A price below 99999 is written with two decimals into a buffer of eight characters.
#include <assert.h>

extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);

enum { SIZE = 8 };

static int write_price(char *text, int cents) {
    char reversed[16];
    int count = 0, length = 0;
    do {
        reversed[count++] = (char)('0' + cents % 10);
        cents /= 10;
        if (count == 2) reversed[count++] = '.';
    } while (cents > 0 || count < 4);
    while (count > 0) {
        text[length] = reversed[--count];
        length++;
    }
    if (length < SIZE) text[length] = '\0';
    return length;
}

int main(void) {
    char text[SIZE];
    float price = __VERIFIER_nondet_float();
    __VERIFIER_assume(price >= 0.0f && price < 99999.0f);
    int length = write_price(text, (int)(price * 100.0f));
    assert(length >= 4);
    assert(text[length - 3] == '.');
    for (int i = 0; i < length; i++) assert(text[i] == '.' || (text[i] >= '0' && text[i] <= '9'));
    return 0;
}

// expect: violated out-of-bounds at 25
// input: text=2e313265
// A reader of decimal numbers skips the character behind an e as if it were a sign, though it may be the text's end.
#include <assert.h>
#include <klee/klee.h>

enum { LENGTH = 4 };

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* [DIGITS] [. DIGITS] [e [SIGN] DIGIT], as far as there is such; what is behind is left. */
static double read_number(const char *text, const char **end) {
    double value = 0.0, scale = 1.0;
    while (is_digit(*text)) value = value * 10.0 + (*text++ - '0');
    if (*text == '.') {
        text++;
        while (is_digit(*text)) {
            value = value * 10.0 + (*text++ - '0');
            scale *= 10.0;
        }
    }
    if (*text == 'e') {
        text += 2;
        int exponent = 0;
        if (is_digit(*text)) exponent = *text++ - '0';
        for (int i = 0; i < exponent; i++) value *= 10.0;
    }
    *end = text;
    return value / scale;
}

int main(void) {
    char text[LENGTH + 1];
    const char *end;
    klee_make_symbolic(text, LENGTH, "text");
    text[LENGTH] = '\0';
    double value = read_number(text, &end);
    assert(end >= text && end <= text + LENGTH);
    assert(value >= 0.0 && value <= 99e9);
    int whole = 1, digits = 0;
    for (const char *at = text; at < end; at++) {
        if (!is_digit(*at)) whole = 0;
        digits = digits * 10 + (*at - '0');
    }
    if (whole) assert(value == (double)digits);
    return 0;
}

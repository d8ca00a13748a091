// expect: holds
// A checker of style finds words that stand twice in a row; it compares them within the text.
#include <assert.h>
#include <klee/klee.h>

enum { LENGTH = 7 };

static int is_letter(char c) { return c >= 'a' && c <= 'z'; }

static int word_length(const char *at) {
    int n = 0;
    while (is_letter(at[n])) n++;
    return n;
}

static int is_same(const char *a, const char *b, int length) {
    for (int i = 0; i < length; i++)
        if (a[i] != b[i]) return 0;
    return 1;
}

static int repeated(const char *text) {
    const char *before = text;
    int length = 0, count = 0;
    while (*text) {
        int n = word_length(text);
        if (n == 0) {
            text++;
            continue;
        }
        if (n == length && is_same(before, text, n)) count++;
        before = text;
        length = n;
        text += n;
    }
    return count;
}

int main(void) {
    char text[LENGTH + 1];
    klee_make_symbolic(text, sizeof text, "text");
    text[LENGTH] = '\0';
    int count = repeated(text);
    assert(count >= 0 && count <= LENGTH / 2);
    return 0;
}

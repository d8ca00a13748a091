// expect: violated division-by-zero at 32
// input: text=6120622063000000
// A checker of style divides the number of words by that of sentences, of which there may be none.
#include <assert.h>
#include <klee/klee.h>

enum { LENGTH = 8 };

struct counts {
    int words, sentences, letters;
};

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static struct counts count(const char *text) {
    struct counts n = {0, 0, 0};
    int in_word = 0;
    for (; *text; text++) {
        if (is_letter(*text)) {
            n.letters++;
            if (!in_word) n.words++;
            in_word = 1;
        } else {
            in_word = 0;
            if ((*text == '.' || *text == '!' || *text == '?') && n.words > 0) n.sentences++;
        }
    }
    return n;
}

static int words_per_sentence(struct counts n) {
    return n.words / n.sentences;
}

int main(void) {
    char text[LENGTH];
    klee_make_symbolic(text, sizeof text, "text");
    text[LENGTH - 1] = '\0';
    struct counts n = count(text);
    assert(n.words <= n.letters && n.letters <= LENGTH - 1);
    assert(n.words <= LENGTH / 2);
    int average = words_per_sentence(n);
    assert(average >= 0 && average <= n.words);
    return 0;
}

// expect: holds
// A checker of style counts words and sentences of a short text; without a sentence there is no average.
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
    if (n.sentences == 0) return 0;
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

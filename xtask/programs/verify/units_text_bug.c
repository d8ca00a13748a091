// expect: violated out-of-bounds at 23
// input: text=316161616161
// A converter copies a unit's name of any length into room for three letters.
#include <assert.h>
#include <klee/klee.h>
#include <string.h>

enum { LENGTH = 6 };

struct quantity {
    double amount;
    char unit[4];
};

static int is_letter(char c) { return c >= 'a' && c <= 'z'; }

static int parse(const char *text, struct quantity *q) {
    char name[4];
    int n = 0;
    if (*text < '0' || *text > '9') return 0;
    q->amount = *text++ - '0';
    while (is_letter(*text)) {
        name[n++] = *text++;
    }
    if (n < 4) name[n] = '\0';
    memcpy(q->unit, name, sizeof name);
    return n > 0;
}

static double metres(const struct quantity *q) {
    if (strcmp(q->unit, "m") == 0) return q->amount;
    if (strcmp(q->unit, "km") == 0) return q->amount * 1000.0;
    return -1.0;
}

int main(void) {
    char text[LENGTH + 1];
    struct quantity q;
    memset(&q, 0, sizeof q);
    klee_make_symbolic(text, LENGTH, "text");
    text[LENGTH] = '\0';
    if (!parse(text, &q)) return 0;
    q.unit[3] = '\0';
    double result = metres(&q);
    assert(result == -1.0 || (result >= 0.0 && result <= 9000.0));
    return 0;
}

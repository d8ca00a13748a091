/* flang's runtime: texts of characters of one byte. */

#include "fortran.h"

static size_t trimmed(const char *text, size_t length) {
    while (length > 0 && text[length - 1] == ' ') length--;
    return length;
}

/* The shorter text is taken to be followed by blanks. */
int _FortranACharacterCompareScalar1(const char *a, const char *b, size_t a_length, size_t b_length) {
    size_t longer = a_length > b_length ? a_length : b_length;
    for (size_t i = 0; i < longer; i++) {
        unsigned char x = i < a_length ? (unsigned char)a[i] : ' ', y = i < b_length ? (unsigned char)b[i] : ' ';
        if (x != y) return x < y ? -1 : 1;
    }
    return 0;
}

size_t _FortranALenTrim1(const char *text, size_t length) {
    return trimmed(text, length);
}

size_t _FortranAIndex1(const char *text, size_t length, const char *part, size_t part_length, bool back) {
    if (part_length > length) return 0;
    size_t last = length - part_length;
    for (size_t i = 0; i <= last; i++) {
        size_t at = back ? last - i : i;
        if (memcmp(text + at, part, part_length) == 0) return at + 1;
    }
    return 0;
}

static size_t find(const char *text, size_t length, const char *set, size_t set_length, bool back, bool is_in) {
    for (size_t i = 0; i < length; i++) {
        size_t at = back ? length - 1 - i : i;
        bool found = false;
        for (size_t j = 0; j < set_length; j++) found |= set[j] == text[at];
        if (found == is_in) return at + 1;
    }
    return 0;
}

size_t _FortranAScan1(const char *text, size_t length, const char *set, size_t set_length, bool back) {
    return find(text, length, set, set_length, back, true);
}

size_t _FortranAVerify1(const char *text, size_t length, const char *set, size_t set_length, bool back) {
    return find(text, length, set, set_length, back, false);
}

static char *text_result(struct descriptor *result, const struct descriptor *text, uint64_t length) {
    if (text->rank != 0 || text->type != TYPE_CHARACTER) labrys_unmodelled("a text of Fortran's that is an array, or of wide characters");
    allocate_result(result, TYPE_CHARACTER, length, 0, NULL);
    /* A scalar's memory is as long as its text. */
    free(result->base);
    result->base = (char *)malloc(length > 0 ? length : 1);
    return result->base;
}

void _FortranATrim(struct descriptor *result, const struct descriptor *text, const char *file, int line) {
    size_t length = trimmed(text->base, text->size);
    memcpy(text_result(result, text, length), text->base, length);
}

void _FortranAAdjustl(struct descriptor *result, const struct descriptor *text, const char *file, int line) {
    char *to = text_result(result, text, text->size);
    size_t blanks = 0;
    while (blanks < text->size && text->base[blanks] == ' ') blanks++;
    memset(to, ' ', text->size);
    memcpy(to, text->base + blanks, text->size - blanks);
}

void _FortranAAdjustr(struct descriptor *result, const struct descriptor *text, const char *file, int line) {
    char *to = text_result(result, text, text->size);
    size_t length = trimmed(text->base, text->size);
    memset(to, ' ', text->size);
    memcpy(to + (text->size - length), text->base, length);
}

void _FortranARepeat(struct descriptor *result, const struct descriptor *text, int64_t count, const char *file, int line) {
    char *to = text_result(result, text, count > 0 ? text->size * (uint64_t)count : 0);
    for (int64_t i = 0; i < count; i++) memcpy(to + i * (int64_t)text->size, text->base, text->size);
}

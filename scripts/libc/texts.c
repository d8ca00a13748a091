/* Names that glibc has for functions of musl, and small functions of texts. */

#include <stddef.h>
#include <string.h>
#include "labrys.h"

char *__strtok_r(char *text, const char *ends, char **rest) {
    return strtok_r(text, ends, rest);
}

/* musl's finds nothing in an empty text, not even an empty one. */
char *strcasestr(const char *text, const char *wanted) {
    size_t length = strlen(wanted);
    for (;; text++) {
        if (strncasecmp(text, wanted, length) == 0) return (char *)text;
        if (*text == 0) return NULL;
    }
}

int isascii(int c) {
    return (c & ~0x7f) == 0;
}

int toascii(int c) {
    return c & 0x7f;
}

/* The place of the lowest bit, from 1; 0 where there is none. */
int ffsll(long long number) {
    unsigned long bits = (unsigned long)number;
    int place = 1;
    if (bits == 0) return 0;
    for (int width = 32; width > 0; width /= 2) {
        int is_above = (bits & ((1ul << width) - 1)) == 0;
        bits >>= is_above ? width : 0;
        place += is_above ? width : 0;
    }
    return place;
}

int ffsl(long number) {
    return ffsll(number);
}

int ffs(int number) {
    return ffsll((unsigned)number);
}

size_t __ctype_get_mb_cur_max(void) {
    return 1;
}

void *__memcpy_chk(void *to, const void *from, size_t size, size_t room) {
    return memcpy(to, from, size);
}

char *__strcpy_chk(char *to, const char *from, size_t room) {
    return strcpy(to, from);
}

char *__strcat_chk(char *to, const char *from, size_t room) {
    return strcat(to, from);
}

char *__strncpy_chk(char *to, const char *from, size_t size, size_t room) {
    return strncpy(to, from, size);
}

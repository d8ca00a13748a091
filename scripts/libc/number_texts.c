/* Numbers as texts by functions that are not printf's kin, as glibc has them. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *gcvt(double value, int digits, char *to) {
    sprintf(to, "%.*g", digits < 17 ? digits : 17, value);
    return to;
}

char *qgcvt(long double value, int digits, char *to) {
    sprintf(to, "%.*Lg", digits < 21 ? digits : 21, value);
    return to;
}

/* A format has a precision at most. glibc aborts where it is another. */
static void check(const char *format) {
    if (*format++ != '%') abort();
    if (*format == '.')
        do format++;
        while (*format >= '0' && *format <= '9');
    if (*format == 0 || strchr("aAeEfFgG", *format) == NULL || format[1] != 0) abort();
}

int strfromd(char *to, size_t size, const char *format, double value) {
    check(format);
    return snprintf(to, size, format, value);
}

int strfromf(char *to, size_t size, const char *format, float value) {
    return strfromd(to, size, format, value);
}

/* The digits of base 64: a dot, a slash, then digits and letters. */
static const char digits[64] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/* 64 for what is none. */
static unsigned digit_of(unsigned char c) {
    if (c >= '.' && c <= '9') return c - '.';
    if (c >= 'A' && c <= 'Z') return c - 'A' + 12u;
    if (c >= 'a' && c <= 'z') return c - 'a' + 38u;
    return 64;
}

long a64l(const char *text) {
    /* 32 bits are kept of the 36. */
    unsigned value = 0;
    for (int at = 0; at < 6; at++) {
        unsigned digit = digit_of((unsigned char)text[at]);
        if (digit == 64) break;
        value |= digit << (6 * at);
    }
    return value;
}

char *l64a(long value) {
    static char text[7];
    unsigned long rest = value & 0xffffffffu;
    int length = 0;
    for (; rest != 0; rest >>= 6) text[length++] = digits[rest & 63];
    text[length] = 0;
    return text;
}

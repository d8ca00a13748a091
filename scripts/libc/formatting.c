/* Texts written into memory, as glibc writes them. A directive is taken apart here; the digits of a number are musl's, one directive at a time.
   What glibc does otherwise than C says, or than musl, and is not written out here ends the path. */

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "labrys.h"

int labrys_snprintf(char *to, size_t size, const char *format, ...);

/* Wider than any text that somebody means. */
#define WIDEST 100000

/* Where the text goes: `size` bytes, of which the last is the zero byte's; how long the whole text is, fit or not. */
struct sink {
    char *to;
    size_t size, length;
};

static void put(struct sink *sink, const char *text, size_t length) {
    if (sink->length + 1 < sink->size) {
        size_t room = sink->size - 1 - sink->length;
        memcpy(sink->to + sink->length, text, length < room ? length : room);
    }
    sink->length += length;
}

static void put_spaces(struct sink *sink, size_t count) {
    if (sink->length + 1 < sink->size) {
        size_t room = sink->size - 1 - sink->length;
        memset(sink->to + sink->length, ' ', count < room ? count : room);
    }
    sink->length += count;
}

struct directive {
    int is_left, has_plus, has_space, is_alternate, has_zeros;
    int width;
    int precision; /* -1: none */
    char size; /* of the argument: 0, h, H (hh), l, L (long double, long long), z */
    char conversion;
};

/* A text in a directive's width. */
static void put_wide(struct sink *sink, const struct directive *directive, const char *text, size_t length) {
    size_t spaces = (size_t)directive->width > length ? (size_t)directive->width - length : 0;
    if (!directive->is_left) put_spaces(sink, spaces);
    put(sink, text, length);
    if (directive->is_left) put_spaces(sink, spaces);
}

/* What musl makes of a directive and its argument goes behind what is there. */
#define PUT_NUMBER(sink, directive, modifier, argument)                                                                                 \
    do {                                                                                                                             \
        char format[16], *at = format;                                                                                               \
        *at++ = '%';                                                                                                                 \
        if ((directive)->is_left) *at++ = '-';                                                                                       \
        if ((directive)->has_plus) *at++ = '+';                                                                                      \
        if ((directive)->has_space) *at++ = ' ';                                                                                     \
        if ((directive)->is_alternate) *at++ = '#';                                                                                  \
        if ((directive)->has_zeros) *at++ = '0';                                                                                     \
        *at++ = '*', *at++ = '.', *at++ = '*';                                                                                       \
        if (modifier) *at++ = modifier;                                                                                                      \
        *at++ = (directive)->conversion, *at = 0;                                                                                    \
        size_t room = (sink)->length < (sink)->size ? (sink)->size - (sink)->length : 0;                                             \
        char *to = room > 0 ? (sink)->to + (sink)->length : NULL;                                                                    \
        if (room > INT_MAX) room = INT_MAX;                                                                                          \
        (sink)->length += (size_t)labrys_snprintf(to, room, format, (directive)->width, (directive)->precision, argument);           \
    } while (0)

static void put_integer(struct sink *sink, const struct directive *directive, va_list *arguments) {
    int is_signed = directive->conversion == 'd' || directive->conversion == 'i';
    unsigned long value;
    switch (directive->size) {
    case 0: value = is_signed ? (unsigned long)va_arg(*arguments, int) : va_arg(*arguments, unsigned); break;
    case 'h': value = is_signed ? (unsigned long)(short)va_arg(*arguments, int) : (unsigned short)va_arg(*arguments, int); break;
    case 'H': value = is_signed ? (unsigned long)(signed char)va_arg(*arguments, int) : (unsigned char)va_arg(*arguments, int); break;
    default: value = va_arg(*arguments, unsigned long);
    }
    PUT_NUMBER(sink, directive, 'l', value);
}

/* glibc's %a begins with the digit 0 where a number is subnormal, musl's with 1. */
static void put_subnormal(struct sink *sink, const struct directive *directive, double value) {
    if (directive->precision >= 0 || directive->has_zeros || directive->is_alternate)
        labrys_unmodelled("printing of a subnormal number by %a and flags");
    unsigned long bits;
    memcpy(&bits, &value, sizeof bits);
    int is_upper = directive->conversion == 'A', count = 13;
    char text[32], *at = text;
    if (bits >> 63) *at++ = '-';
    else if (directive->has_plus) *at++ = '+';
    else if (directive->has_space) *at++ = ' ';
    while ((bits & 15) == 0) bits >>= 4, count--;
    *at++ = '0', *at++ = is_upper ? 'X' : 'x', *at++ = '0', *at++ = '.';
    for (int i = count; i-- > 0;) *at++ = (is_upper ? "0123456789ABCDEF" : "0123456789abcdef")[bits >> (4 * i) & 15];
    *at++ = is_upper ? 'P' : 'p';
    memcpy(at, "-1022", 5);
    put_wide(sink, directive, text, (size_t)(at + 5 - text));
}

/* Where rounding makes one digit more, glibc's %#g forgets digits: the path ends where the rounded digits are those of a power of ten, and
   the number is none. */
static void check_alternate(const struct directive *directive, long double value) {
    int digits = directive->precision < 0 ? 6 : directive->precision == 0 ? 1 : directive->precision;
    if (value - value != 0 || value == 0) return;
    char text[64];
    if (digits > 40) labrys_unmodelled("printing by %#g with many digits");
    labrys_snprintf(text, sizeof text, "%.*Le", digits - 1, value < 0 ? -value : value);
    const char *at = text;
    if (*at++ != '1') return;
    if (*at == '.') at++;
    while (*at == '0') at++;
    if (*at != 'e') return;
    if (strtold(text, NULL) != (value < 0 ? -value : value)) labrys_unmodelled("printing by %#g where rounding makes one digit more");
}

static void put_float(struct sink *sink, const struct directive *directive, va_list *arguments) {
    int is_long = directive->size == 'L', letter = directive->conversion | 32;
    long double wide = 0;
    double value = 0;
    if (is_long) wide = labrys_few_wide(va_arg(*arguments, long double));
    else value = labrys_few_double(va_arg(*arguments, double));
    if (directive->is_alternate && letter == 'g') check_alternate(directive, is_long ? wide : (long double)value);
    if (is_long) {
        if (letter == 'a' && wide - wide == 0 && wide != 0) labrys_unmodelled("printing of a long double by %a");
        PUT_NUMBER(sink, directive, 'L', wide);
        return;
    }
    double magnitude = value < 0 ? -value : value;
    if (letter == 'a' && magnitude > 0 && magnitude < 0x1p-1022) put_subnormal(sink, directive, value);
    else PUT_NUMBER(sink, directive, 0, value);
}

static void put_text(struct sink *sink, const struct directive *directive, const char *text) {
    int precision = directive->precision;
    if (text == NULL) text = precision < 0 || precision >= 6 ? "(null)" : "";
    put_wide(sink, directive, text, precision < 0 ? strlen(text) : strnlen(text, (size_t)precision));
}

static void store_length(const struct directive *directive, va_list *arguments, size_t length) {
    switch (directive->size) {
    case 0: *va_arg(*arguments, int *) = (int)length; break;
    case 'h': *va_arg(*arguments, short *) = (short)length; break;
    case 'H': *va_arg(*arguments, signed char *) = (signed char)length; break;
    default: *va_arg(*arguments, long *) = (long)length;
    }
}

/* A number of a format; -1: beyond an int. */
static int read_number(const char **format) {
    int value = 0;
    for (; **format >= '0' && **format <= '9'; ++*format) {
        int digit = **format - '0';
        if (value < 0 || value > (INT_MAX - digit) / 10) value = -1;
        else value = 10 * value + digit;
    }
    return value;
}

/* Reads what stands behind a percent sign; 0 where the format is wrong, and errno says how. */
static int read_directive(const char **format, struct directive *directive, va_list *arguments) {
    const char *at = *format;
    *directive = (struct directive){.precision = -1};
    for (;; at++) {
        if (*at == '-') directive->is_left = 1;
        else if (*at == '+') directive->has_plus = 1;
        else if (*at == ' ') directive->has_space = 1;
        else if (*at == '#') directive->is_alternate = 1;
        else if (*at == '0') directive->has_zeros = 1;
        else if (*at != '\'' && *at != 'I') break;
    }
    errno = EOVERFLOW;
    if (*at == '*') {
        at++;
        if (*at >= '0' && *at <= '9') labrys_unmodelled("a format with numbered arguments");
        directive->width = va_arg(*arguments, int);
        if (directive->width < 0) {
            if (directive->width == INT_MIN) return 0;
            directive->is_left = 1;
            directive->width = -directive->width;
        }
    } else {
        directive->width = read_number(&at);
        if (directive->width < 0) return 0;
    }
    if (*at == '$') labrys_unmodelled("a format with numbered arguments");
    if (*at == '.') {
        at++;
        if (*at == '*') {
            at++;
            if (*at >= '0' && *at <= '9') labrys_unmodelled("a format with numbered arguments");
            directive->precision = va_arg(*arguments, int);
            if (directive->precision < 0) directive->precision = -1;
        } else if (*at == '-') {
            labrys_unmodelled("a format with a negative precision");
        } else {
            directive->precision = read_number(&at);
            if (directive->precision < 0) return 0;
        }
    }
    switch (*at) {
    case 'h':
        directive->size = at[1] == 'h' ? 'H' : 'h';
        at += at[1] == 'h' ? 2 : 1;
        break;
    case 'l':
        directive->size = at[1] == 'l' ? 'L' : 'l';
        at += at[1] == 'l' ? 2 : 1;
        break;
    case 'q': case 'L':
        directive->size = 'L';
        at++;
        break;
    case 'j': case 'z': case 't': case 'Z':
        directive->size = 'z';
        at++;
        break;
    }
    errno = EINVAL;
    directive->conversion = *at;
    if (*at == 0) return 0;
    *format = at + 1;
    return 1;
}

static void put_directive(struct sink *sink, const struct directive *directive, va_list *arguments) {
    char one;
    /* Behind sizes that are none of the conversion's glibc forgets others (%hs %Ld). */
    int is_short = directive->size == 'h' || directive->size == 'H';
    if (is_short && !strchr("diouxXn", directive->conversion)) labrys_unmodelled("printing by a size that is not the conversion's");
    if (directive->size != 0 && strchr("%mp", directive->conversion)) labrys_unmodelled("printing by a size that is not the conversion's");
    switch (directive->conversion) {
    case '%':
        put(sink, "%", 1);
        return;
    case 'd': case 'i': case 'o': case 'u': case 'x': case 'X':
        put_integer(sink, directive, arguments);
        return;
    case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
        if (directive->size == 'z') break;
        put_float(sink, directive, arguments);
        return;
    case 'c':
        if (directive->size == 'l') labrys_unmodelled("printing of wide characters");
        one = (char)va_arg(*arguments, int);
        put_wide(sink, directive, &one, 1);
        return;
    case 's':
        if (directive->size == 'l') labrys_unmodelled("printing of wide characters");
        if (directive->size != 0) break;
        put_text(sink, directive, va_arg(*arguments, const char *));
        return;
    case 'm':
        if (directive->is_alternate) break;
        put_text(sink, directive, strerror(errno));
        return;
    case 'n':
        store_length(directive, arguments, sink->length);
        return;
    case 'p':
        /* Which address an object has, nobody knows. */
        if (va_arg(*arguments, void *) != NULL) labrys_unmodelled("printing of an address");
        put_wide(sink, directive, "(nil)", 5);
        return;
    }
    labrys_unmodelled("printing by a format that is not understood");
}

int vsnprintf(char *to, size_t size, const char *format, va_list list) {
    struct sink sink = {to, size, 0};
    int before = errno, length = -1;
    va_list arguments;
    va_copy(arguments, list);
    for (;;) {
        const char *from = format;
        while (*format && *format != '%') format++;
        put(&sink, from, (size_t)(format - from));
        if (*format == 0) {
            length = (int)sink.length;
            break;
        }
        format++;
        struct directive directive;
        if (!read_directive(&format, &directive, &arguments)) break;
        errno = before;
        int is_number = strchr("diouxXeEfFgGaA", directive.conversion) != NULL;
        if (is_number && (directive.width > WIDEST || directive.precision > WIDEST)) labrys_unmodelled("a format with a huge width");
        put_directive(&sink, &directive, &arguments);
        if (sink.length > INT_MAX) {
            errno = EOVERFLOW;
            break;
        }
    }
    va_end(arguments);
    if (size > 0) to[sink.length < size ? sink.length : size - 1] = 0;
    return length;
}

int snprintf(char *to, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(to, size, format, arguments);
    va_end(arguments);
    return length;
}

int vsprintf(char *to, const char *format, va_list arguments) {
    return vsnprintf(to, SIZE_MAX, format, arguments);
}

int sprintf(char *to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsprintf(to, format, arguments);
    va_end(arguments);
    return length;
}

int vasprintf(char **to, const char *format, va_list arguments) {
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length < 0) return -1;
    char *text = malloc((size_t)length + 1);
    if (!text) return -1;
    *to = text;
    return vsnprintf(text, (size_t)length + 1, format, arguments);
}

int asprintf(char **to, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(to, format, arguments);
    va_end(arguments);
    return length;
}

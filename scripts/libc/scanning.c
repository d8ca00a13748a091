/* What sscanf reads from texts, and scanf from standard input, as glibc reads it: the longest text that begins a number of the wanted kind, as far as the width goes, is taken,
   and then read by strtol's or strtod's rules. So a text that ends within an exponent (1e, 0x1p+) is the number before that, 0x without digits is
   0 where an integer is wanted, (nil) is a pointer, and %5c takes what is there. */

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "labrys.h"

static int is_space(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int is_digit(int c) {
    return c >= '0' && c <= '9';
}

/* The value of a hexadecimal digit; 16 for what is none. */
static unsigned digit(int c) {
    if (is_digit(c)) return (unsigned)(c - '0');
    unsigned letter = (unsigned)c | 32u;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : 16;
}

/* What is read: a text, whose zero byte is its end, or standard input where there is none. */
struct source {
    const unsigned char *text;
    /* Characters that were read. */
    unsigned long taken;
};

/* The character so many behind the next; EOF at the end. */
static int look_ahead(const struct source *source, unsigned long characters) {
    if (!source->text) return labrys_look_ahead(characters);
    int c = source->text[source->taken + characters];
    return c ? c : EOF;
}

/* The next character; EOF at the end. */
static int look(const struct source *source) {
    return look_ahead(source, 0);
}

static void skip(struct source *source, unsigned long characters) {
    if (!source->text) labrys_skip(characters);
    source->taken += characters;
}

static void skip_spaces(struct source *source) {
    while (is_space(look(source))) skip(source, 1);
}

struct directive {
    int is_suppressed, is_allocated;
    int width; /* -1: none */
    char size; /* of what is written: 0, h, H (hh), l, L (long long, long double) */
    char conversion;
    void *to;
};

/* How a directive came out. */
enum outcome { MATCHED, NO_MATCH, NO_INPUT };

/* Whether a directive's width allows another character, which is taken. */
static int take(struct source *source, int *width) {
    if (*width == 0 || look(source) == EOF) return 0;
    if (*width > 0) --*width;
    skip(source, 1);
    return 1;
}

static void store_integer(const struct directive *directive, unsigned long value) {
    if (directive->is_suppressed) return;
    switch (directive->size) {
    case 0: *(unsigned *)directive->to = (unsigned)value; break;
    case 'h': *(unsigned short *)directive->to = (unsigned short)value; break;
    case 'H': *(unsigned char *)directive->to = (unsigned char)value; break;
    default: *(unsigned long *)directive->to = value;
    }
}

/* Whether the text goes on with (nil), which is then taken. */
static int take_nil(struct source *source) {
    for (int i = 0; i < 5; i++) {
        int c = look(source);
        if (i == 0 || i == 4 ? c != "(nil)"[i] : (c | 32) != "(nil)"[i] || c == EOF) return 0;
        skip(source, 1);
    }
    return 1;
}

static enum outcome scan_integer(struct source *source, const struct directive *directive) {
    int width = directive->width, negative = 0, digits = 0, is_over = 0, has_sign = 0;
    unsigned base = 10;
    switch (directive->conversion) {
    case 'o': base = 8; break;
    case 'x': case 'X': case 'p': base = 16; break;
    case 'i': base = 0;
    }
    int is_signed = directive->conversion == 'd' || directive->conversion == 'i';
    if (look(source) == EOF) return NO_INPUT;
    if (look(source) == '-' || look(source) == '+') {
        has_sign = 1;
        negative = look(source) == '-';
        take(source, &width);
    }
    if (look(source) == '0' && take(source, &width)) {
        digits = 1;
        if (width != 0 && (look(source) == 'x' || look(source) == 'X')) {
            if (base == 0) base = 16;
            if (base == 16) take(source, &width);
        } else if (base == 0) {
            base = 8;
        }
    }
    if (base == 0) base = 10;
    unsigned long limit = !is_signed ? ULONG_MAX : negative ? (unsigned long)LONG_MAX + 1 : LONG_MAX;
    unsigned long most = limit / base, left = limit % base, value = 0;
    for (unsigned d; width != 0 && (d = digit(look(source))) < base; digits = 1) {
        if (value > most || (value == most && d > left)) is_over = 1;
        else value = value * base + d;
        take(source, &width);
    }
    if (!digits) {
        int is_nil = directive->conversion == 'p' && !has_sign && (width < 0 || width >= 5);
        if (!is_nil || !take_nil(source)) return NO_MATCH;
    }
    if (is_over) {
        errno = ERANGE;
        value = limit;
        if (!is_signed) negative = 0;
    }
    store_integer(directive, negative ? -value : value);
    return MATCHED;
}

/* The text of a number. More characters than fit end the path: glibc would take any. */
#define LONGEST 500
struct token {
    char text[LONGEST + 1];
    int length;
};

static void keep(struct token *token, int c) {
    if (token->length == LONGEST) labrys_unmodelled("a number in a text of hundreds of characters");
    token->text[token->length++] = (char)c;
    token->text[token->length] = 0;
}

/* Takes a word in any case. The first character that is another one is taken, too. */
static int take_word(struct source *source, int *width, struct token *token, const char *word) {
    for (; *word; word++) {
        int c = look(source);
        if (!take(source, width) || (c | 32) != *word) return 0;
        keep(token, c);
    }
    return 1;
}

/* Takes digits, a point, and an exponent, none of which must be there; whether there is any number. */
static int take_float(struct source *source, int *width, struct token *token) {
    int has_digit = 0, has_point = 0, has_exponent = 0, is_hexadecimal = 0, start = token->length;
    if (look(source) == '0' && take(source, width)) {
        keep(token, '0');
        int c = look(source);
        /* What a width cuts off behind the x is the number 0. */
        if ((c == 'x' || c == 'X') && *width != 1 && take(source, width)) {
            keep(token, c);
            is_hexadecimal = 1;
        } else {
            has_digit = 1;
        }
    }
    int letter = is_hexadecimal ? 'p' : 'e';
    for (int c; *width != 0 && (c = look(source)) != EOF; take(source, width)) {
        if (is_digit(c) || (!has_exponent && is_hexadecimal && digit(c) < 16)) {
            has_digit = 1;
        } else if ((c == '-' || c == '+') && has_exponent && token->text[token->length - 1] == letter) {
            /* The exponent's sign. */
        } else if (has_digit && !has_exponent && (c | 32) == letter) {
            has_exponent = has_point = 1;
            c = letter;
        } else if (c == '.' && !has_point) {
            has_point = 1;
        } else {
            break;
        }
        keep(token, c);
    }
    return token->length > start && !(is_hexadecimal && token->length == start + 2);
}

static enum outcome scan_float(struct source *source, const struct directive *directive) {
    struct token token = {.length = 0};
    int width = directive->width, c = look(source);
    if (c == EOF) return NO_INPUT;
    if (c == '-' || c == '+') {
        take(source, &width);
        keep(&token, c);
        c = width == 0 ? EOF : look(source);
        if (c == EOF) return NO_MATCH;
    }
    if (c == 'n' || c == 'N') {
        if (!take_word(source, &width, &token, "nan")) return NO_MATCH;
    } else if (c == 'i' || c == 'I') {
        if (!take_word(source, &width, &token, "inf")) return NO_MATCH;
        c = look(source);
        if (width != 0 && (c == 'i' || c == 'I') && !take_word(source, &width, &token, "inity")) return NO_MATCH;
    } else if (!take_float(source, &width, &token)) {
        return NO_MATCH;
    }
    char *end;
    if (directive->size == 'L') {
        long double value = strtold(token.text, &end);
        if (end != token.text && !directive->is_suppressed) *(long double *)directive->to = value;
    } else if (directive->size == 'l') {
        double value = strtod(token.text, &end);
        if (end != token.text && !directive->is_suppressed) *(double *)directive->to = value;
    } else {
        float value = strtof(token.text, &end);
        if (end != token.text && !directive->is_suppressed) *(float *)directive->to = value;
    }
    return end == token.text ? NO_MATCH : MATCHED;
}

/* Which characters belong to a directive: those of %s are no spaces, those of %c are any, those of %[ are listed. */
struct set {
    unsigned char has[256];
};

/* Reads a list of characters behind %[ in a format; 0 where it does not end. */
static int read_set(const unsigned char **format, struct set *set) {
    const unsigned char *at = *format;
    int is_without = *at == '^';
    if (is_without) at++;
    memset(set->has, is_without, sizeof set->has);
    unsigned char is_in = !is_without;
    if (*at == ']' || *at == '-') set->has[*at++] = is_in;
    for (; *at && *at != ']'; at++) {
        if (*at == '-' && at[1] && at[1] != ']' && at[-1] <= at[1])
            for (unsigned c = at[-1]; c < at[1]; c++) set->has[c] = is_in;
        else set->has[*at] = is_in;
    }
    if (*at == 0) return 0;
    *format = at + 1;
    return 1;
}

static enum outcome scan_text(struct source *source, const struct directive *directive, const struct set *set) {
    int width = directive->width, conversion = directive->conversion;
    if (look(source) == EOF) return NO_INPUT;
    size_t length = 0;
    for (int c; width != 0 && (c = look_ahead(source, length)) != EOF; length++, width -= width > 0) {
        if (conversion == 's' ? is_space(c) : conversion == '[' && !set->has[c]) break;
    }
    if (length == 0 && conversion == '[') return NO_MATCH;
    if (directive->is_suppressed) {
        skip(source, length);
        return MATCHED;
    }
    char *to = directive->to;
    if (directive->is_allocated) {
        to = malloc(length + 1);
        if (!to) labrys_unmodelled("sscanf without memory");
        *(char **)directive->to = to;
    }
    if (source->text) {
        memcpy(to, source->text + source->taken, length);
        skip(source, length);
    } else {
        for (size_t i = 0; i < length; i++, skip(source, 1)) to[i] = (char)look(source);
    }
    if (conversion != 'c') to[length] = 0;
    return MATCHED;
}

/* The pointer with a number among the arguments, from 1. */
static void *numbered(va_list arguments, int number) {
    va_list rest;
    va_copy(rest, arguments);
    while (--number > 0) (void)va_arg(rest, void *);
    void *pointer = va_arg(rest, void *);
    va_end(rest);
    return pointer;
}

static int read_number(const unsigned char **format) {
    int value = 0;
    for (; is_digit(**format); ++*format) {
        if (value > 10000000) labrys_unmodelled("a format with a huge width");
        value = 10 * value + **format - '0';
    }
    return value;
}

/* Reads what stands behind a percent sign: flags, width, sizes, the conversion. */
static void read_directive(const unsigned char **format, struct directive *directive, int *number) {
    *directive = (struct directive){.width = -1};
    *number = 0;
    int value = is_digit(**format) ? read_number(format) : 0;
    if (value > 0 && **format == '$') {
        ++*format;
        *number = value;
        value = 0;
    }
    if (value == 0) {
        for (; **format == '*' || **format == '\'' || **format == 'I'; ++*format)
            if (**format == '*') directive->is_suppressed = 1;
        value = read_number(format);
    }
    if (value > 0) directive->width = value;
    const unsigned char *at = *format;
    if (*at == 'm') {
        directive->is_allocated = 1;
        at++;
    }
    switch (*at) {
    case 'h': case 'l':
        directive->size = at[1] != *at ? (char)*at : *at == 'h' ? 'H' : 'L';
        at += at[1] == *at ? 2 : 1;
        break;
    case 'q': case 'L':
        directive->size = 'L';
        at++;
        break;
    case 'z': case 'j': case 't':
        directive->size = 'l';
        at++;
    }
    directive->conversion = (char)*at;
    *format = *at ? at + 1 : at;
}

static enum outcome scan_directive(struct source *source, struct directive *directive, const unsigned char **format) {
    struct set set;
    switch (directive->conversion) {
    case 0:
        return NO_MATCH;
    case '%':
        if (look(source) == EOF) return NO_INPUT;
        if (look(source) != '%') return NO_MATCH;
        skip(source, 1);
        return MATCHED;
    case 'n':
        store_integer(directive, source->taken);
        return MATCHED;
    case 'p':
        directive->size = 'l';
    case 'd': case 'i': case 'o': case 'u': case 'x': case 'X':
        return scan_integer(source, directive);
    case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
        return scan_float(source, directive);
    case '[':
        if (!read_set(format, &set)) return NO_MATCH;
    case 's': case 'c':
        if (directive->size == 'l') labrys_unmodelled("scanning of wide characters");
        if (directive->conversion == 'c' && directive->width < 0) directive->width = 1;
        return scan_text(source, directive, &set);
    }
    labrys_unmodelled("scanning by a format that is not understood");
}

static int scan(const char *text, const char *format_text, va_list arguments) {
    if (text) {
        /* The whole text is looked at. */
        volatile size_t length = strlen(text);
        (void)length;
    }
    struct source source = {(const unsigned char *)text, 0};
    const unsigned char *format = (const unsigned char *)format_text;
    int matches = 0;
    va_list rest;
    va_copy(rest, arguments);
    enum outcome outcome = MATCHED;
    int before = errno, was_in_range = 1;
    while (*format && outcome == MATCHED) {
        if (errno != before) was_in_range = 0;
        if (is_space(*format)) {
            while (is_space(*format)) format++;
            /* Spaces at a format's end are no matter: nothing is read behind them. */
            if (*format) skip_spaces(&source);
            continue;
        }
        if (*format != '%') {
            if (look(&source) == EOF) outcome = NO_INPUT;
            else if (look(&source) != *format++) outcome = NO_MATCH;
            else skip(&source, 1);
            continue;
        }
        format++;
        struct directive directive;
        int number;
        read_directive(&format, &directive, &number);
        int conversion = directive.conversion, takes_pointer = conversion != '%' && conversion != 0 && !directive.is_suppressed;
        if (takes_pointer) directive.to = number > 0 ? numbered(arguments, number) : va_arg(rest, void *);
        if (conversion != '[' && conversion != 'c' && conversion != 'n' && conversion != 0) skip_spaces(&source);
        outcome = scan_directive(&source, &directive, &format);
        if (outcome == MATCHED && takes_pointer && conversion != 'n') matches++;
    }
    va_end(rest);
    /* Where glibc looks for more behind the end, errno is again what it was when that was found. */
    if (!was_in_range && look(&source) == EOF) labrys_unmodelled("errno of scanf behind a number that is out of range");
    return outcome == NO_INPUT && matches == 0 ? EOF : matches;
}

/* Streams but standard input cannot be read. */
static int scan_stream(FILE *stream, const char *format, va_list arguments) {
    return stream == stdin ? scan(NULL, format, arguments) : fgetc(stream);
}

/* The names behind <stdio.h>: in C since 1999 `a` is a float, in GNU's older C it can be a flag. */
int labrys_vsscanf(const char *text, const char *format, va_list arguments) __asm__("__isoc99_vsscanf");
int labrys_vsscanf(const char *text, const char *format, va_list arguments) {
    return scan(text, format, arguments);
}

int labrys_sscanf(const char *text, const char *format, ...) __asm__("__isoc99_sscanf");
int labrys_sscanf(const char *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int matches = scan(text, format, arguments);
    va_end(arguments);
    return matches;
}

static void refuse_flag(const char *format) {
    for (; *format; format++)
        if (*format == 'a' && (format[1] == 's' || format[1] == 'S' || format[1] == '[')) labrys_unmodelled("sscanf with GNU's flag a");
}

int labrys_gnu_vsscanf(const char *text, const char *format, va_list arguments) __asm__("vsscanf");
int labrys_gnu_vsscanf(const char *text, const char *format, va_list arguments) {
    refuse_flag(format);
    return scan(text, format, arguments);
}

int labrys_gnu_sscanf(const char *text, const char *format, ...) __asm__("sscanf");
int labrys_gnu_sscanf(const char *text, const char *format, ...) {
    refuse_flag(format);
    va_list arguments;
    va_start(arguments, format);
    int matches = scan(text, format, arguments);
    va_end(arguments);
    return matches;
}

int labrys_vfscanf(FILE *stream, const char *format, va_list arguments) __asm__("__isoc99_vfscanf");
int labrys_vfscanf(FILE *stream, const char *format, va_list arguments) {
    return scan_stream(stream, format, arguments);
}

int labrys_vscanf(const char *format, va_list arguments) __asm__("__isoc99_vscanf");
int labrys_vscanf(const char *format, va_list arguments) {
    return scan_stream(stdin, format, arguments);
}

#define LABRYS_SCAN(stream, refuse)                      \
    va_list arguments;                                   \
    refuse;                                              \
    va_start(arguments, format);                         \
    int matches = scan_stream(stream, format, arguments); \
    va_end(arguments);                                   \
    return matches

int labrys_scanf(const char *format, ...) __asm__("__isoc99_scanf");
int labrys_scanf(const char *format, ...) {
    LABRYS_SCAN(stdin, (void)0);
}

int labrys_fscanf(FILE *stream, const char *format, ...) __asm__("__isoc99_fscanf");
int labrys_fscanf(FILE *stream, const char *format, ...) {
    LABRYS_SCAN(stream, (void)0);
}

int labrys_gnu_scanf(const char *format, ...) __asm__("scanf");
int labrys_gnu_scanf(const char *format, ...) {
    LABRYS_SCAN(stdin, refuse_flag(format));
}

int labrys_gnu_fscanf(FILE *stream, const char *format, ...) __asm__("fscanf");
int labrys_gnu_fscanf(FILE *stream, const char *format, ...) {
    LABRYS_SCAN(stream, refuse_flag(format));
}

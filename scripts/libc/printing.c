/* What is printed to streams by argument lists. Nobody sees it: of the arguments the texts are read, as printing does. How much was written
   is not known. */

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "labrys.h"

/* A width or precision; one that an argument gives is taken from there. */
static int number(const char **format, va_list *arguments) {
    if (**format == '*') {
        ++*format;
        return va_arg(*arguments, int);
    }
    int value = 0;
    while (**format >= '0' && **format <= '9') {
        int digit = *(*format)++ - '0';
        if (value > (INT_MAX - digit) / 10) labrys_unmodelled("a format with a huge width");
        value = 10 * value + digit;
    }
    return value;
}

static void read_texts(const char *format, va_list *arguments) {
    while (*format) {
        if (*format++ != '%') continue;
        while (*format && strchr("-+ #0'", *format)) format++;
        int precision = -1;
        number(&format, arguments);
        if (*format == '.') {
            format++;
            precision = *format == '-' ? -1 : number(&format, arguments);
        }
        int is_long = 0, is_long_double = 0;
        for (;; format++) {
            if (*format == 'l') is_long = 1;
            else if (*format == 'L') is_long_double = 1;
            else if (*format != 'h' && *format != 'j' && *format != 'z' && *format != 't' && *format != 'q') break;
        }
        char conversion = *format++;
        switch (conversion) {
        case '%': case 'm':
            break;
        case 'd': case 'i': case 'o': case 'u': case 'x': case 'X': case 'c': case 'p':
            if (conversion == 'c' && is_long) labrys_unmodelled("printing of wide characters");
            /* Every integer has eight bytes in an argument list. */
            (void)va_arg(*arguments, long);
            break;
        case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
            if (is_long_double) (void)va_arg(*arguments, long double);
            else (void)va_arg(*arguments, double);
            break;
        case 's': {
            if (is_long) labrys_unmodelled("printing of wide characters");
            const char *text = va_arg(*arguments, const char *);
            /* glibc prints (null). */
            if (text == NULL) break;
            volatile size_t length = precision < 0 ? strlen(text) : strnlen(text, (size_t)precision);
            (void)length;
            break;
        }
        default:
            labrys_unmodelled("printing by a format that is not understood");
        }
    }
}

/* Never written to: what a function that prints gives is read from here. */
int labrys_printed(void) {
    int printed;
    return printed;
}

int vprintf(const char *format, va_list arguments) {
    va_list rest;
    va_copy(rest, arguments);
    read_texts(format, &rest);
    va_end(rest);
    return labrys_printed();
}

int vfprintf(FILE *stream, const char *format, va_list arguments) {
    return vprintf(format, arguments);
}

int __vprintf_chk(int flag, const char *format, va_list arguments) {
    return vprintf(format, arguments);
}

int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments) {
    return vprintf(format, arguments);
}

int __printf_chk(int flag, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    return labrys_printed();
}

int __fprintf_chk(FILE *stream, int flag, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    return labrys_printed();
}

/* Those that write into memory are musl's; glibc's checks of the length are the executor's. */
int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list arguments) {
    return vsprintf(to, format, arguments);
}

int __vsnprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, va_list arguments) {
    return vsnprintf(to, size, format, arguments);
}

int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsprintf(to, format, arguments);
    va_end(arguments);
    return length;
}

int __snprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(to, size, format, arguments);
    va_end(arguments);
    return length;
}

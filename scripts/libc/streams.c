/* Streams where there are no files: standard input is at its end, no file is there to be read, and nobody sees what is written. Native runs
   of labrys have the same world. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include "labrys.h"

#undef feof
#undef ferror
#undef clearerr
#undef getc
#undef getchar

/* What was read ahead and given back to standard input; EOF for nothing. */
static int given_back = EOF;
static int is_at_end;
static FILE *failed;

int fgetc(FILE *stream) {
    if (stream != stdin) {
        failed = stream;
        errno = EBADF;
        return EOF;
    }
    int c = given_back;
    given_back = EOF;
    is_at_end = c == EOF;
    return c;
}

int getc(FILE *stream) {
    return fgetc(stream);
}

int _IO_getc(FILE *stream) {
    return fgetc(stream);
}

int getchar(void) {
    return fgetc(stdin);
}

int getc_unlocked(FILE *stream) {
    return fgetc(stream);
}

int getchar_unlocked(void) {
    return fgetc(stdin);
}

int ungetc(int c, FILE *stream) {
    if (c == EOF) return EOF;
    if (stream != stdin || given_back != EOF) labrys_unmodelled("ungetc, but for one character of standard input");
    is_at_end = 0;
    return given_back = (unsigned char)c;
}

char *fgets(char *text, int size, FILE *stream) {
    if (size < 2) labrys_unmodelled("fgets of less than a character");
    int c = fgetc(stream);
    if (c == EOF) return NULL;
    text[0] = (char)c;
    text[1] = 0;
    return text;
}

size_t fread(void *to, size_t size, size_t count, FILE *stream) {
    if (given_back != EOF) labrys_unmodelled("fread behind ungetc");
    if (size == 0 || count == 0) return 0;
    fgetc(stream);
    return 0;
}

ssize_t getdelim(char **line, size_t *size, int end, FILE *stream) {
    if (given_back != EOF) labrys_unmodelled("getline behind ungetc");
    fgetc(stream);
    return -1;
}

ssize_t getline(char **line, size_t *size, FILE *stream) {
    return getdelim(line, size, '\n', stream);
}

int feof(FILE *stream) {
    return stream == stdin && is_at_end;
}

int ferror(FILE *stream) {
    return stream == failed;
}

void clearerr(FILE *stream) {
    if (stream == stdin) is_at_end = 0;
    if (stream == failed) failed = NULL;
}

/* Input ends before the first conversion. */
static int scan_nothing(FILE *stream, const char *format) {
    if (given_back != EOF || strchr(format, '%') == NULL) labrys_unmodelled("scanf of what is not the end of the input");
    while (*format == ' ' || (*format >= '\t' && *format <= '\r')) format++;
    if (*format == '%') {
        do format++;
        while (*format && strchr("*'I0123456789$hlLqjzt", *format));
        if (*format == 'n' || *format == 0) labrys_unmodelled("scanf that reads nothing");
    }
    return fgetc(stream);
}

int labrys_scanf(const char *format, ...) __asm__("__isoc99_scanf");
int labrys_scanf(const char *format, ...) {
    return scan_nothing(stdin, format);
}

int labrys_fscanf(FILE *stream, const char *format, ...) __asm__("__isoc99_fscanf");
int labrys_fscanf(FILE *stream, const char *format, ...) {
    return scan_nothing(stream, format);
}

int labrys_gnu_scanf(const char *format, ...) __asm__("scanf");
int labrys_gnu_scanf(const char *format, ...) {
    return scan_nothing(stdin, format);
}

int labrys_gnu_fscanf(FILE *stream, const char *format, ...) __asm__("fscanf");
int labrys_gnu_fscanf(FILE *stream, const char *format, ...) {
    return scan_nothing(stream, format);
}

FILE *fopen(const char *name, const char *mode) {
    if (mode[0] != 'r') labrys_unmodelled("a file that is written");
    /* The name is read. */
    if (strlen(name) > 0 && name[0] == '/') labrys_unmodelled("a file of the machine");
    errno = ENOENT;
    return NULL;
}

FILE *freopen(const char *name, const char *mode, FILE *stream) {
    labrys_unmodelled("freopen");
}

int fclose(FILE *stream) {
    if (stream != stdin && stream != stdout && stream != stderr) labrys_unmodelled("fclose of no stream");
    return 0;
}

int setvbuf(FILE *stream, char *buffer, int mode, size_t size) {
    return 0;
}

void setbuf(FILE *stream, char *buffer) {
}

void setlinebuf(FILE *stream) {
}

/* All of it is read. */
size_t fwrite(const void *from, size_t size, size_t count, FILE *stream) {
    if (stream != stdout && stream != stderr) labrys_unmodelled("fwrite to what is not standard output");
    size_t bytes = size * count;
    if (bytes > 0) {
        const volatile char *at = from;
        (void)at[0];
        (void)at[bytes - 1];
    }
    return size == 0 ? 0 : count;
}

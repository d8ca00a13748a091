/* Streams where there are no files: standard input has what the executor says (nothing, if nobody asks for more), no file is there to be read, and nobody
   sees what is written. Native runs of labrys have the same world. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
#include "labrys.h"

#undef feof
#undef fread_unlocked
#undef ferror
#undef clearerr
#undef getc
#undef getchar

/* Where standard input stands; what was read ahead and given back to it, EOF for nothing. */
static unsigned long position, end;
static int given_back = EOF;
static int is_at_end, is_buffered;
static FILE *failed;

/* Who reads: C's streams (0), or C++'s where it has a buffer of its own (1), which takes away what the others would read. */
int labrys_reader;
static int readers;

/* As in glibc a stream that has come to its end stays there, until something is given back or the end is forgotten. */
int labrys_look_ahead(unsigned long characters) {
    readers |= 1 << labrys_reader;
    if (readers == 3) labrys_unmodelled("standard input that C's and C++'s streams read apart from each other");
    if (given_back != EOF && characters-- == 0) return given_back;
    if (is_at_end && position + characters >= end) return EOF;
    is_buffered = 1;
    int c = labrys_read_input(position + characters);
    if (c == EOF) {
        is_at_end = 1;
        end = position + characters;
    }
    return c;
}

void labrys_skip(unsigned long characters) {
    if (given_back != EOF && characters > 0) {
        given_back = EOF;
        characters--;
    }
    position += characters;
}

int fgetc(FILE *stream) {
    if (stream != stdin) {
        failed = stream;
        errno = EBADF;
        return EOF;
    }
    int c = labrys_look_ahead(0);
    if (c != EOF) labrys_skip(1);
    return c;
}

int fgetc_unlocked(FILE *stream) {
    return fgetc(stream);
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
    if (size < 1) labrys_unmodelled("fgets into no memory");
    int length = 0;
    for (int c = 0; length < size - 1 && c != '\n'; length++) {
        c = fgetc(stream);
        if (c == EOF && length == 0) return NULL;
        if (c == EOF) break;
        text[length] = (char)c;
    }
    text[length] = 0;
    return text;
}

char *fgets_unlocked(char *text, int size, FILE *stream) {
    return fgets(text, size, stream);
}

size_t fread(void *to, size_t size, size_t count, FILE *stream) {
    if (size == 0 || count == 0) return 0;
    size_t bytes, at = 0;
    if (__builtin_mul_overflow(size, count, &bytes)) labrys_unmodelled("fread of more than there is memory");
    for (int c; at < bytes && (c = fgetc(stream)) != EOF; at++) ((char *)to)[at] = (char)c;
    return at / size;
}

size_t fread_unlocked(void *to, size_t size, size_t count, FILE *stream) {
    return fread(to, size, count, stream);
}

/* What is read before streams are, or where none is: what a stream has read ahead is not there any more. All of it is there at once. */
ssize_t read(int file, void *to, size_t size) {
    if (file != 0) labrys_unmodelled("read, but of standard input");
    if (is_buffered) labrys_unmodelled("read behind what a stream has read ahead");
    size_t at = 0;
    for (int c; at < size && (c = labrys_read_input(position)) != EOF; at++, position++) ((char *)to)[at] = (char)c;
    return (ssize_t)at;
}

/* glibc's sizes: memory of 120 bytes, then twice as much or what is needed. */
ssize_t getdelim(char **line, size_t *size, int end, FILE *stream) {
    if (given_back != EOF) labrys_unmodelled("getline behind ungetc");
    if (line == NULL || size == NULL) {
        errno = EINVAL;
        return -1;
    }
    if (*line == NULL || *size == 0) {
        *size = 120;
        *line = realloc(*line, *size);
    }
    if (stream != stdin) return fgetc(stream);
    size_t length = 0;
    for (int c = EOF; (length == 0 || c != (unsigned char)end) && (c = labrys_look_ahead(length)) != EOF;) length++;
    if (length == 0) return -1;
    if (length + 1 > *size) {
        size_t needed = length + 1 < 2 * *size ? 2 * *size : length + 1;
        *line = realloc(*line, needed);
        *size = needed;
    }
    for (size_t i = 0; i < length; i++) (*line)[i] = (char)labrys_look_ahead(i);
    (*line)[length] = 0;
    labrys_skip(length);
    return (ssize_t)length;
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

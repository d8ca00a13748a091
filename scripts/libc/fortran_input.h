/* What the files of Fortran's input share: the record that is read, how a statement fails, what becomes of numbers. Part of labrys. */

#ifndef LABRYS_FORTRAN_INPUT_H
#define LABRYS_FORTRAN_INPUT_H

#include "fortran.h"

/* What flang's runtime says to iostat. */
enum { IOSTAT_END = -1, IOSTAT_GENERIC = 1001, IOSTAT_BAD_EDIT = 1005, IOSTAT_BAD_REAL = 1030, IOSTAT_INTEGER_OVERFLOW = 1035, IOSTAT_REAL_OVERFLOW = 1036, IOSTAT_BAD_SEPARATOR = 1046 };

enum category { INPUT_INTEGER, INPUT_REAL, INPUT_LOGICAL, INPUT_CHARACTER };

/* The next thing that a statement reads: a variable of so many bytes. */
struct item {
    enum category category;
    void *place;
    size_t size;
};

/* Digits that a number may have. */
enum { MOST_DIGITS = 100 };

/* Where a record is read, counted from its first character. */
extern long labrys_column;

/* A character of the record; -1 behind its last. */
int labrys_character(long column);
/* Whether there is a record. */
bool labrys_has_record(void);
/* Goes to the next record; false where there is none. */
bool labrys_next_record(void);
/* The statement fails, which ends the program unless that is handled. Gives false. */
bool labrys_input_fails(int iostat);

bool labrys_store_integer(const struct item *item, bool is_negative, unsigned __int128 magnitude);
/* Stores the number that a text says, with C's letters, rounded to nearest. */
bool labrys_store_real(const struct item *item, const char *text);

void labrys_begin_listed(void);
bool labrys_read_listed(const struct item *item);
bool labrys_read_listed_complex(void *place, size_t size);
void labrys_begin_formatted(const char *format, size_t length);
bool labrys_read_formatted(const struct item *item);
/* Does what a format says behind its last item. */
void labrys_end_formatted(void);

static inline bool is_blank(int c) {
    return c == ' ' || c == '\t';
}

static inline void __attribute__((noreturn)) refuse_number(void) {
    labrys_unmodelled("a text that Fortran reads as a number, or not, in a way of its own");
}

#endif

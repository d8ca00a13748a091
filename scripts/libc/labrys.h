/* What these files ask of the executor. Part of labrys.

   They are the part of libc.bc that is written here: functions whose results differ between musl and glibc, which native runs have, and
   functions of the world outside, of which there is none. They are compiled with the system's headers, so that structs and names are those of
   the programs that they are linked to. */

#ifndef LABRYS_LIBC_H
#define LABRYS_LIBC_H

#ifdef __cplusplus
extern "C" {
#endif

/* Ends the path as unknown: what is not modelled. */
void labrys_unmodelled(const char *what) __attribute__((noreturn));
/* Any number below 2^bits: what no input decides and no native run shows again. */
unsigned long labrys_any(int bits);
/* The byte of standard input that stands there, counted from the first; EOF behind the last. */
int labrys_read_input(unsigned long at);
/* The character so many behind the next of standard input, read ahead by a stream: EOF behind the last. And so many are read. */
int labrys_look_ahead(unsigned long characters);
void labrys_skip(unsigned long characters);
/* Who reads standard input. */
extern int labrys_reader;
/* Whether the value hangs on inputs, or on such a number. */
unsigned klee_is_symbolic(unsigned long value);
/* The same value; where it has only a few, one of them on each path. */
unsigned long labrys_few_long(unsigned long value);
float labrys_few_float(float value);
double labrys_few_double(double value);
long double labrys_few_wide(long double value);
/* Ends paths on which the condition does not hold, and says nothing of them. */
void klee_assume(unsigned long condition);

#ifdef __cplusplus
}
#endif

#endif

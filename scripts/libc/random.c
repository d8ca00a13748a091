/* glibc's random numbers. `random` adds the numbers 31 and 3 places back (its manual's default state of 128 bytes), from a first
   state by Park and Miller's generator; `drand48` and its kin are POSIX's linear congruence modulo 2^48.

   Behind a seed that is not known they are any numbers: terms over one would be of no use to anybody. */

#include <stdlib.h>
#include "labrys.h"

enum { STATE = 31, LAG = 3, DISCARDED = 310 };

static unsigned state[STATE];
/* Where the number 31 places back is, which the next one replaces. */
static int oldest;
static int is_seeded, is_any;

static void seed(unsigned number) {
    is_seeded = 1;
    is_any = (int)klee_is_symbolic(number);
    if (is_any) return;
    int word = number == 0 ? 1 : (int)number;
    state[0] = (unsigned)word;
    for (int i = 1; i < STATE; i++) {
        /* 16807 times the last one modulo 2^31 - 1. Seeds may be negative: what C's quotients make of them counts. */
        long next = 16807L * (word % 127773) - 2836L * (word / 127773);
        word = (int)(next < 0 ? next + 2147483647 : next);
        state[i] = (unsigned)word;
    }
    oldest = LAG;
    for (int i = 0; i < DISCARDED; i++) {
        state[oldest] += state[(oldest + STATE - LAG) % STATE];
        oldest = (oldest + 1) % STATE;
    }
}

static long next(void) {
    if (!is_seeded) seed(1);
    if (is_any) return (long)labrys_any(31);
    unsigned sum = state[oldest] += state[(oldest + STATE - LAG) % STATE];
    oldest = (oldest + 1) % STATE;
    return sum >> 1;
}

int rand(void) {
    return (int)next();
}

void srand(unsigned number) {
    seed(number);
}

long random(void) {
    return next();
}

void srandom(unsigned number) {
    seed(number);
}

/* Three steps of a linear congruence give 11, 10 and 10 bits. */
int rand_r(unsigned *at) {
    unsigned number = *at, result;
    number = number * 1103515245u + 12345u;
    result = number / 65536u % 2048u;
    number = number * 1103515245u + 12345u;
    result = result << 10 ^ number / 65536u % 1024u;
    number = number * 1103515245u + 12345u;
    result = result << 10 ^ number / 65536u % 1024u;
    *at = number;
    return (int)result;
}

static unsigned long word48;

static unsigned long step48(unsigned long word) {
    return (word * 0x5deece66dul + 0xb) & 0xfffffffffffful;
}

static unsigned long step_of(unsigned short at[3]) {
    unsigned long word = step48(at[0] | (unsigned long)at[1] << 16 | (unsigned long)at[2] << 32);
    for (int i = 0; i < 3; i++) at[i] = (unsigned short)(word >> 16 * i);
    return word;
}

void srand48(long number) {
    word48 = ((unsigned long)number & 0xffffffff) << 16 | 0x330e;
}

/* Gives the state before, which stays where it is up to the next call. */
unsigned short *seed48(unsigned short from[3]) {
    static unsigned short before[3];
    for (int i = 0; i < 3; i++) before[i] = (unsigned short)(word48 >> 16 * i);
    word48 = from[0] | (unsigned long)from[1] << 16 | (unsigned long)from[2] << 32;
    return before;
}

double drand48(void) {
    word48 = step48(word48);
    return (double)word48 * 0x1p-48;
}

long lrand48(void) {
    word48 = step48(word48);
    return (long)(word48 >> 17);
}

long mrand48(void) {
    word48 = step48(word48);
    return (int)(word48 >> 16);
}

double erand48(unsigned short at[3]) {
    return (double)step_of(at) * 0x1p-48;
}

long nrand48(unsigned short at[3]) {
    return (long)(step_of(at) >> 17);
}

long jrand48(unsigned short at[3]) {
    return (int)(step_of(at) >> 16);
}

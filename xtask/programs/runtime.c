/*
 * Runs a program of this folder natively, compiled with -Dmain=program_main.
 *
 *     PROGRAM replay FILE                 on the input in FILE: lines NAME=HEXBYTES, in the order in which the program asks
 *     PROGRAM random TRIES WANTED SEED    on random inputs until WANTED fulfil the program's assumptions or TRIES are made;
 *                                         prints both numbers
 *
 * An input of a file that breaks an assumption ends the process silently, with status 77; 78 is an input that does not fit the program.
 * Random runs share a process, so that tens of thousands take a second: a program sets its state in main, and one that is checked for
 * leaks assumes nothing once it has allocated.
 */
#include <klee/klee.h>
#include <fenv.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ASSUMPTION_BROKEN = 77, INPUT_UNFIT = 78, SECONDS_PER_RUN = 10 };

int program_main(int argc, char **argv);

/* Where the input comes from; random numbers if there is no file. */
static FILE *input;
static uint64_t state;

/* Where a random run goes on when it breaks an assumption. */
static jmp_buf next_run;

/* Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014: SplitMix64. */
static uint64_t next(void) {
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t below(uint64_t bound) { return next() % bound; }

/* How the elements of one input are chosen. */
enum style { BITS, SPECIAL, UNIT, SMALL_REAL, WIDE_REAL, SMALL_INTEGER, INTEGER, STYLES };

static double real(enum style style) {
    static const double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, 16777216.0, 16777217.0, 9007199254740992.0,
                                     2147483648.0, 0x1p-126, 0x1p-149, 0x1p-1022, 0x1p-1074, 0x1.fffffep127,
                                     0x1.fffffffffffffp1023, 1e10, 1e-10, 0.1, __builtin_inf(), -__builtin_inf(), __builtin_nan("")};
    double unit = (double)(next() >> 11) * 0x1p-53;
    switch (style) {
    case SPECIAL: {
        double value = special[below(sizeof special / sizeof *special)];
        return below(2) ? value : -value;
    }
    case UNIT: return below(8) ? unit : (double)below(17) / 16.0;
    case SMALL_REAL: return below(2) ? unit * 20.0 - 10.0 : ((double)below(321) - 160.0) / 16.0;
    case WIDE_REAL: return (unit * 2.0 - 1.0) * (double)((uint64_t)1 << below(62));
    default: return (double)below(21) - 10.0;
    }
}

static int64_t integer(enum style style) {
    switch (style) {
    case SPECIAL: {
        int shift = (int)below(64);
        return (int64_t)(((uint64_t)1 << shift) - below(3));
    }
    case UNIT: return (int64_t)below(2);
    case SMALL_REAL: return (int64_t)below(10);
    case WIDE_REAL: return (int64_t)(next() >> below(64));
    case SMALL_INTEGER: return (int64_t)below(41) - 20;
    default: return (int64_t)below(2001) - 1000;
    }
}

static unsigned char character(void) {
    static const char likely[] = "0123456789..eE+-*/()  \tabcxyzAZ,;!?%_\n";
    return (unsigned char)(below(4) ? likely[below(sizeof likely)] : next());
}

/* One element of 1, 2, 4, 8 or 16 bytes. */
static void element(unsigned char *at, size_t size, enum style style, int is_real) {
    int64_t whole = style == BITS ? (int64_t)next() : integer(style);
    double number = real(style);
    if (size == 1) {
        *at = style == SMALL_INTEGER || style == UNIT ? (unsigned char)whole : character();
    } else if (size == 16) {
        uint64_t bits[2] = {next(), next()};
        long double value = number;
        if (style == BITS || (style == SPECIAL && below(2)))
            memcpy(at, bits, 16);
        else
            memcpy(at, &value, 10), memset(at + 10, 0, 6);
    } else if (style == BITS || !is_real) {
        memcpy(at, &whole, size);
    } else if (size == 2) {
        _Float16 value = (_Float16)number;
        memcpy(at, &value, 2);
    } else if (size == 4) {
        float value = (float)number;
        memcpy(at, &value, 4);
    } else {
        memcpy(at, &number, 8);
    }
}

/* Insertion sort; of floats if WIDTH is 4, else of doubles. */
static void ascending(unsigned char *at, size_t count, size_t width) {
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0; j--) {
            float narrow[2] = {0};
            double wide[2] = {0};
            unsigned char kept[8], *pair = at + (j - 1) * width;
            if (width == 4) memcpy(narrow, pair, 8);
            if (width == 8) memcpy(wide, pair, 16);
            if (!(narrow[0] > narrow[1] || wide[0] > wide[1])) break;
            memcpy(kept, pair, width);
            memmove(pair, pair + width, width);
            memcpy(pair + width, kept, width);
        }
}

static void random_bytes(unsigned char *at, size_t size) {
    static const size_t widths[] = {4, 8, 1, 16, 2};
    size_t width = 1;
    for (int tries = 0; tries < 8; tries++) {
        width = widths[below(5)];
        if (size % width == 0 && (size == width || width < 16 || size % 16 == 0)) break;
        width = 1;
    }
    if (size == 4 || size == 8 || size == 2 || size == 16) width = below(8) ? size : width;
    int is_real = below(2) != 0, mixed = below(4) == 0;
    enum style style = (enum style)below(STYLES);
    for (size_t i = 0; i + width <= size; i += width)
        element(at + i, width, mixed ? (enum style)below(STYLES) : style, is_real);
    if (is_real && (width == 4 || width == 8) && below(2)) ascending(at, size / width, width);
}

static void unfit(const char *why, const char *name) {
    fprintf(stderr, "runtime: %s: %s\n", name, why);
    _exit(INPUT_UNFIT);
}

static void from_file(unsigned char *at, size_t size, const char *name) {
    char found[64] = "";
    if (fscanf(input, " %63[^=]=", found) != 1) unfit("nothing is left of the input", name);
    if (strcmp(found, name) != 0) unfit("the input has another name here", name);
    for (size_t i = 0; i < size; i++) {
        unsigned byte;
        if (fscanf(input, "%2x", &byte) != 1) unfit("too few bytes", name);
        at[i] = (unsigned char)byte;
    }
}

void klee_make_symbolic(void *address, size_t size, const char *name) {
    unsigned char *bytes = malloc(size + 1);
    if (input)
        from_file(bytes, size, name);
    else
        random_bytes(bytes, size);
    memcpy(address, bytes, size);
    free(bytes);
}

void klee_assume(uintptr_t condition) {
    if (condition) return;
    if (input) _exit(ASSUMPTION_BROKEN);
    longjmp(next_run, 1);
}

int klee_range(int begin, int end, const char *name) {
    int value = 0;
    if (input)
        klee_make_symbolic(&value, sizeof value, name);
    else
        value = begin + (int)below((uint64_t)((int64_t)end - begin));
    klee_assume(begin <= value && value < end);
    return value;
}

void __VERIFIER_assume(int condition) { klee_assume(condition != 0); }

void __VERIFIER_error(void) { abort(); }

/* A number of type TYPE; a random one is real or not as the type is. */
#define NONDET(NAME, TYPE, IS_REAL)                                                                  \
    TYPE __VERIFIER_nondet_##NAME(void) {                                                            \
        TYPE value;                                                                                  \
        memset(&value, 0, sizeof value);                                                             \
        if (input)                                                                                   \
            from_file((unsigned char *)&value, sizeof value, "__VERIFIER_nondet_" #NAME);            \
        else                                                                                         \
            element((unsigned char *)&value, sizeof value, (enum style)below(STYLES), IS_REAL);      \
        return value;                                                                                \
    }

NONDET(char, char, 0)
NONDET(uchar, unsigned char, 0)
NONDET(short, short, 0)
NONDET(ushort, unsigned short, 0)
NONDET(int, int, 0)
NONDET(uint, unsigned, 0)
NONDET(long, long, 0)
NONDET(ulong, unsigned long, 0)
NONDET(float, float, 1)
NONDET(double, double, 1)

_Bool __VERIFIER_nondet_bool(void) {
    unsigned char value = (unsigned char)below(2);
    if (input) from_file(&value, 1, "__VERIFIER_nondet_bool");
    return value & 1;
}

/* What the parent knows of its children's runs. */
struct progress {
    long made, fulfilled;
};

/* Runs on random inputs until all are made or the program ends the process. */
static void random_child(char **argv, long tries, long wanted, uint64_t seed, volatile struct progress *progress) {
    while (progress->made < tries && progress->fulfilled < wanted) {
        progress->made++;
        alarm(SECONDS_PER_RUN);
        fesetenv(FE_DFL_ENV);
        state = seed + (uint64_t)progress->made * 0x2545f4914f6cdd1du;
        if (setjmp(next_run) != 0) continue;
        int status = program_main(1, argv);
        if (status != 0) exit(status);
        progress->fulfilled++;
    }
    exit(0);
}

static int random_runs(char **argv, long tries, long wanted, uint64_t seed) {
    struct progress *progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (progress == MAP_FAILED) return perror("runtime: mmap"), 2;
    while (progress->made < tries && progress->fulfilled < wanted) {
        long before = progress->fulfilled;
        pid_t child = fork();
        if (child < 0) return perror("runtime: fork"), 2;
        if (child == 0) random_child(argv, tries, wanted, seed, progress);
        int status;
        if (waitpid(child, &status, 0) < 0) return perror("runtime: waitpid"), 2;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            fprintf(stderr, "runtime: run %ld ends with wait status %d\n", progress->made, status);
            return 1;
        }
        /* The program may have called exit. */
        if (progress->fulfilled == before) progress->fulfilled++;
    }
    printf("%ld %ld\n", progress->made, progress->fulfilled);
    return 0;
}

#undef main

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "replay") == 0) {
        input = fopen(argv[2], "r");
        if (!input) return perror(argv[2]), 2;
        alarm(SECONDS_PER_RUN);
        return program_main(1, argv);
    }
    if (argc == 5 && strcmp(argv[1], "random") == 0)
        return random_runs(argv, atol(argv[2]), atol(argv[3]), strtoull(argv[4], NULL, 10));
    fprintf(stderr, "usage: %s replay FILE | random TRIES WANTED SEED\n", argv[0]);
    return 2;
}

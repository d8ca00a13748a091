/* flang's runtime: how programs begin and end, time, random numbers, the environment. */

#include <fenv.h>
#include "fortran.h"

/* What must not be reached: the executor says so. */
void labrys_error_stop(void) __attribute__((noreturn));

void _FortranAProgramStart(int argc, const char *argv[], const char *environment[], const void *defaults) {}

void _FortranAProgramEndStatement(void) {}

void _FortranAStopStatement(int code, bool is_error, bool quiet) {
    if (is_error) labrys_error_stop();
    exit(code);
}

void _FortranAStopStatementText(const char *text, size_t length, bool is_error, bool quiet) {
    if (is_error) labrys_error_stop();
    exit(0);
}

void _FortranAFailImageStatement(void) {
    exit(0);
}

void _FortranAExit(int status) {
    exit(status);
}

void _FortranAAbort(void) {
    abort();
}

void _FortranAReportFatalUserError(const char *message, const char *file, int line) {
    abort();
}

double _FortranACpuTime(void) {
    return (double)labrys_any(40) / 1048576.0;
}

int64_t _FortranASystemClockCount(int kind) {
    return (int64_t)labrys_any(31);
}

int64_t _FortranASystemClockCountRate(int kind) {
    labrys_unmodelled("system_clock's rate");
}

/* flang's generator: minstd_rand of C++, 48271 x mod 2^31 - 1, from 1 on. A seed that a program puts is the first number itself. */
static uint64_t random_state = 1;
static bool is_pending, is_arbitrary;

static uint64_t next_random(void) {
    if (is_pending) is_pending = false;
    else random_state = random_state * 48271 % 2147483647;
    return random_state;
}

/* What random_init seeds hangs on the time. */
void _FortranARandomInit(bool repeatable, bool image_distinct) {
    if (repeatable) labrys_unmodelled("random_init of repeatable numbers");
    is_arbitrary = true;
}

void _FortranARandomSeedDefaultPut(void) {
    random_state = 1;
    is_pending = is_arbitrary = false;
}

void _FortranARandomSeedSize(const struct descriptor *size, const char *file, int line) {
    store_integer(size->base, size->size, 1);
}

void _FortranARandomSeedPut(const struct descriptor *put, const char *file, int line) {
    int64_t seed = integer_at(put->base, put->size);
    if (put->size != 4 || seed <= 0 || seed >= 2147483647) labrys_unmodelled("random_seed of such a number");
    random_state = (uint64_t)seed;
    is_pending = true;
    is_arbitrary = false;
}

void _FortranARandomSeedGet(const struct descriptor *get, const char *file, int line) {
    if (is_arbitrary) labrys_unmodelled("random_seed(get=) behind random_init");
    uint64_t seed = next_random();
    is_pending = true;
    store_integer(get->base, get->size, (int64_t)seed);
}

void _FortranARandomSeed(const struct descriptor *size, const struct descriptor *put, const struct descriptor *get, const char *file,
                         int line) {
    labrys_unmodelled("random_seed of several arguments");
}

/* 54 random bits, of two numbers, or 25 of one; where they round to 1, they are drawn again. */
static double random_double(void) {
    double x;
    do {
        uint64_t bits = is_arbitrary ? labrys_any(54) : 0;
        if (!is_arbitrary) {
            bits = next_random() << 30;
            bits |= (next_random() - 1) & 0x3fffffff;
            bits >>= 7;
        }
        x = (double)bits * 0x1p-54;
    } while (!(x < 1));
    return x;
}

static float random_float(void) {
    float x;
    do {
        uint64_t bits = is_arbitrary ? labrys_any(25) : next_random() >> 6;
        x = (float)bits * 0x1p-25f;
    } while (!(x < 1));
    return x;
}

void _FortranARandomNumber(const struct descriptor *harvest, const char *file, int line) {
    int64_t at[MAX_RANK] = {0};
    for (int64_t left = elements(harvest); left > 0; left--, advance(harvest, at)) {
        char *place = element(harvest, at);
        if (harvest->type == TYPE_REAL8 && harvest->size == 8) *(double *)place = random_double();
        else if (harvest->type == TYPE_REAL4 && harvest->size == 4) *(float *)place = random_float();
        else labrys_unmodelled("random_number of such a kind");
    }
}

/* ieee_exceptions: flang's own numbers of exceptions as the C library's. */
uint32_t _FortranAMapException(uint32_t exceptions) {
    uint32_t mapped = 0;
    if (exceptions & 1) mapped |= FE_INVALID;
    if (exceptions & 2) mapped |= 2; /* x86's denormal operand */
    if (exceptions & 4) mapped |= FE_DIVBYZERO;
    if (exceptions & 8) mapped |= FE_OVERFLOW;
    if (exceptions & 16) mapped |= FE_UNDERFLOW;
    if (exceptions & 32) mapped |= FE_INEXACT;
    return mapped;
}

int _FortranAfeclearexcept(int exceptions) {
    return feclearexcept(exceptions);
}

int _FortranAferaiseexcept(int exceptions) {
    return feraiseexcept(exceptions);
}

int _FortranAfetestexcept(int exceptions) {
    return fetestexcept(exceptions);
}

bool _FortranASupportHalting(uint32_t exceptions) {
    return true;
}

/* The command line is what labrys verify is told; none is read here. */
int32_t _FortranAArgumentCount(void) {
    labrys_unmodelled("command_argument_count");
}

int32_t _FortranAGetCommandArgument(int32_t number, const void *value, const void *length, const void *message, const char *file,
                                    int line) {
    labrys_unmodelled("get_command_argument");
}

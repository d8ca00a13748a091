/* Answers a program's requests for inputs from a recorded test, and says how the program ended. Part of labrys.

   The test is the file in KLEE's .ktest format that the variable LABRYS_REPLAY names, or, where LABRYS_SUITE is defined, a
   table of the file that includes this one. What is said goes to the file descriptor in LABRYS_REPLAY_REPORT, else to standard
   error, and so do the sanitizers' reports: they cannot be mistaken for what the program itself prints. Each request is a
   line "LABRYS input NUMBER OFFSET NAME", where the offset is that of the call in the program; how the program ended a
   line "LABRYS end KIND DETAIL...", tabs between the parts, with the sanitizer's list of the calls behind it; what it computed, where
   somebody says so, lines "LABRYS output NAME BYTES".

   Everything that a program may define itself is weak. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define LABRYS_WEAK __attribute__((weak))

struct labrys_object {
    const char *name;
    uint32_t size;
    const unsigned char *bytes;
};

static const struct labrys_object *labrys_objects;
static uint32_t labrys_count;
static uint32_t labrys_next;
static int labrys_report = 2;

/* Whether the first objects are what standard input has, and its state: whoever starts the program hands them over. */
static int labrys_has_standard_input(const struct labrys_object *objects, uint32_t count) {
    return count >= 2 && strcmp(objects[0].name, "stdin") == 0 && strcmp(objects[1].name, "stdin-stat") == 0 &&
           objects[1].size == 144;
}

static void labrys_give(const struct labrys_object *objects, uint32_t count) {
    labrys_objects = objects;
    labrys_count = count;
    labrys_next = labrys_has_standard_input(objects, count) ? 2 : 0;
}

/* Inputs that are told one by one; more would make files of gigabytes. */
#define LABRYS_TOLD 10000

/* Exit codes: they tell nothing beyond the report, but that this ended the program. */
#define LABRYS_EXIT_ERROR 90
#define LABRYS_EXIT_INPUTS 91
#define LABRYS_EXIT_ASSUMPTION 92
#define LABRYS_EXIT_OUTPUTS 93

extern const char __ehdr_start[] LABRYS_WEAK __attribute__((visibility("hidden")));
LABRYS_WEAK void __sanitizer_set_report_fd(void *descriptor);
LABRYS_WEAK void __sanitizer_print_stack_trace(void);
LABRYS_WEAK int __llvm_profile_write_file(void);

static void labrys_tell(const char *format, ...) {
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (length < 0) return;
    if ((size_t)length > sizeof line - 2) length = (int)(sizeof line - 2);
    for (int i = 0; i < length; i++)
        if (line[i] == '\n') line[i] = ' ';
    line[length++] = '\n';
    ssize_t written = write(labrys_report, line, (size_t)length);
    (void)written;
}

/* Ends the program without what it has asked to be done at its end; what it covered is kept. */
__attribute__((noreturn)) static void labrys_leave(int code) {
    if (__llvm_profile_write_file) __llvm_profile_write_file();
    _exit(code);
}

__attribute__((noreturn)) static void labrys_end(int code) {
    if (__sanitizer_print_stack_trace) __sanitizer_print_stack_trace();
    labrys_leave(code);
}

/* Code that runs before sanitizers are there, or looks into the stack behind their backs. */
#ifdef __has_attribute
#if __has_attribute(disable_sanitizer_instrumentation)
#define LABRYS_PLAIN __attribute__((noinline, disable_sanitizer_instrumentation))
#endif
#endif
#ifndef LABRYS_PLAIN
#define LABRYS_PLAIN __attribute__((noinline, no_sanitize("address")))
#endif

/* Bytes of the stack between what starts and ends the program and its own calls. */
#define LABRYS_APART 262144

/* Runs at the end, before the sanitizer looks for leaks: pointers that calls have left on the stack behind them would hide them. */
LABRYS_PLAIN static void labrys_forget(void) {
    volatile unsigned char stale[2 * LABRYS_APART];
    for (size_t i = 0; i < sizeof stale; i++) stale[i] = 0;
}

typedef int (*labrys_main_type)(int, char **, char **);

static labrys_main_type labrys_main;

/* Calls the program deep in the stack: what ends it has its own part, where the program has left nothing. */
LABRYS_PLAIN static int labrys_deep(int argc, char **argv, char **environment) {
    unsigned char apart[LABRYS_APART];
    /* The compiler must take the whole array for used, before and behind the call. */
    __asm__ volatile("" : : "r"(apart) : "memory");
    int code = labrys_main(argc, argv, environment);
    __asm__ volatile("" : : "r"(apart) : "memory");
    return code;
}

#ifndef LABRYS_SUITE
/* A signal ends the program: what it covered is kept. */
static void labrys_dies(int number) {
    signal(number, SIG_DFL);
    if (__llvm_profile_write_file) __llvm_profile_write_file();
    raise(number);
}

__attribute__((noreturn)) static void labrys_damaged(const char *why) {
    labrys_tell("LABRYS end\tdamaged\t%s", why);
    _exit(LABRYS_EXIT_INPUTS);
}

static unsigned char *labrys_at, *labrys_behind;

static unsigned char *labrys_take(uint32_t size) {
    if ((size_t)(labrys_behind - labrys_at) < size) labrys_damaged("the file of inputs is too short");
    unsigned char *start = labrys_at;
    labrys_at += size;
    return start;
}

static uint32_t labrys_number(void) {
    unsigned char *at = labrys_take(4);
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void labrys_read(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) labrys_damaged("the file of inputs cannot be opened");
    off_t length = lseek(file, 0, SEEK_END);
    lseek(file, 0, SEEK_SET);
    unsigned char *bytes = length < 0 ? NULL : (unsigned char *)malloc((size_t)length + 1);
    if (!bytes) labrys_damaged("the file of inputs cannot be held in memory");
    labrys_at = labrys_behind = bytes;
    while (labrys_behind < bytes + length) {
        ssize_t got = read(file, labrys_behind, (size_t)(bytes + length - labrys_behind));
        if (got <= 0) labrys_damaged("the file of inputs cannot be read");
        labrys_behind += got;
    }
    close(file);
    if (memcmp(labrys_take(5), "KTEST", 5) != 0) labrys_damaged("the file of inputs is no .ktest file");
    uint32_t version = labrys_number();
    for (uint32_t left = labrys_number(); left > 0; left--) labrys_take(labrys_number());
    if (version >= 2) labrys_take(8);
    uint32_t count = labrys_number();
    struct labrys_object *objects = (struct labrys_object *)calloc((size_t)count + 1, sizeof *objects);
    if (!objects) labrys_damaged("the inputs cannot be held in memory");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = labrys_number();
        unsigned char *name = labrys_take(size);
        char *copy = (char *)calloc((size_t)size + 1, 1);
        if (!copy) labrys_damaged("the inputs cannot be held in memory");
        memcpy(copy, name, size);
        objects[i].name = copy;
        objects[i].size = labrys_number();
        objects[i].bytes = labrys_take(objects[i].size);
    }
    labrys_give(objects, count);
}

#ifdef __GLIBC__
typedef int (*labrys_start_type)(labrys_main_type, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

LABRYS_PLAIN int __libc_start_main(labrys_main_type main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                                   void (*rtld_fini)(void), void *stack_end) {
    labrys_start_type start;
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    if (!start) _exit(LABRYS_EXIT_INPUTS);
    labrys_main = main;
    return start(labrys_deep, argc, argv, init, fini, rtld_fini, stack_end);
}
#endif

#if defined(__GLIBC__) && defined(__x86_64__)
static struct sigaction labrys_before;

/* A call of the null pointer: the sanitizer is told of the call, as the list of calls begins with the caller's caller where there is no
   code. Then as before. */
LABRYS_PLAIN static void labrys_fault(int number, siginfo_t *info, void *context) {
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    if (registers[REG_RIP] == 0 && registers[REG_RSP] != 0) {
        registers[REG_RIP] = *(greg_t *)registers[REG_RSP] - 1;
        registers[REG_RSP] += (greg_t)sizeof(greg_t);
    }
    labrys_before.sa_sigaction(number, info, context);
}

LABRYS_PLAIN static void labrys_watch_faults(void) {
    int (*change)(int, const struct sigaction *, struct sigaction *);
    *(void **)&change = dlsym(RTLD_NEXT, "sigaction");
    if (!change || change(SIGSEGV, NULL, &labrys_before) != 0) return;
    if (!(labrys_before.sa_flags & SA_SIGINFO) || !labrys_before.sa_sigaction) return;
    struct sigaction own = labrys_before;
    own.sa_sigaction = labrys_fault;
    change(SIGSEGV, &own, NULL);
}
#else
static void labrys_watch_faults(void) {}
#endif

__attribute__((constructor(101))) static void labrys_begin(void) {
    atexit(labrys_forget);
    labrys_watch_faults();
    const char *report = getenv("LABRYS_REPLAY_REPORT");
    if (report && *report) {
        labrys_report = atoi(report);
        if (__sanitizer_set_report_fd) __sanitizer_set_report_fd((void *)(intptr_t)labrys_report);
    }
    const char *path = getenv("LABRYS_REPLAY");
    if (path && *path) labrys_read(path);
    if (__llvm_profile_write_file) {
        static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
        for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++) signal(fatal[i], labrys_dies);
    }
}
#endif

#ifdef LABRYS_SUITE
/* How many requests beyond the recorded ones are answered by zeros: a program without the error that ended the recorded run may go on to ask. */
static uint32_t labrys_spare;
static int labrys_is_beyond;
#endif

/* The program assumes what its inputs are not. Zeros in the place of inputs that were not recorded may not be what it takes: that is no failure. */
__attribute__((noreturn)) static void labrys_exclude(const char *name) {
#ifdef LABRYS_SUITE
    if (labrys_is_beyond) labrys_leave(LABRYS_EXIT_ASSUMPTION);
#endif
    labrys_tell("LABRYS end\tassumption\t%s", name);
    labrys_end(LABRYS_EXIT_ASSUMPTION);
}

/* Hands the next object over: `size` bytes, or `other` where the compilers of two tools store a type differently. */
static void labrys_input(void *into, size_t size, size_t other, const char *name, const void *caller) {
    uint32_t number = labrys_next;
#ifdef LABRYS_SUITE
    (void)caller;
    if (number >= labrys_count && labrys_spare > 0) {
        if (!labrys_is_beyond) labrys_tell("the program asks for more inputs than were recorded: they are zeros");
        labrys_is_beyond = 1;
        if (--labrys_spare == 0) labrys_leave(LABRYS_EXIT_ASSUMPTION);
        memset(into, 0, size);
        return;
    }
#else
    if (number < LABRYS_TOLD) {
        uintptr_t offset = caller && __ehdr_start ? (uintptr_t)caller - 1 - (uintptr_t)__ehdr_start : 0;
        labrys_tell("LABRYS input\t%u\t%llx\t%s", number, (unsigned long long)offset, name ? name : "");
    }
#endif
    if (number >= labrys_count) {
        labrys_tell("LABRYS end\tinputs-exhausted\t%u\t%s", labrys_count, name ? name : "");
        labrys_end(LABRYS_EXIT_INPUTS);
    }
    const struct labrys_object *object = &labrys_objects[number];
    labrys_next++;
    if (object->size != size && object->size != other) {
        labrys_tell("LABRYS end\tinput-size\t%u\t%zu\t%s", object->size, size, name ? name : "");
        labrys_end(LABRYS_EXIT_INPUTS);
    }
    memcpy(into, object->bytes, object->size < size ? object->size : size);
}

/* What the program computed: `count` values of `size` bytes, one every `stride` bytes; of the letter `kind`: f of a float, i of anything
   else. In a suite they are compared with the recorded ones: bit for bit, or, where LABRYS_ULPS is defined, floats of four and eight bytes
   within so many units in the last place. */
#ifdef LABRYS_SUITE
static const struct labrys_object *labrys_expected;
static uint32_t labrys_expected_count, labrys_expected_next;
static int labrys_deviates;
#ifndef LABRYS_ULPS
#define LABRYS_ULPS 0
#endif

/* A float's place among all of its type, ascending. */
static int64_t labrys_place(const unsigned char *bytes, uint32_t size) {
    if (size == 4) {
        int32_t bits;
        memcpy(&bits, bytes, 4);
        return bits < 0 ? -(int64_t)(bits & INT32_MAX) : bits;
    }
    int64_t bits;
    memcpy(&bits, bytes, 8);
    return bits < 0 ? -(bits & INT64_MAX) : bits;
}

static int labrys_is_nan(const unsigned char *bytes, uint32_t size) {
    if (size == 4) {
        float value;
        memcpy(&value, bytes, 4);
        return __builtin_isnan(value);
    }
    double value;
    memcpy(&value, bytes, 8);
    return __builtin_isnan(value);
}

static int labrys_is_as_recorded(const unsigned char *is, const unsigned char *was, uint32_t size, int kind) {
    if (memcmp(is, was, size) == 0) return 1;
    if (LABRYS_ULPS == 0 || kind != 'f' || (size != 4 && size != 8)) return 0;
    if (labrys_is_nan(is, size) || labrys_is_nan(was, size)) return labrys_is_nan(is, size) && labrys_is_nan(was, size);
    int64_t a = labrys_place(is, size), b = labrys_place(was, size);
    return (a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a) <= LABRYS_ULPS;
}
#endif

LABRYS_WEAK void labrys_output(const char *name, const void *address, size_t size, size_t count, size_t stride, int kind) {
    for (size_t i = 0; i < count; i++) {
        const unsigned char *bytes = (const unsigned char *)address + i * stride;
#ifdef LABRYS_SUITE
        (void)name;
        if (!labrys_expected) return;
        if (labrys_expected_next >= labrys_expected_count) labrys_deviates = 1;
        else {
            const struct labrys_object *was = &labrys_expected[labrys_expected_next++];
            if (was->size != size || !labrys_is_as_recorded(bytes, was->bytes, was->size, kind)) labrys_deviates = 1;
        }
#else
        (void)kind;
        char digits[65];
        if (size > 32) return;
        for (size_t j = 0; j < size; j++) snprintf(digits + 2 * j, 3, "%02x", bytes[j]);
        digits[2 * size] = 0;
        labrys_tell(count > 1 ? "LABRYS output\t%s\t%s\t%zu" : "LABRYS output\t%s\t%s", name, digits, i);
#endif
    }
}

#define LABRYS_CALLER __builtin_return_address(0)

#define LABRYS_NONDET(function, type, other)                                     \
    LABRYS_WEAK type function(void);                                             \
    type function(void) {                                                        \
        type value;                                                              \
        memset(&value, 0, sizeof value);                                         \
        labrys_input(&value, sizeof value, other, #function, LABRYS_CALLER);     \
        return value;                                                            \
    }

/* KLEE's functions. */

LABRYS_WEAK void klee_make_symbolic(void *address, size_t size, const char *name) {
    labrys_input(address, size, size, name, LABRYS_CALLER);
}

LABRYS_WEAK int klee_range(int begin, int end, const char *name) {
    int value;
    if (begin >= end) {
        labrys_tell("LABRYS end\terror-reached\tklee_range\t");
        labrys_end(LABRYS_EXIT_ERROR);
    }
    /* As in KLEE's library, what has one value is no input. */
    if (begin + 1 == end) return begin;
    labrys_input(&value, sizeof value, sizeof value, name, LABRYS_CALLER);
    if (value < begin || value >= end) {
        labrys_exclude("klee_range");
    }
    return value;
}

LABRYS_WEAK int klee_int(const char *name) {
    int value;
    labrys_input(&value, sizeof value, sizeof value, name, LABRYS_CALLER);
    return value;
}

LABRYS_WEAK uintptr_t klee_choose(uintptr_t count) {
    uintptr_t value;
    labrys_input(&value, sizeof value, sizeof value, "klee_choose", LABRYS_CALLER);
    if (value >= count) {
        labrys_exclude("klee_choose");
    }
    return value;
}

LABRYS_WEAK void klee_assume(uintptr_t condition) {
    if (condition) return;
    labrys_exclude("klee_assume");
}

LABRYS_WEAK __attribute__((noreturn)) void klee_silent_exit(int status) {
    labrys_tell("LABRYS end\tsilent-exit\t%d", status);
    labrys_leave(status);
}

LABRYS_WEAK __attribute__((noreturn)) void klee_abort(void) {
    labrys_tell("LABRYS end\terror-reached\tklee_abort\t");
    labrys_end(LABRYS_EXIT_ERROR);
}

LABRYS_WEAK __attribute__((noreturn)) void klee_report_error(const char *file, int line, const char *message,
                                                             const char *suffix) {
    labrys_tell("LABRYS end\terror-reached\tklee_report_error\t%s:%d: %s (%s)", file, line, message, suffix);
    labrys_end(LABRYS_EXIT_ERROR);
}

LABRYS_WEAK unsigned klee_is_symbolic(uintptr_t value) { return (void)value, 0; }
LABRYS_WEAK unsigned klee_is_replay(void) { return 1; }
LABRYS_WEAK void klee_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
LABRYS_WEAK void klee_posix_prefer_cex(void *object, uintptr_t condition) { (void)object, (void)condition; }
LABRYS_WEAK void klee_mark_global(void *object) { (void)object; }
LABRYS_WEAK void klee_print_expr(const char *message, ...) { (void)message; }
LABRYS_WEAK void klee_print_range(const char *name, int value) { (void)name, (void)value; }
LABRYS_WEAK void klee_warning(const char *message) { (void)message; }
LABRYS_WEAK void klee_warning_once(const char *message) { (void)message; }
LABRYS_WEAK void klee_stack_trace(void) {}
LABRYS_WEAK void klee_set_forking(unsigned enable) { (void)enable; }
LABRYS_WEAK void klee_open_merge(void) {}
LABRYS_WEAK void klee_close_merge(void) {}
LABRYS_WEAK void klee_check_memory_access(const void *address, size_t size) { (void)address, (void)size; }
LABRYS_WEAK float klee_get_valuef(float value) { return value; }
LABRYS_WEAK double klee_get_valued(double value) { return value; }
LABRYS_WEAK long klee_get_valuel(long value) { return value; }
LABRYS_WEAK long long klee_get_valuell(long long value) { return value; }
LABRYS_WEAK int32_t klee_get_value_i32(int32_t value) { return value; }
LABRYS_WEAK int64_t klee_get_value_i64(int64_t value) { return value; }

/* SV-COMP's functions; those that return a value follow from a table. */

LABRYS_WEAK void __VERIFIER_assume(int condition) {
    if (condition) return;
    labrys_exclude("__VERIFIER_assume");
}

LABRYS_WEAK void __VERIFIER_nondet_memory(void *address, size_t size) {
    labrys_input(address, size, size, "__VERIFIER_nondet_memory", LABRYS_CALLER);
}

LABRYS_WEAK __attribute__((noreturn)) void __VERIFIER_error(void) {
    labrys_tell("LABRYS end\terror-reached\t__VERIFIER_error\t");
    labrys_end(LABRYS_EXIT_ERROR);
}

LABRYS_WEAK __attribute__((noreturn)) void reach_error(void) {
    labrys_tell("LABRYS end\terror-reached\treach_error\t");
    labrys_end(LABRYS_EXIT_ERROR);
}

LABRYS_WEAK void __VERIFIER_assert(int condition) {
    if (condition) return;
    labrys_tell("LABRYS end\terror-reached\t__VERIFIER_assert\t");
    labrys_end(LABRYS_EXIT_ERROR);
}

/* Fortran's `error stop`, of flang's runtime and gfortran's: linkers put these in the place of the functions, others stop as ever. */

#define LABRYS_ERROR_STOP(function, ...)                  \
    LABRYS_WEAK void __real_##function(__VA_ARGS__);      \
    LABRYS_WEAK void __wrap_##function(__VA_ARGS__);      \
    void __wrap_##function(__VA_ARGS__)

__attribute__((noreturn)) static void labrys_error_stop(void) {
    labrys_tell("LABRYS end\terror-reached\terror stop\t");
    labrys_end(LABRYS_EXIT_ERROR);
}

LABRYS_ERROR_STOP(_FortranAStopStatement, int code, unsigned char is_error, unsigned char quiet) {
    if (is_error) labrys_error_stop();
    __real__FortranAStopStatement(code, is_error, quiet);
}

LABRYS_ERROR_STOP(_FortranAStopStatementText, const char *text, size_t length, unsigned char is_error, unsigned char quiet) {
    if (is_error) labrys_error_stop();
    __real__FortranAStopStatementText(text, length, is_error, quiet);
}

LABRYS_ERROR_STOP(_gfortran_error_stop_numeric, int code, unsigned char quiet) {
    (void)code, (void)quiet;
    labrys_error_stop();
}

LABRYS_ERROR_STOP(_gfortran_error_stop_string, const char *text, size_t length, unsigned char quiet) {
    (void)text, (void)length, (void)quiet;
    labrys_error_stop();
}

/* The C library's assert, as glibc and musl call it. */
LABRYS_WEAK __attribute__((noreturn)) void __assert_fail(const char *text, const char *file, unsigned line,
                                                         const char *function) {
    (void)function;
    labrys_tell("LABRYS end\tassertion\t%u\t%s\t%s", line, file, text);
    labrys_end(LABRYS_EXIT_ERROR);
}

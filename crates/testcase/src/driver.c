
/* Runs the tests, each as a process of its own: this program again, told by the environment which test it is and what sanitizers are to do,
   for only there nothing overrules it. The program under test has what it has when labrys runs it: the test's standard input, or none, an empty
   environment. */

#include <errno.h>

/* The test could not be started. */
#define LABRYS_EXIT_START 95
#ifdef LABRYS_LEAKS
#define LABRYS_LEAK_OPTION ":detect_leaks=1"
#else
#define LABRYS_LEAK_OPTION ":detect_leaks=0"
#endif
/* What a program of Rust's ends with that panics and unwinds. */
#ifndef LABRYS_EXIT_PANIC
#define LABRYS_EXIT_PANIC LABRYS_EXIT_ERROR
#endif
/* Inputs beyond the recorded ones that a program without the error gets: then its run has shown enough. They are zeros. */
#define LABRYS_SPARE 1000
#define LABRYS_VARIABLE "LABRYS_TEST"

extern char **environ;
/* The program's main, by the names that it has in C and, with parameters of three kinds, in C++. */
LABRYS_WEAK int labrys_program_main(int, char **);
LABRYS_WEAK int labrys_cpp_main(void) __asm__("_Z19labrys_program_mainv");
LABRYS_WEAK int labrys_cpp_main_of_two(int, char **) __asm__("_Z19labrys_program_mainiPPc");
LABRYS_WEAK int labrys_cpp_main_of_three(int, char **, char **) __asm__("_Z19labrys_program_mainiPPcS0_");

static int labrys_call(int argument_count, char **arguments, char **environment) {
    /* Where it takes fewer arguments, it does not see the others. */
    labrys_main_type in_c = (labrys_main_type)(void (*)(void))labrys_program_main;
    if (labrys_program_main) return in_c(argument_count, arguments, environment);
    if (labrys_cpp_main) return labrys_cpp_main();
    if (labrys_cpp_main_of_two) return labrys_cpp_main_of_two(argument_count, arguments);
    if (labrys_cpp_main_of_three) return labrys_cpp_main_of_three(argument_count, arguments, environment);
    fprintf(stderr, "the program has no main that tests can call\n");
    _exit(LABRYS_EXIT_START);
}

/* A sanitizer's options: the user's, and behind them ours. */
static void labrys_tell_sanitizer(const char *variable) {
    static const char own[] = LABRYS_SANITIZER_OPTIONS LABRYS_LEAK_OPTION;
    const char *given = getenv(variable);
    size_t length = given ? strlen(given) : 0;
    char *options = (char *)malloc(length + sizeof own + 1);
    if (!options) _exit(LABRYS_EXIT_START);
    if (length > 0) {
        memcpy(options, given, length);
        options[length++] = ':';
    }
    memcpy(options + length, own, sizeof own);
    if (setenv(variable, options, 1) != 0) _exit(LABRYS_EXIT_START);
    free(options);
}

/* A descriptor from which a test's standard input can be read: a pipe that holds all of it, or nothing. */
static int labrys_open_input(const struct labrys_test *test) {
    int ends[2];
    if (!labrys_has_standard_input(test->objects, test->count)) return open("/dev/null", O_RDONLY);
    if (pipe(ends) != 0) return -1;
    ssize_t written = write(ends[1], test->objects[0].bytes, test->objects[0].size);
    close(ends[1]);
    return written == (ssize_t)test->objects[0].size ? ends[0] : -1;
}

/* Becomes the process of a test. */
static void labrys_start(const struct labrys_test *test, char *program) {
    static const char *const sanitizers[] = {"ASAN_OPTIONS", "LSAN_OPTIONS", "MSAN_OPTIONS", "UBSAN_OPTIONS"};
    for (size_t i = 0; i < sizeof sanitizers / sizeof sanitizers[0]; i++) labrys_tell_sanitizer(sanitizers[i]);
    int input = labrys_open_input(test);
    if (setenv(LABRYS_VARIABLE, test->name, 1) != 0 || input < 0 || dup2(input, 0) != 0) _exit(LABRYS_EXIT_START);
    if (input > 0) close(input);
    alarm(60);
    char *arguments[] = {program, NULL};
    execv("/proc/self/exe", arguments);
    if (program) execv(program, arguments);
    fprintf(stderr, "%s: cannot be started: %s\n", test->name, strerror(errno));
    _exit(LABRYS_EXIT_START);
}

/* The process of a test. */
static void labrys_run(const struct labrys_test *test) {
    static char *nothing[] = {NULL};
    environ = nothing;
    atexit(labrys_forget);
    labrys_give(test->objects, test->count);
    if (test->output_count > 0) labrys_expected = test->outputs;
    labrys_expected_count = test->output_count;
    if (test->exit_code < 0) labrys_spare = LABRYS_SPARE;
    labrys_main = labrys_call;
    int ended = labrys_deep(test->argument_count, test->arguments, nothing);
    exit(labrys_deviates || labrys_expected_next != labrys_expected_count ? LABRYS_EXIT_OUTPUTS : ended);
}

static int labrys_holds(const struct labrys_test *test, char *program) {
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) labrys_start(test, program);
    if (child < 0) return 0;
    while (waitpid(child, &status, 0) != child)
        if (errno != EINTR) return 0;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    int is_error = code < 0 || code == LABRYS_EXIT_ERROR || code == LABRYS_EXIT_SANITIZER || code == LABRYS_EXIT_PANIC;
    if (code == LABRYS_EXIT_START) return 0;
    if (test->exit_code == -1) return is_error;
    /* On an input that the program no longer admits there is no error; where it asks for others in their place nobody knows. */
    if (test->exit_code == -2) return !is_error && code != LABRYS_EXIT_INPUTS;
    return code == test->exit_code;
}

static const struct labrys_test *labrys_find(const char *name) {
    for (const struct labrys_test *test = labrys_tests; test->name; test++)
        if (strcmp(test->name, name) == 0) return test;
    return NULL;
}

/* Whether a test does what it should. */
static int labrys_try(const struct labrys_test *test, char *program) {
    int holds = labrys_holds(test, program);
    const char *what = test->exit_code == -2 ? "without an error" : "as recorded";
    printf("%s: %s%s\n", test->name, holds ? "" : "NOT ", what);
    return holds;
}

int main(int argument_count, char **arguments) {
    const char *started = getenv(LABRYS_VARIABLE);
    const struct labrys_test *run = started ? labrys_find(started) : NULL;
    if (run) labrys_run(run);
    int failures = 0;
    if (argument_count < 2)
        for (const struct labrys_test *test = labrys_tests; test->name; test++) failures += !labrys_try(test, arguments[0]);
    for (int i = 1; i < argument_count; i++) {
        const struct labrys_test *test = labrys_find(arguments[i]);
        if (!test) fprintf(stderr, "%s: there is no such test\n", arguments[i]);
        failures += !test || !labrys_try(test, arguments[0]);
    }
    return failures > 100 ? 100 : failures;
}

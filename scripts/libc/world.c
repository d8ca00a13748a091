/* The world outside: time is any time, the environment is empty, the locale is C's, signals do not come. */

#include <errno.h>
#include <locale.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "labrys.h"

time_t time(time_t *at) {
    time_t now = (time_t)labrys_any(40);
    if (at) *at = now;
    return now;
}

clock_t clock(void) {
    return (clock_t)labrys_any(40);
}

double difftime(time_t a, time_t b) {
    return (double)(a - b);
}

char *getenv(const char *name) {
    return NULL;
}

char *secure_getenv(const char *name) {
    return NULL;
}

char *setlocale(int category, const char *name) {
    if (name == NULL || name[0] == 0 || strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0) return "C";
    return NULL;
}

struct lconv *localeconv(void) {
    static struct lconv conventions;
    memset(&conventions, CHAR_MAX, sizeof conventions);
    conventions.decimal_point = ".";
    conventions.thousands_sep = conventions.grouping = conventions.int_curr_symbol = conventions.currency_symbol = "";
    conventions.mon_decimal_point = conventions.mon_thousands_sep = conventions.mon_grouping = "";
    conventions.positive_sign = conventions.negative_sign = "";
    return &conventions;
}

int strcoll(const char *a, const char *b) {
    return strcmp(a, b);
}

size_t strxfrm(char *to, const char *from, size_t size) {
    size_t length = strlen(from);
    if (length < size) memcpy(to, from, length + 1);
    else if (size > 0) memcpy(to, from, size);
    return length;
}

sighandler_t signal(int number, sighandler_t handler) {
    return SIG_DFL;
}

/* glibc's words, of what these functions and programs' own uses report. */
char *strerror(int number) {
    switch (number) {
    case 0: return "Success";
    case EPERM: return "Operation not permitted";
    case ENOENT: return "No such file or directory";
    case EIO: return "Input/output error";
    case EBADF: return "Bad file descriptor";
    case ENOMEM: return "Cannot allocate memory";
    case EACCES: return "Permission denied";
    case EEXIST: return "File exists";
    case EINVAL: return "Invalid argument";
    case EDOM: return "Numerical argument out of domain";
    case ERANGE: return "Numerical result out of range";
    case EOVERFLOW: return "Value too large for defined data type";
    default: labrys_unmodelled("strerror of a rare number");
    }
}

/* One thread. */
char __libc_single_threaded = 1;

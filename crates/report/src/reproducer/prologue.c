#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <fenv.h>
#include <link.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Each build is loaded by a process of its own, and called once on the witness. */
struct build {
    const char *role, *library;
    int ftz; /* whether the control register starts with flush-to-zero and denormals-are-zero */
};

struct leaf {
    const char *name;
    char kind; /* f: floating point, i: signed, u: unsigned */
    int size;  /* bytes that hold the value */
    size_t offset;
};


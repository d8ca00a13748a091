/* What a child leaves in memory that it shares with its parent. */
struct observation {
    volatile int loaded, returned;
    int flags;
    unsigned char record[RECORD];
    int status; /* of waitpid */
    int timeout;
};

static void set_startup(int ftz) {
#if defined __x86_64__
    unsigned control = __builtin_ia32_stmxcsr() & ~0x8040u;
    __builtin_ia32_ldmxcsr(ftz ? control | 0x8040u : control);
#else
    (void)ftz;
#endif
}

/* What stands at an offset from where the library is loaded. */
static void *address(void *library, size_t offset) {
    struct link_map *map = 0;
    return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? (char *)map->l_addr + offset : 0;
}

static void child(const struct build *build, struct observation *seen) {
    void *library = dlopen(build->library, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        _exit(2);
    }
    void *function = ADDRESS ? address(library, ADDRESS) : find(library, build->library, SYMBOL);
    void (*init)(void) = (void (*)(void))(INIT ? find(library, build->library, INIT) : 0);
    if (!function || (INIT && !init)) {
        fprintf(stderr, "%s: no function %s\n", build->library, function ? INIT : SYMBOL);
        _exit(2);
    }
    struct rlimit core = {0, 0}, memory = {(rlim_t)MEMORY_MIB << 20, (rlim_t)MEMORY_MIB << 20};
    setrlimit(RLIMIT_CORE, &core);
    if (MEMORY_MIB) setrlimit(RLIMIT_AS, &memory);
    set_startup(build->ftz);
    seen->loaded = 1;
    if (init) init();
    call(function, seen->record, &seen->flags);
    seen->returned = 1;
    _exit(0);
}

static struct observation *observe(const struct build *build) {
    struct observation *seen = mmap(0, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (seen == MAP_FAILED) exit(2);
    fflush(0);
    pid_t pid = fork();
    if (pid < 0) exit(2);
    if (pid == 0) child(build, seen);
    struct timespec begun, now;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    int called = 0;
    while (waitpid(pid, &seen->status, WNOHANG) == 0) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        /* The call's time runs from when its library is loaded. Twice the limit: this machine may be the slower one. */
        if (seen->loaded && !called) {
            begun = now;
            called = 1;
        }
        double elapsed = (now.tv_sec - begun.tv_sec) * 1000.0 + (now.tv_nsec - begun.tv_nsec) / 1e6;
        if (elapsed > (called ? 2.0 * LIMIT_MS + 1000 : 60000)) {
            kill(pid, SIGKILL);
            waitpid(pid, &seen->status, 0);
            seen->timeout = 1;
            break;
        }
        usleep(500);
    }
    if (!seen->loaded) exit(2);
    return seen;
}

static void show_value(char *text, size_t size, const struct leaf *leaf, const unsigned char *record) {
    const unsigned char *from = record + leaf->offset;
    union {
#ifdef __FLT16_MAX__
        _Float16 h;
#endif
        float f; double d; long double l; long long i; unsigned long long u;
    } value;
    memset(&value, 0, sizeof value);
    memcpy(&value, from, leaf->size);
#ifdef __FLT16_MAX__
    if (leaf->kind == 'f' && leaf->size == 2) {
        snprintf(text, size, "%.5g (%a)", (double)value.h, (double)value.h);
        return;
    }
#endif
    if (leaf->kind == 'f' && leaf->size == 4)
        snprintf(text, size, "%.9g (%a)", value.f, value.f);
    else if (leaf->kind == 'f' && leaf->size == 8)
        snprintf(text, size, "%.17g (%a)", value.d, value.d);
    else if (leaf->kind == 'f')
        snprintf(text, size, "%.21Lg (%La)", value.l, value.l);
    else if (leaf->kind == 'i') {
        int unused = 64 - 8 * leaf->size;
        snprintf(text, size, "%lld", (long long)(value.u << unused) >> unused);
    } else
        snprintf(text, size, "%llu", value.u);
}

static void show_flags(char *text, size_t size, int flags) {
    static const struct { int flag; const char *name; } names[] = {
        {FE_DIVBYZERO, "divbyzero"}, {FE_INVALID, "invalid"}, {FE_OVERFLOW, "overflow"},
        {FE_UNDERFLOW, "underflow"}, {FE_INEXACT, "inexact"},
    };
    snprintf(text, size, "%s", flags ? "" : "none");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (flags & names[i].flag) {
            if (*text) strncat(text, " ", size - strlen(text) - 1);
            strncat(text, names[i].name, size - strlen(text) - 1);
        }
}

static void show_outcome(char *text, size_t size, const struct observation *seen) {
    if (seen->returned)
        snprintf(text, size, "returned");
    else if (seen->timeout)
        snprintf(text, size, "time-out");
    else if (WIFSIGNALED(seen->status))
        snprintf(text, size, "signal %d", WTERMSIG(seen->status));
    else
        snprintf(text, size, "exit(%d)", WEXITSTATUS(seen->status));
}


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

static void child(const struct build *build, struct observation *seen) {
    void *library = dlopen(build->library, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        _exit(2);
    }
    void *function = find(library, build->library);
    if (!function) {
        fprintf(stderr, "%s: no function %s\n", build->library, SYMBOL);
        _exit(2);
    }
    struct rlimit core = {0, 0}, memory = {(rlim_t)MEMORY_MIB << 20, (rlim_t)MEMORY_MIB << 20};
    setrlimit(RLIMIT_CORE, &core);
    if (MEMORY_MIB) setrlimit(RLIMIT_AS, &memory);
    set_startup(build->ftz);
    seen->loaded = 1;
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

struct number {
    enum { NAN_CLASS, INFINITE, ZERO, SUBNORMAL, NORMAL } class;
    int negative;
    __int128 ordinal; /* position among the floats of this format */
};

static struct number decode(const struct leaf *leaf, const unsigned char *record) {
    unsigned __int128 bits = 0;
    memcpy(&bits, record + leaf->offset, leaf->size);
    int fraction_bits = leaf->size == 4 ? 23 : leaf->size == 8 ? 52 : 63;
    /* The 80-bit format writes the integer bit out, between exponent and fraction. */
    int exponent_shift = fraction_bits + (leaf->size == 10);
    int exponent_bits = leaf->size == 4 ? 8 : leaf->size == 8 ? 11 : 15;
    unsigned __int128 fraction = bits & (((unsigned __int128)1 << fraction_bits) - 1);
    unsigned exponent = (unsigned)(bits >> exponent_shift) & ((1u << exponent_bits) - 1);
    struct number number;
    number.negative = (int)(bits >> (exponent_shift + exponent_bits)) & 1;
    if (exponent == (1u << exponent_bits) - 1)
        number.class = fraction ? NAN_CLASS : INFINITE;
    else if (exponent == 0)
        number.class = fraction ? SUBNORMAL : ZERO;
    else
        number.class = NORMAL;
    if (number.class == NAN_CLASS) number.negative = 0;
    number.ordinal = (__int128)(((unsigned __int128)exponent << fraction_bits) | fraction);
    if (number.negative) number.ordinal = -number.ordinal;
    return number;
}

/* Why two values differ; 0 where they do not. */
static const char *difference(const struct leaf *leaf, const unsigned char *a, const unsigned char *b) {
    if (leaf->kind != 'f') return memcmp(a + leaf->offset, b + leaf->offset, leaf->size) ? "value" : 0;
    struct number x = decode(leaf, a), y = decode(leaf, b);
    if (x.class != y.class || x.negative != y.negative) return "class";
    if (x.class == NAN_CLASS) return 0;
    __int128 apart = x.ordinal > y.ordinal ? x.ordinal - y.ordinal : y.ordinal - x.ordinal;
    return apart > (__int128)ULPS ? "ulps" : 0;
}

static void show_value(char *text, size_t size, const struct leaf *leaf, const unsigned char *record) {
    const unsigned char *from = record + leaf->offset;
    union { float f; double d; long double l; long long i; unsigned long long u; } value;
    memset(&value, 0, sizeof value);
    memcpy(&value, from, leaf->size);
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

static void row(const char *name, const char *a, const char *b, const char *why) {
    printf("%-12s %-48s %-48s%s%s\n", name, a, b, why ? " differs: " : "", why ? why : "");
}

int main(void) {
    const struct observation *a = observe(&builds[0]), *b = observe(&builds[1]);
    char left[128], right[128];
    int differs = 0;
    row("", builds[0].role, builds[1].role, 0);
    show_outcome(left, sizeof left, a);
    show_outcome(right, sizeof right, b);
    if (strcmp(left, right) != 0) differs = 1;
    row("outcome", left, right, differs ? "outcome" : 0);
    if (!a->returned || !b->returned) return differs;
    int flags_differ = (a->flags & WATCHED) != (b->flags & WATCHED);
    show_flags(left, sizeof left, a->flags & WATCHED);
    show_flags(right, sizeof right, b->flags & WATCHED);
    row("exceptions", left, right, flags_differ ? "exceptions" : 0);
    differs |= flags_differ;
    for (const struct leaf *leaf = leaves; leaf->name; leaf++) {
        const char *why = difference(leaf, a->record, b->record);
        show_value(left, sizeof left, leaf, a->record);
        show_value(right, sizeof right, leaf, b->record);
        row(leaf->name, left, right, why);
        differs |= why != 0;
    }
    return differs;
}

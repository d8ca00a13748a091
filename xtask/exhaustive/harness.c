/* Calls a function of one float on every float, and says which exceptions it raised, on how many inputs, and at which instructions.

   harness LIBRARY FUNCTION FIRST LAST LOW HIGH

   FIRST and LAST are encodings: 0 and ffffffff for all floats. LOW and HIGH are encodings of the ends of an interval, between which inputs have to
   lie; NaNs stand for none. Compiled with SPARSE, it calls 68 inputs of 65536, which says little and takes a second.

   Flags. The status of SSE and that of the x87 unit are sticky and cleared by nobody but this program. SSE's is looked at once for 16 calls, and where
   these raised something, each is made again alone. The x87 unit's is looked at once for 65536 calls; where these raised something
   there, they are made again with both units looked at. What is counted on an input is the union of both units' flags after one call with none
   set before. Where the library has data, these are brought back to what they were when it was loaded: no call sees an earlier one.

   Instructions. Of the inputs that raised something, all or, where there are more than 2^19, the first, the last and evenly spread ones of each block
   of 65536 are called again with the exceptions unmasked. A trap comes before its instruction is done; the handler masks all exceptions and steps over
   it, and takes what the status says then: unmasked underflow also traps for tiny results that are exact, masked underflow does not count these.
   The union of what is seen has to be what the input raised without traps. Where it is not, or where a call of another library or the x87 unit, which
   traps late, raised something, the input is stepped through instruction by instruction, and what is raised outside of the library's own code
   belongs to the last instruction inside, the call. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

/* What it returns is not looked at: a number in a register, whatever its type. */
typedef void function_type(float);

/* Bits of MXCSR and of the x87 status word. */
enum { INVALID = 1, DIVBYZERO = 4, OVERFLOW = 8, UNDERFLOW = 16 };
enum { WATCHED = INVALID | DIVBYZERO | OVERFLOW | UNDERFLOW, STATUS = 0x3f, MASKS = 0x1f80, STEP = 0x100 };
enum { BLOCK = 65536, BATCH = 16, PLACES = 4096 };

/* So many inputs are traced if there are no more; of more so many are spread; so many are stepped through. */
#ifdef SPARSE
enum { ALL = 1 << 13, SPREAD = 1 << 13, STEPPED = 1 << 8 };
#else
enum { ALL = 1 << 19, SPREAD = 1 << 17, STEPPED = 1 << 11 };
#endif

static const struct { int bit; const char *name; } exceptions[4] = {
    { DIVBYZERO, "divbyzero" }, { INVALID, "invalid" }, { OVERFLOW, "overflow" }, { UNDERFLOW, "underflow" },
};

static function_type *function;

/* The library: where it was loaded, its code, its writable data and what they hold at first. */
static uintptr_t base, text_start, text_end;
static unsigned char *data, *data_at_first;
static size_t data_length;

static void fail(const char *what) {
    fprintf(stderr, "harness: %s\n", what);
    exit(2);
}

/* Takes the writable part of the library, without what the dynamic linker has sealed. */
static int find_data(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    if (info->dlpi_addr != base) return 0;
    uintptr_t start = 0, end = 0, sealed = 0;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[index];
        if (header->p_type == PT_LOAD && header->p_flags & PF_W) {
            if (!end) start = base + header->p_vaddr;
            end = base + header->p_vaddr + header->p_memsz;
        }
        if (header->p_type == PT_GNU_RELRO) sealed = (base + header->p_vaddr + header->p_memsz) & -4096UL;
    }
    if (sealed > start && sealed < end) start = sealed;
    data = (unsigned char *)start;
    data_length = end - start;
    return 1;
}

/* Takes the section .text from the file, and whether the library has data of its own: the start-up code has 8 bytes of .data, and
   at most 8 of .bss. */
static void read_sections(const char *path) {
    FILE *file = fopen(path, "rb");
    ElfW(Ehdr) header;
    if (!file || fread(&header, sizeof header, 1, file) != 1) fail("cannot read the library");
    ElfW(Shdr) *sections = calloc(header.e_shnum, sizeof *sections);
    fseek(file, header.e_shoff, SEEK_SET);
    if (fread(sections, sizeof *sections, header.e_shnum, file) != header.e_shnum) fail("the library has no sections");
    int has_data = 0;
    for (int index = 0; index < header.e_shnum; index++) {
        char name[16] = "";
        fseek(file, sections[header.e_shstrndx].sh_offset + sections[index].sh_name, SEEK_SET);
        if (!fread(name, 1, sizeof name - 1, file)) continue;
        if (!strcmp(name, ".data") || !strcmp(name, ".bss")) has_data |= sections[index].sh_size > 8;
        if (strcmp(name, ".text")) continue;
        text_start = base + sections[index].sh_addr;
        text_end = text_start + sections[index].sh_size;
    }
    fclose(file);
    free(sections);
    if (!has_data) data_length = 0;
}

static void load(const char *path, const char *name) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail(dlerror());
    function = (function_type *)dlsym(library, name);
    if (!function) fail(dlerror());
    struct link_map *map;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map)) fail("the library has no link map");
    base = map->l_addr;
    dl_iterate_phdr(find_data, 0);
    read_sections(path);
    data_at_first = malloc(data_length + 1);
    memcpy(data_at_first, data, data_length);
}

static inline float of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline void restore(void) {
    if (data_length && memcmp(data, data_at_first, data_length)) memcpy(data, data_at_first, data_length);
}

static inline void call(uint32_t bits) {
    function(of_bits(bits));
    restore();
}

static inline uint32_t get_mxcsr(void) {
    uint32_t mxcsr;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr) : : "memory");
    return mxcsr;
}

static inline void set_mxcsr(uint32_t mxcsr) {
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
}

/* Whether the x87 unit is looked at after each call. */
static int with_x87;

static inline int raised_by_x87(void) {
    uint16_t status;
    __asm__ volatile("fnstsw %0" : "=m"(status) : : "memory");
    return status & WATCHED;
}

static inline int raised(void) {
    return (get_mxcsr() & WATCHED) | (with_x87 ? raised_by_x87() : 0);
}

static inline void clear(void) {
    if (with_x87) __asm__ volatile("fnclex" : : : "memory");
    set_mxcsr(MASKS);
}

static inline int flags_of(uint32_t bits) {
    clear();
    call(bits);
    return raised();
}

/* The place in a block of the input that comes after one. With SPARSE, these are the first two, every 1021st and the last one. */
static inline uint32_t next(uint32_t index) {
#ifdef SPARSE
    if (index == 0) return 1;
    return index + 1021 < BLOCK ? index + 1021 : index < BLOCK - 1 ? BLOCK - 1 : BLOCK;
#else
    return index + 1;
#endif
}

/* Which inputs. */
static uint32_t first, last;
static float low, high;

static inline int is_signaling(uint32_t bits) {
    uint32_t magnitude = bits & 0x7fffffff;
    return magnitude > 0x7f800000 && magnitude < 0x7fc00000;
}

static inline int is_asked(uint32_t bits) {
    return low != low || (of_bits(bits) >= low && of_bits(bits) <= high);
}

static void run_batches(uint32_t start, uint8_t raised_by[BLOCK]) {
    memset(raised_by, 0, BLOCK);
    int is_calm = 1;
    for (uint32_t batch = 0; batch < BLOCK; batch += BATCH) {
        int all = is_calm ? 0 : WATCHED;
        if (is_calm) {
            clear();
            for (uint32_t index = batch; index < batch + BATCH; index++)
                if (is_asked(start + index)) call(start + index);
            all = raised();
        }
        is_calm = 1;
        if (!all) continue;
        for (uint32_t index = batch; index < batch + BATCH; index++) {
            if (!is_asked(start + index)) continue;
            raised_by[index] = flags_of(start + index);
            if (raised_by[index]) is_calm = 0;
        }
    }
}

/* Calls the inputs of a block; `raised_by[i]` is what input i raised. */
static void run_block(uint32_t start, uint8_t raised_by[BLOCK]) {
#ifdef SPARSE
    with_x87 = 1;
    for (uint32_t index = 0; index < BLOCK; index = next(index)) raised_by[index] = is_asked(start + index) ? flags_of(start + index) : 0;
    return;
#endif
    with_x87 = 0;
    __asm__ volatile("fnclex" : : : "memory");
    run_batches(start, raised_by);
    if (!raised_by_x87()) return;
    with_x87 = 1;
    run_batches(start, raised_by);
}

/* An instruction of the library's code that raised something. */
struct place {
    uintptr_t address;
    uint64_t counts[4];
    uint32_t inputs[4];
};

static struct place places[PLACES];
static int places_length;

/* What the handlers know of the call that is traced. */
static volatile int is_stepping, seen, left_library;
static volatile uintptr_t before, inside;
static struct { uintptr_t address; int flags; } events[1 << 16];
static volatile int events_length;

static int in_text(uintptr_t address) {
    return address >= text_start && address < text_end;
}

static void note(uintptr_t address, int flags) {
    seen |= flags;
    if (events_length < (int)(sizeof events / sizeof *events)) {
        events[events_length].address = address;
        events[events_length].flags = flags;
        events_length++;
    }
}

static void on_trap(int number, siginfo_t *info, void *context) {
    (void)number, (void)info;
    ucontext_t *state = context;
    before = state->uc_mcontext.gregs[REG_RIP];
    if (!in_text(before)) left_library = 1;
    state->uc_mcontext.fpregs->mxcsr = MASKS;
    state->uc_mcontext.gregs[REG_EFL] |= STEP;
}

static void on_step(int number, siginfo_t *info, void *context) {
    (void)number, (void)info;
    ucontext_t *state = context;
    struct _libc_fpstate *unit = state->uc_mcontext.fpregs;
    uintptr_t here = state->uc_mcontext.gregs[REG_RIP];
    int flags = (unit->mxcsr | (is_stepping ? unit->swd : 0)) & WATCHED;
    if (!is_stepping) {
        if (flags) note(before, flags);
        unit->mxcsr = MASKS & ~(WATCHED << 7);
        state->uc_mcontext.gregs[REG_EFL] &= ~STEP;
        return;
    }
    /* `before` is the instruction that has just been done; what is done outside belongs to the last one inside. */
    if (in_text(before)) inside = before;
    if (flags) note(inside, flags);
    unit->mxcsr &= ~STATUS;
    unit->swd &= ~STATUS;
    before = here;
}

static void keep_events(uint32_t bits) {
    for (int index = 0; index < events_length; index++) {
        int at = 0;
        while (at < places_length && places[at].address != events[index].address) at++;
        if (at == PLACES) fail("too many places");
        if (at == places_length) places[places_length++].address = events[index].address;
        for (int exception = 0; exception < 4; exception++) {
            if (!(events[index].flags & exceptions[exception].bit)) continue;
            if (!places[at].counts[exception]++) places[at].inputs[exception] = bits;
        }
    }
}

static void step_through(uint32_t bits) {
    seen = events_length = 0;
    is_stepping = 1;
    inside = before = 0;
    float x = of_bits(bits);
    clear();
    __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" : : : "memory", "cc");
    function(x);
    __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" : : : "memory", "cc");
    is_stepping = 0;
    clear();
}

static void trap(uint32_t bits) {
    seen = events_length = left_library = 0;
    float x = of_bits(bits);
    clear();
    set_mxcsr(MASKS & ~(WATCHED << 7));
    function(x);
    clear();
}

static uint64_t traced, stepped, incomplete;

/* Whether the input's events could be told; false where it would have to be stepped through and may not. */
static int trace(uint32_t bits, int flags, int may_step) {
    trap(bits);
    restore();
    if (seen != flags || left_library) {
        if (!may_step) return 0;
        step_through(bits);
        restore();
        stepped++;
        if (seen != flags) incomplete++;
    }
    traced++;
    keep_events(bits);
    return 1;
}

static void install_handlers(void) {
    static unsigned char stack[1 << 16];
    stack_t other = { .ss_sp = stack, .ss_size = sizeof stack };
    sigaltstack(&other, 0);
    struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK };
    action.sa_sigaction = on_trap;
    sigaction(SIGFPE, &action, 0);
    action.sa_sigaction = on_step;
    sigaction(SIGTRAP, &action, 0);
}

/* Of each block, how many inputs raised something, the first and the last one. */
static uint32_t raising[BLOCK], first_raising[BLOCK], last_raising[BLOCK];
static uint64_t calls, counts[4], signaling_counts[4];
static uint32_t first_inputs[4];

static void count_block(uint32_t block, const uint8_t raised_by[BLOCK]) {
    for (uint32_t index = 0; index < BLOCK; index = next(index)) {
        uint32_t bits = block * BLOCK + index;
        calls += is_asked(bits);
        if (!raised_by[index]) continue;
        int signaling = is_signaling(bits);
        if (!signaling) {
            if (!raising[block]++) first_raising[block] = bits;
            last_raising[block] = bits;
        }
        for (int exception = 0; exception < 4; exception++) {
            if (!(raised_by[index] & exceptions[exception].bit)) continue;
            if (signaling) signaling_counts[exception]++;
            else if (!counts[exception]++) first_inputs[exception] = bits;
        }
    }
}

/* Traces those inputs of a block that raised something, or about `share` of them. */
static void trace_block(uint32_t block, uint64_t share, uint64_t may_step) {
    uint32_t start = block * BLOCK;
    uint32_t stride = raising[block] > share ? raising[block] / share : 1;
    uint64_t limit = stepped + may_step;
    with_x87 = 1;
    if (stride > 1) {
        trace(first_raising[block], flags_of(first_raising[block]), stepped < limit);
        trace(last_raising[block], flags_of(last_raising[block]), stepped < limit);
    }
#ifdef SPARSE
    uint32_t place = 0;
    for (uint32_t index = 0; index < BLOCK; index = next(index)) {
        if (!is_asked(start + index) || is_signaling(start + index)) continue;
        int flags = flags_of(start + index);
        if (flags && place++ % stride == 0) trace(start + index, flags, stepped < limit);
    }
#else
    for (uint32_t index = 0; index < BLOCK; index += stride) {
        uint32_t bits = start + index;
        if (!is_asked(bits) || is_signaling(bits)) continue;
        int flags = flags_of(bits);
        if (flags) trace(bits, flags, stepped < limit);
    }
#endif
}

static void print_counts(const char *name, const uint64_t *numbers, const uint32_t *inputs) {
    printf("\"%s\":{", name);
    const char *comma = "";
    for (int exception = 0; exception < 4; exception++) {
        if (!numbers[exception]) continue;
        printf("%s\"%s\":{\"count\":%llu", comma, exceptions[exception].name, (unsigned long long)numbers[exception]);
        if (inputs) printf(",\"input\":\"0x%08x\"", inputs[exception]);
        printf("}");
        comma = ",";
    }
    printf("}");
}

static void print(uint64_t all_raising) {
    printf("{\"calls\":%llu,\"raising\":%llu,", (unsigned long long)calls, (unsigned long long)all_raising);
    printf("\"traced\":%llu,\"stepped\":%llu,\"incomplete\":%llu,", (unsigned long long)traced, (unsigned long long)stepped,
           (unsigned long long)incomplete);
    print_counts("exceptions", counts, first_inputs);
    printf(",");
    print_counts("signaling", signaling_counts, 0);
    printf(",\"places\":[");
    for (int index = 0; index < places_length; index++) {
        printf("%s{\"offset\":%llu,", index ? "," : "", (unsigned long long)(places[index].address - base));
        print_counts("exceptions", places[index].counts, places[index].inputs);
        printf("}");
    }
    printf("]}\n");
}

int main(int argc, char **argv) {
    if (argc != 7) fail("harness LIBRARY FUNCTION FIRST LAST LOW HIGH");
    load(argv[1], argv[2]);
    first = strtoul(argv[3], 0, 16);
    last = strtoul(argv[4], 0, 16);
    low = of_bits(strtoul(argv[5], 0, 16));
    high = of_bits(strtoul(argv[6], 0, 16));
    static uint8_t raised_by[BLOCK];
    uint64_t all_raising = 0, blocks = 0;
    for (uint64_t block = first / BLOCK; block <= last / BLOCK; block++) {
        run_block(block * BLOCK, raised_by);
        count_block(block, raised_by);
        all_raising += raising[block];
        blocks += raising[block] > 0;
    }
    install_handlers();
    uint64_t share = all_raising <= ALL ? BLOCK : SPREAD / blocks + 1;
    uint64_t may_step = blocks ? STEPPED / blocks + 1 : 0;
    for (uint64_t block = first / BLOCK; block <= last / BLOCK; block++) {
        if (!raising[block]) continue;
        trace_block(block, share, may_step);
    }
    print(all_raising);
    return 0;
}

/* The driver loop's parts that do not depend on the signature. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef unsigned char byte;

struct labrys_job {
    void *target;
    const byte *inputs;
    byte *outputs;
    uint64_t first, count;
    volatile uint64_t *progress;
    uint32_t mxcsr;
    uint16_t x87;
    /* After how many calls the x87 status is read where they are not recorded; 0: never. */
    byte x87_block;
    /* Whether the statuses of blocks of calls are recorded. */
    byte is_recorded;
    /* Whether the calls are to be timed: each record's several times, and nothing is read. */
    byte is_timed;
    uint32_t watched;
    /* What 64 bits consist of that nobody wrote; 0: lanes are zeros, and the stack stays as it is. */
    uint64_t filling;
    /* What a call sets that panicked; null where none does. */
    volatile byte *panicked;
};

/* Given by the worker's own code, which then reads and sets the same registers. */
#ifdef LABRYS_X86_64
static inline uint32_t read_mxcsr(void) { uint32_t v; __asm__ volatile("stmxcsr %0" : "=m"(v)); return v; }
static inline void write_mxcsr(uint32_t v) { __asm__ volatile("ldmxcsr %0" :: "m"(v)); }
static inline uint16_t read_x87_status(void) { uint16_t v; __asm__ volatile("fnstsw %0" : "=a"(v)); return v; }
static inline uint16_t read_x87_control(void) { uint16_t v; __asm__ volatile("fnstcw %0" : "=m"(v)); return v; }
/* Puts MXCSR, the x87 status and the x87 control word into the eight bytes before an output record. */
static inline void record_status(byte *head) {
    __asm__ volatile("stmxcsr %0\n\tfnstsw %1\n\tfnstcw %2"
        : "=m"(*(byte (*)[4])head), "=m"(*(byte (*)[2])(head + 4)), "=m"(*(byte (*)[2])(head + 6)));
}
static inline void reset_x87(uint16_t control) { __asm__ volatile("fninit\n\tfldcw %0" :: "m"(control)); }
/* A stack that is not empty. */
#define X87_LEFT 0x3800

#ifdef LABRYS_AVX
#define CLEAR_LOW "vzeroall\n\t"
#else
#define CLEAR_LOW "xorps %%xmm0,%%xmm0\n\txorps %%xmm1,%%xmm1\n\txorps %%xmm2,%%xmm2\n\txorps %%xmm3,%%xmm3\n\t" \
    "xorps %%xmm4,%%xmm4\n\txorps %%xmm5,%%xmm5\n\txorps %%xmm6,%%xmm6\n\txorps %%xmm7,%%xmm7\n\t" \
    "xorps %%xmm8,%%xmm8\n\txorps %%xmm9,%%xmm9\n\txorps %%xmm10,%%xmm10\n\txorps %%xmm11,%%xmm11\n\t" \
    "xorps %%xmm12,%%xmm12\n\txorps %%xmm13,%%xmm13\n\txorps %%xmm14,%%xmm14\n\txorps %%xmm15,%%xmm15\n\t"
#endif
#ifdef LABRYS_AVX512
/* Writing the low 128 bits zeroes the rest. */
#define Z(n) "vpxord %%xmm" #n ",%%xmm" #n ",%%xmm" #n "\n\t"
#define CLEAR_HIGH Z(16) Z(17) Z(18) Z(19) Z(20) Z(21) Z(22) Z(23) Z(24) Z(25) Z(26) Z(27) Z(28) Z(29) Z(30) Z(31)
#else
#define CLEAR_HIGH
#endif
#define CLEAR_VECTORS() __asm__ volatile(CLEAR_LOW CLEAR_HIGH ::: "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", \
    "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15")

/* With a filling, calls go through labrys_fill: it fills every byte of the vector registers that is no argument's, and jumps on.
   Which are an argument's is found by a call of labrys_probe, made by the same code on a record whose floats have all bits set:
   the registers were cleared before. The target is kept in memory, so that no register is needed. */
void *labrys_target;
byte labrys_arguments[8][16] __attribute__((aligned(64))), labrys_rest[8][16] __attribute__((aligned(64)));
uint64_t labrys_lanes[8] __attribute__((aligned(64)));
void labrys_fill(void);
void labrys_probe(void);
__asm__(
    ".text\n.globl labrys_fill, labrys_probe\n"
    ".hidden labrys_fill, labrys_probe, labrys_target, labrys_arguments, labrys_rest, labrys_lanes\n"
    "labrys_probe:\n"
    ".irp n,0,1,2,3,4,5,6,7\n\tmovaps %xmm\\n, labrys_arguments+16*\\n(%rip)\n.endr\n"
    "\tret\n"
    "labrys_fill:\n"
    ".irp n,0,1,2,3,4,5,6,7\n"
    "\tandps labrys_arguments+16*\\n(%rip), %xmm\\n\n\torps labrys_rest+16*\\n(%rip), %xmm\\n\n.endr\n"
    ".irp n,8,9,10,11,12,13,14,15\n\tmovaps labrys_lanes(%rip), %xmm\\n\n.endr\n"
#ifdef LABRYS_AVX
    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\tvinsertf128 $1, labrys_lanes(%rip), %ymm\\n, %ymm\\n\n.endr\n"
#endif
#ifdef LABRYS_AVX512
    ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
    "\tvinsertf64x4 $1, labrys_lanes(%rip), %zmm\\n, %zmm\\n\n.endr\n"
    ".irp n,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\tvmovups labrys_lanes(%rip), %zmm\\n\n.endr\n"
    /* The upper half of a float: the lower one is zero in most fillings. */
    ".irp n,0,1,2,3,4,5,6,7\n\tkmovw labrys_lanes+2(%rip), %k\\n\n.endr\n"
#endif
    "\tjmp *labrys_target(%rip)\n");

#else

#include <fenv.h>
/* The status in the order of MXCSR; its other bits, which nobody knows here, are not those of the job, so that the state is
   put back after every call. */
static inline uint32_t read_mxcsr(void) {
    int raised = fetestexcept(FE_ALL_EXCEPT);
    return (raised & FE_INVALID ? 1 : 0) | (raised & FE_DIVBYZERO ? 4 : 0) | (raised & FE_OVERFLOW ? 8 : 0)
        | (raised & FE_UNDERFLOW ? 16 : 0) | (raised & FE_INEXACT ? 32 : 0);
}
/* The state in which this process began its first job. */
static inline void write_mxcsr(uint32_t v) {
    static fenv_t start;
    static int is_known;
    (void)v;
    if (!is_known) { feclearexcept(FE_ALL_EXCEPT); fegetenv(&start); is_known = 1; }
    fesetenv(&start);
}
static inline uint16_t read_x87_status(void) { return 0; }
static inline uint16_t read_x87_control(void) { return 0; }
static inline void record_status(byte *head) { uint32_t v = read_mxcsr(); memcpy(head, &v, 4); }
static inline void reset_x87(uint16_t control) { (void)control; }
#define X87_LEFT 0
#define CLEAR_VECTORS() __asm__ volatile("" ::: "memory")
#endif

static inline uint64_t status_at(const byte *head) { uint64_t v; memcpy(&v, head, 8); return v; }

/* What the callee finds in memory that it never wrote. */
static __attribute__((noinline)) void fill_stack(uint64_t filling) {
    uint64_t area[4096];
    for (int i = 0; i < 4096; i++) area[i] = filling;
    __asm__ volatile("" :: "r"(area) : "memory");
}

/* KLEE's and SV-COMP's functions in CBMC's terms, as a second source of each program. */
#include <klee/klee.h>

void klee_make_symbolic(void *address, size_t size, const char *name) {
    (void)name;
    __CPROVER_havoc_slice(address, size);
}

void klee_assume(uintptr_t condition) { __CPROVER_assume(condition); }

/* To CBMC, what begins with nondet_ returns any value of its type. */
#define NONDET(NAME, TYPE)  \
    TYPE nondet_##NAME(void); \
    TYPE __VERIFIER_nondet_##NAME(void) { return nondet_##NAME(); }

NONDET(bool, _Bool)
NONDET(char, char)
NONDET(uchar, unsigned char)
NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned)
NONDET(long, long)
NONDET(ulong, unsigned long)
NONDET(float, float)
NONDET(double, double)

void __VERIFIER_assume(int condition) { __CPROVER_assume(condition); }

/* CBMC takes abort for an end that is meant; here it is an error. */
void abort(void) {
    __CPROVER_assert(0, "abort");
    __CPROVER_assume(0);
}

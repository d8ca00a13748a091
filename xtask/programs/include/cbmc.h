/* KLEE's and SV-COMP's functions in CBMC's terms; the table includes it before each program. */
#ifndef PROGRAMS_CBMC_H
#define PROGRAMS_CBMC_H

#include <stdlib.h>
#include <string.h>

unsigned char nondet_byte(void);
#define klee_make_symbolic(address, size, name) __CPROVER_havoc_slice((address), (size))
#define klee_assume(condition) __CPROVER_assume(condition)

/* Calls of __VERIFIER_nondet_X are without bodies, and so any value of their types. */
#define __VERIFIER_assume(condition) programs_assume(condition)
void programs_assume(int condition) { __CPROVER_assume(condition); }

/* Unlike labrys, CBMC takes abort for an end that is meant. */
#define abort() (__CPROVER_assert(0, "abort"), __CPROVER_assume(0))

#endif

/* The functions by which a program speaks to a verifier, as SV-COMP names them. Comes with labrys. */
#ifndef LABRYS_VERIFIER_H
#define LABRYS_VERIFIER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#define _Bool bool
#endif

/* Only runs for which the condition holds count from here on. */
void __VERIFIER_assume(int condition);
/* What must not be reached. */
__attribute__((noreturn)) void __VERIFIER_error(void);
__attribute__((noreturn)) void reach_error(void);
/* What must hold. */
void __VERIFIER_assert(int condition);
/* The bytes become inputs. */
void __VERIFIER_nondet_memory(void *address, size_t size);

/* Inputs. */

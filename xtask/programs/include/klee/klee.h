/* What the programs use of KLEE's interface, declared for native builds; runtime.c defines it. */
#ifndef PROGRAMS_KLEE_H
#define PROGRAMS_KLEE_H

#include <stddef.h>
#include <stdint.h>

void klee_make_symbolic(void *address, size_t size, const char *name);
void klee_assume(uintptr_t condition);
int klee_range(int begin, int end, const char *name);

#endif

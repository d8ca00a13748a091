/* The functions by which a program speaks to a symbolic executor, as KLEE names them. Comes with labrys. */
#ifndef KLEE_H
#define KLEE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes become inputs of this name. */
void klee_make_symbolic(void *address, size_t size, const char *name);
/* An input with begin <= value < end. */
int klee_range(int begin, int end, const char *name);
/* An input. */
int klee_int(const char *name);
/* An input below `count`. */
uintptr_t klee_choose(uintptr_t count);
/* Only inputs for which the condition holds count from here on. */
void klee_assume(uintptr_t condition);
/* Whether the value depends on inputs; in a replay none does. */
unsigned klee_is_symbolic(uintptr_t value);
unsigned klee_is_replay(void);
/* Witnesses with this property are liked better. */
void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);
/* Ends the path, without a finding. */
__attribute__((noreturn)) void klee_silent_exit(int status);
/* Ends the path with a finding. */
__attribute__((noreturn)) void klee_abort(void);
__attribute__((noreturn)) void klee_report_error(const char *file, int line, const char *message, const char *suffix);

void klee_mark_global(void *object);
void klee_print_expr(const char *message, ...);
void klee_print_range(const char *name, int value);
void klee_warning(const char *message);
void klee_warning_once(const char *message);
void klee_stack_trace(void);
void klee_set_forking(unsigned enable);
void klee_open_merge(void);
void klee_close_merge(void);
void klee_check_memory_access(const void *address, size_t size);

float klee_get_valuef(float value);
double klee_get_valued(double value);
long klee_get_valuel(long value);
long long klee_get_valuell(long long value);
int32_t klee_get_value_i32(int32_t value);
int64_t klee_get_value_i64(int64_t value);

#ifdef __cplusplus
}
#endif
#endif

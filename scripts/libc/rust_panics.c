/* Panics that Rust's catch_unwind takes: control leaves the activations inside it by their landing pads, as Rust's own library asks of the system's
   unwinder. Part of labrys. */

#include <stddef.h>
#include "labrys.h"

/* As in cxx_exceptions.c. */
enum { CLAUSE_NONE = 0, CLAUSE_CATCH = 1, CLAUSE_FILTER = 2, CLAUSE_CLEANUP = 3, NO_ACTIVATION = 4 };
int labrys_clause(long activation, long number, const void **type);
void labrys_land(long activation, void *exception, int selector) __attribute__((noreturn));

/* Goes to the nearest landing pad. Those of Rust's functions have one clause: they clean up, take everything, or (a list of no types) let nothing pass,
   which ends the program. */
__attribute__((always_inline, noreturn)) static inline void unwind(void *exception) {
    for (long activation = 1;; activation++) {
        const void *type = NULL;
        int clause = labrys_clause(activation, 0, &type);
        if (clause == NO_ACTIVATION) labrys_unmodelled("a panic that nothing catches");
        if (clause == CLAUSE_CATCH && type) labrys_unmodelled("a panic in C++");
        if (clause != CLAUSE_NONE) labrys_land(activation, exception, 0);
    }
}

int _Unwind_RaiseException(void *exception) {
    unwind(exception);
}

/* Goes on behind a landing pad that has only cleaned up. */
void labrys_rust_resume(void *exception) {
    unwind(exception);
}

/* The table of a trait object: what drops the object, its size and alignment, then what says its type. */
struct any_table {
    void (*drop)(void *);
    size_t size, alignment;
    void (*type)(void *);
};

static void unknown_type(void *payload) {
    labrys_unmodelled("what a caught panic was given");
}

/* std::panic::resume_unwind, which counts panics and goes on to _Unwind_RaiseException. */
void labrys_rust_resume_unwind(void *payload, const struct any_table *table);
/* A linker then takes it for a program that panics. */
void (*labrys_rust_behind)(void *);

/* A panic, without what it was given: its text is not kept. */
void labrys_rust_panic(void) {
    static const struct any_table table = {NULL, 0, 1, unknown_type};
    labrys_rust_behind = labrys_rust_resume;
    labrys_rust_resume_unwind((void *)1, &table);
}

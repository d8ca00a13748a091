/* Exceptions of C++, as the Itanium C++ ABI has them (level II), of one thread. The executor says which clauses the activations of functions have
   that are in a call, and goes on at one of them. */

#include <stdlib.h>
#include <string.h>
#include "cxx_types.h"
#include "labrys.h"

/* The clause with a number of an activation's landing pad; activation 1 called the function that asks. What it is: */
enum { CLAUSE_NONE = 0, CLAUSE_CATCH = 1, CLAUSE_FILTER = 2, CLAUSE_CLEANUP = 3, NO_ACTIVATION = 4 };
int labrys_clause(long activation, long number, const struct type **type);
/* Ends the activations before that one, which goes on at its landing pad. */
void labrys_land(long activation, void *exception, int selector) __attribute__((noreturn));

struct exception {
    const struct type *type;
    void (*destroy)(void *);
    void *adjusted; /* what a handler gets */
    struct exception *next; /* that was caught before and is not done with */
    long handlers; /* that are active; negative while it is thrown again */
    long spare[3];
    /* The object follows. */
};

static struct exception *caught;

static void *object_of(struct exception *exception) {
    return exception + 1;
}

void *__cxa_allocate_exception(size_t size) {
    struct exception *exception = (struct exception *)malloc(sizeof *exception + size);
    memset(exception, 0, sizeof *exception);
    return object_of(exception);
}

void __cxa_free_exception(void *object) {
    free((struct exception *)object - 1);
}

void labrys_terminate(void) __asm__("_ZSt9terminatev");
void labrys_terminate(void) {
    abort();
}

/* What llvm.eh.typeid.for makes of a type. */
static int selector_of(const struct type *type) {
    return (int)((uintptr_t)type >> 4);
}

static bool is_same(const struct type *a, const struct type *b) {
    return a == b;
}

/* Where the one public base of a type lies in an object; how many there are. */
static int find_base(const struct type *type, const char *object, const struct type *wanted, const char **found) {
    if (is_same(type, wanted)) {
        if (*found == object) return 1;
        *found = object;
        return 1;
    }
    if (is_kind(type, labrys_single_kind)) return find_base(type->single, object, wanted, found);
    if (!is_kind(type, labrys_many_kind)) return 0;
    int count = 0;
    const char *first = NULL;
    for (unsigned i = 0; i < type->many.count; i++) {
        const struct base *base = &type->many.bases[i];
        if (!(base->flags & IS_PUBLIC)) continue;
        long offset = base->flags >> 8;
        if (base->flags & IS_VIRTUAL) {
            if (!object) labrys_unmodelled("a virtual base of no object");
            offset = *(const long *)(*(const char *const *)object + offset);
        }
        const char *place = NULL;
        int here = find_base(base->type, object ? object + offset : NULL, wanted, &place);
        if (here == 0) continue;
        /* A virtual base is one however often it is reached. */
        if (count == 0 || place != first) count += here;
        if (!first) first = place;
    }
    *found = first;
    return count;
}

/* Whether a handler of a type takes what was thrown, and what it gets. */
static bool takes(const struct type *handler, const struct exception *exception, void **adjusted) {
    const struct type *type = exception->type;
    char *object = (char *)(exception + 1);
    *adjusted = object;
    if (is_kind(type, labrys_pointer_kind)) *adjusted = *(void **)object;
    if (is_same(type, handler)) return true;
    if (is_kind(type, labrys_pointer_kind) && is_kind(handler, labrys_pointer_kind)) {
        if (type->pointer.flags & ~handler->pointer.flags & 7) return false;
        const struct type *from = type->pointer.pointee, *to = handler->pointer.pointee;
        if (is_same(from, to)) return true;
        extern const struct type labrys_void __asm__("_ZTIv");
        if (to == &labrys_void) return true;
        const char *found = NULL;
        if (!*adjusted) return false;
        if (find_base(from, (const char *)*adjusted, to, &found) != 1) return false;
        *adjusted = (void *)found;
        return true;
    }
    const char *found = NULL;
    if (find_base(type, object, handler, &found) != 1) return false;
    *adjusted = (void *)found;
    return true;
}

/* The first clause of a landing pad that takes the exception: as labrys_clause says; its selector. */
__attribute__((always_inline)) static inline int matching(long activation, struct exception *exception, int *selector) {
    int is_cleanup = CLAUSE_NONE;
    for (long number = 0;; number++) {
        const struct type *type = NULL;
        int clause = labrys_clause(activation, number, &type);
        if (clause == NO_ACTIVATION) return NO_ACTIVATION;
        if (clause == CLAUSE_NONE) return is_cleanup;
        if (clause == CLAUSE_CLEANUP) is_cleanup = CLAUSE_CLEANUP;
        if (clause == CLAUSE_FILTER) labrys_unmodelled("an exception specification that lists types");
        if (clause != CLAUSE_CATCH) continue;
        void *adjusted = object_of(exception);
        if (type && !takes(type, exception, &adjusted)) continue;
        if (!type && is_kind(exception->type, labrys_pointer_kind)) adjusted = *(void **)object_of(exception);
        exception->adjusted = adjusted;
        *selector = type ? selector_of(type) : 0;
        return CLAUSE_CATCH;
    }
}

/* Looks for a handler first, and if there is none the program ends where the exception was thrown; then goes to the nearest landing pad. */
__attribute__((always_inline, noreturn)) static inline void throw(struct exception *exception, bool searches) {
    int selector = 0;
    if (searches) {
        for (long activation = 1;; activation++) {
            int found = matching(activation, exception, &selector);
            if (found == NO_ACTIVATION) abort();
            if (found == CLAUSE_CATCH) break;
        }
    }
    for (long activation = 1;; activation++) {
        selector = 0;
        int found = matching(activation, exception, &selector);
        if (found == NO_ACTIVATION) abort();
        if (found != CLAUSE_NONE) labrys_land(activation, exception, selector);
    }
}

void labrys_resume(struct exception *exception);
/* A linker then takes it for a program that throws. */
void (*labrys_behind)(struct exception *);

void __cxa_throw(void *object, const struct type *type, void (*destroy)(void *)) {
    struct exception *exception = (struct exception *)object - 1;
    exception->type = type;
    exception->destroy = destroy;
    labrys_behind = labrys_resume;
    throw(exception, true);
}

/* Goes on behind a landing pad that has only cleaned up. */
void labrys_resume(struct exception *exception) {
    throw(exception, false);
}

void _Unwind_Resume(struct exception *exception) {
    throw(exception, false);
}

void *__cxa_get_exception_ptr(struct exception *exception) {
    return exception->adjusted;
}

void *__cxa_begin_catch(struct exception *exception) {
    exception->handlers = exception->handlers < 0 ? 1 - exception->handlers : exception->handlers + 1;
    if (caught != exception) {
        exception->next = caught;
        caught = exception;
    }
    return exception->adjusted;
}

void __cxa_end_catch(void) {
    struct exception *exception = caught;
    if (!exception) return;
    if (exception->handlers < 0) {
        /* It was thrown again, and lives on. */
        if (++exception->handlers == 0) caught = exception->next;
        return;
    }
    if (--exception->handlers > 0) return;
    caught = exception->next;
    if (exception->destroy) exception->destroy(object_of(exception));
    free(exception);
}

void __cxa_rethrow(void) {
    struct exception *exception = caught;
    if (!exception) abort();
    exception->handlers = -exception->handlers;
    throw(exception, true);
}

/* What std::uncaught_exceptions would count is not kept. */
int labrys_uncaught(void) __asm__("_ZSt19uncaught_exceptionsv");
int labrys_uncaught(void) {
    labrys_unmodelled("std::uncaught_exceptions");
}

void __cxa_call_unexpected(void *exception) {
    labrys_unmodelled("an exception specification that lists types");
}

void __cxa_pure_virtual(void) {
    abort();
}

void __cxa_deleted_virtual(void) {
    abort();
}

void __cxa_bad_cast(void);
void __cxa_bad_typeid(void);

/* Looks for a class in an object, from its whole: where the one of it is that is public; 2 where there are several. */
void *__dynamic_cast(const void *from, const struct type *from_type, const struct type *to_type, long hint) {
    const char *table = *(const char *const *)from;
    const char *whole = (const char *)from + *(const long *)(table - 16);
    const struct type *whole_type = *(const struct type *const *)(table - 8);
    const char *found = NULL, *back = NULL;
    if (hint >= 0 && is_same(whole_type, to_type) && (const char *)from - hint == whole) return (void *)whole;
    if (find_base(whole_type, whole, to_type, &found) == 1) {
        /* Down, if that class has this base publicly; else across, if the whole has it so. */
        if (find_base(to_type, found, from_type, &back) >= 1 && back == (const char *)from) return (void *)found;
        back = NULL;
        if (find_base(whole_type, whole, from_type, &back) == 1) return (void *)found;
        return NULL;
    }
    if (!found) return NULL;
    labrys_unmodelled("a dynamic_cast to a class of which an object has several");
}

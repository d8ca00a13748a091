/* What C++ programs know of their types at run time, as the Itanium C++ ABI lays it out (2.9.5). Part of labrys. */

#ifndef LABRYS_CXX_TYPES_H
#define LABRYS_CXX_TYPES_H

#include <stdbool.h>
#include <stdint.h>

struct base {
    const struct type *type;
    long flags; /* the offset above 8 bits; 1: virtual, the offset is then that of the offset in the table of virtual functions; 2: public */
};

struct type {
    const void *kind; /* the address behind the second entry of the kind's own table of virtual functions */
    const char *name;
    union {
        const struct type *single; /* a class with one base, public and at the beginning */
        struct {
            unsigned flags, count;
            struct base bases[];
        } many;
        struct {
            unsigned flags; /* 1: const, 2: volatile, 4: restrict */
            const struct type *pointee;
        } pointer;
    };
};

enum { IS_VIRTUAL = 1, IS_PUBLIC = 2 };

extern const char labrys_class_kind[] __asm__("_ZTVN10__cxxabiv117__class_type_infoE");
extern const char labrys_single_kind[] __asm__("_ZTVN10__cxxabiv120__si_class_type_infoE");
extern const char labrys_many_kind[] __asm__("_ZTVN10__cxxabiv121__vmi_class_type_infoE");
extern const char labrys_pointer_kind[] __asm__("_ZTVN10__cxxabiv119__pointer_type_infoE");

/* Whether a type's name says what it is a type of: types of the language's own are only declared, and are what they are by their addresses. */
static inline bool is_kind(const struct type *type, const char kind[]) {
    return type->kind == kind + 16;
}

#endif

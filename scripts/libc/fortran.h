/* Descriptors of Fortran's arrays, as ISO_Fortran_binding.h of flang 22 lays them out, and what walks over them. Part of labrys.

   Objects that a call makes (results, allocatables) are malloc's, so that a program may free them. What is wrong with a call ends the program as flang's
   runtime does: by abort. */

#ifndef LABRYS_FORTRAN_H
#define LABRYS_FORTRAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "labrys.h"

struct dimension {
    int64_t lower, extent, stride; /* the stride in bytes */
};

struct descriptor {
    char *base;
    uint64_t size; /* of an element, in bytes */
    int32_t version;
    int8_t rank, type, attribute, extra;
    struct dimension dimensions[15];
};

enum { ATTRIBUTE_POINTER = 1, ATTRIBUTE_ALLOCATABLE = 2 };
enum { HAS_ADDENDUM = 1 };
/* Types by their codes. */
enum {
    TYPE_INTEGER1 = 7, TYPE_INTEGER8 = 10,
    TYPE_LOGICAL2 = 13, TYPE_LOGICAL8 = 15, TYPE_LOGICAL1 = 39,
    TYPE_REAL4 = 27, TYPE_REAL8 = 28, TYPE_REAL10 = 29,
    TYPE_COMPLEX4 = 34, TYPE_COMPLEX8 = 35,
    TYPE_CHARACTER = 40, TYPE_STRUCT = 42
};

enum { MAX_RANK = 15, VERSION = 20240719 };

enum { TYPE_OTHER = -1 };

/* A procedure of a type's own that assigns, reads, writes or finalizes. */
struct special {
    uint8_t which, takes_descriptors, is_type_bound, special_case, between[4];
    void *procedure;
};

enum { SPECIAL_ASSIGNMENT = 1, SPECIAL_ELEMENTAL_ASSIGNMENT = 2, SPECIAL_ELEMENTAL_FINAL = 7, SPECIAL_ANY_RANK_FINAL = 8, SPECIAL_SCALAR_FINAL = 9 };

/* What is looked at of the tables that describe derived types and their components: flang's module __fortran_type_info. */
struct derived_type {
    char before[64];
    struct {
        const char *base;
        uint64_t size;
        char behind[8];
    } name;
    uint64_t size;
    char between[232 - 96];
    struct {
        const struct component *base;
        uint64_t size;
        int32_t version;
        int8_t rank, type, attribute, extra;
        struct dimension dimension;
        char addendum[16];
    } components;
    char behind[360 - 232 - 64];
    struct {
        const struct special *base;
        uint64_t size;
        int32_t version;
        int8_t rank, type, attribute, extra;
        struct dimension dimension;
        char addendum[16];
    } specials;
    char flags[4];
    bool has_parent, needs_no_initialization, needs_no_destruction, needs_no_finalization, has_no_assignment;
};

/* A length or a bound: explicit where the kind is 1. */
struct value {
    uint8_t kind;
    int64_t value;
};

struct component {
    char name[24];
    uint8_t genre, category, kind, rank;
    uint64_t offset;
    struct value length;
    const struct derived_type *derived;
    char between[160 - 64];
    const struct value *bounds;
    char behind[248 - 168];
    const void *initial;
};

enum { GENRE_DATA = 1, GENRE_POINTER = 2, GENRE_ALLOCATABLE = 3 };
enum { CATEGORY_INTEGER = 0, CATEGORY_REAL = 2, CATEGORY_COMPLEX = 3, CATEGORY_CHARACTER = 4, CATEGORY_LOGICAL = 5, CATEGORY_DERIVED = 6 };

/* The derived type of a descriptor; null where it has none. */
static inline const struct derived_type *derived_type(const struct descriptor *array) {
    if (!(array->extra & HAS_ADDENDUM)) return NULL;
    return *(const struct derived_type **)&array->dimensions[array->rank];
}

static inline void set_derived_type(struct descriptor *array, const struct derived_type *type) {
    if (array->extra & HAS_ADDENDUM) *(const struct derived_type **)&array->dimensions[array->rank] = type;
}

/* The type that a type extends, which is its first component; null where it extends none. */
static inline const struct derived_type *parent_of(const struct derived_type *type) {
    return type->has_parent ? type->components.base[0].derived : NULL;
}

#define COMPONENTS(component, type) \
    for (const struct component *component = (type)->components.base, *behind = component + (type)->components.dimension.extent; \
         component < behind; component++)

/* Whether a type, or one of its components' that is known without an object, has a procedure of its own that assigns. */
static inline bool has_assignment(const struct derived_type *type) {
    if (type->has_no_assignment) return false;
    for (int64_t i = 0; i < type->specials.dimension.extent; i++) {
        uint8_t which = type->specials.base[i].which;
        if (which == SPECIAL_ASSIGNMENT || which == SPECIAL_ELEMENTAL_ASSIGNMENT) return true;
    }
    COMPONENTS(component, type)
        if (component->category == CATEGORY_DERIVED && component->genre == GENRE_DATA && has_assignment(component->derived)) return true;
    return false;
}

/* Whether copies of bytes make a copy; types with procedures of their own that assign end the path. */
static inline bool is_plain(const struct descriptor *array) {
    const struct derived_type *type = derived_type(array);
    if (type && has_assignment(type)) labrys_unmodelled("a derived type of Fortran's with a procedure of its own that assigns");
    return !type || type->needs_no_destruction;
}

static inline void check_plain(const struct descriptor *array) {
    if (!is_plain(array)) labrys_unmodelled("a copy of a derived type of Fortran's with allocatable components");
}

/* Copies the elements of one array, or one scalar to all, into new memory. */
void labrys_fill(const struct descriptor *to, const struct descriptor *from);
bool _FortranAIsContiguous(const struct descriptor *array);
/* Gives all elements their components' initial values. */
void labrys_initialize(const struct descriptor *array);
/* Finalizes all elements, if that is asked for, and frees what their components have allocated. */
void labrys_destroy(const struct descriptor *array, bool finalizes);
/* Calls the procedures that finalize what an array has. */
void labrys_finalize(const struct descriptor *array);
/* Has an object whose bytes were copied from another one own copies of what that has allocated. */
void labrys_own(char *object, const struct derived_type *type);
/* Frees what the components of an object have allocated. */
void labrys_free_components(char *object, const struct derived_type *type);

/* Copies a descriptor: as much of it as there is of its rank. */
static inline void copy_descriptor(struct descriptor *to, const struct descriptor *from) {
    size_t size = (const char *)&from->dimensions[from->rank] - (const char *)from;
    memcpy(to, from, from->extra & HAS_ADDENDUM ? size + 16 : size);
}

static inline int64_t elements(const struct descriptor *array) {
    int64_t count = 1;
    for (int i = 0; i < array->rank; i++) count *= array->dimensions[i].extent < 0 ? 0 : array->dimensions[i].extent;
    return count;
}

/* Goes on to the next element, the first dimension running fastest; `at` counts from 0. */
static inline void advance(const struct descriptor *array, int64_t at[]) {
    for (int i = 0; i < array->rank; i++) {
        if (++at[i] < array->dimensions[i].extent) return;
        at[i] = 0;
    }
}

static inline char *element(const struct descriptor *array, const int64_t at[]) {
    char *place = array->base;
    for (int i = 0; i < array->rank; i++) place += at[i] * array->dimensions[i].stride;
    return place;
}

/* Makes a descriptor of a new object without memory; its extents are to be set. */
static inline void describe(struct descriptor *array, int type, uint64_t size, int rank) {
    array->base = NULL;
    array->size = size;
    array->version = VERSION;
    array->rank = (int8_t)rank;
    array->type = (int8_t)type;
    array->attribute = ATTRIBUTE_ALLOCATABLE;
    array->extra = 0;
}

/* Lays the dimensions out one behind the other, and gets memory for them. */
static inline void allocate(struct descriptor *array) {
    int64_t stride = (int64_t)array->size;
    for (int i = 0; i < array->rank; i++) {
        if (array->dimensions[i].extent < 0) array->dimensions[i].extent = 0;
        array->dimensions[i].stride = stride;
        stride *= array->dimensions[i].extent;
    }
    array->base = (char *)malloc(stride > 0 ? (size_t)stride : 1);
}

/* A result like an array, of that shape. */
static inline void allocate_result(struct descriptor *result, int type, uint64_t size, int rank, const int64_t extents[]) {
    describe(result, type, size, rank);
    for (int i = 0; i < rank; i++) {
        result->dimensions[i].lower = 1;
        result->dimensions[i].extent = extents[i];
    }
    allocate(result);
}

/* A logical or an integer of any kind. */
static inline int64_t integer_at(const char *place, uint64_t size) {
    switch (size) {
    case 1: return *(const int8_t *)place;
    case 2: return *(const int16_t *)place;
    case 4: return *(const int32_t *)place;
    case 8: return *(const int64_t *)place;
    default: labrys_unmodelled("an integer of Fortran's of such a kind");
    }
}

static inline void store_integer(char *place, uint64_t size, int64_t value) {
    switch (size) {
    case 1: *(int8_t *)place = (int8_t)value; return;
    case 2: *(int16_t *)place = (int16_t)value; return;
    case 4: *(int32_t *)place = (int32_t)value; return;
    case 8: *(int64_t *)place = value; return;
    default: labrys_unmodelled("an integer of Fortran's of such a kind");
    }
}

/* Whether a mask has an element; no mask has all, a scalar one all or none. */
static inline bool is_masked(const struct descriptor *mask, const int64_t at[]) {
    if (!mask || !mask->base) return true;
    return integer_at(mask->rank ? element(mask, at) : mask->base, mask->size) != 0;
}

#endif

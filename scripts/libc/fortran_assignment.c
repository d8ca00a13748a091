/* flang's runtime: assignments and array constructors. */

#include "fortran.h"

/* What an element is copied to. */
enum place { OBJECT, NEW_MEMORY };

static void copy_element(const struct descriptor *to, char *into, const struct descriptor *from, const char *from_place, enum place kind) {
    if (!is_plain(to)) {
        /* What the right side has is copied before what the left side had is freed: they may be one. */
        char before[to->size];
        if (kind == OBJECT) memcpy(before, into, to->size);
        memcpy(into, from_place, to->size);
        labrys_own(into, derived_type(to));
        if (kind == OBJECT) labrys_free_components(before, derived_type(to));
        return;
    }
    if (to->type != TYPE_CHARACTER || to->size == from->size) {
        memcpy(into, from_place, to->size);
        return;
    }
    size_t common = to->size < from->size ? to->size : from->size;
    memcpy(into, from_place, common);
    memset(into + common, ' ', to->size - common);
}

/* The addresses between which an array's elements lie. */
static void span(const struct descriptor *array, uintptr_t *begin, uintptr_t *end) {
    *begin = (uintptr_t)array->base;
    *end = *begin + array->size;
    for (int i = 0; i < array->rank; i++) {
        int64_t last = (array->dimensions[i].extent - 1) * array->dimensions[i].stride;
        if (last < 0) *begin -= (uintptr_t)-last;
        else *end += (uintptr_t)last;
    }
}

/* Whether bytes of the two may be the same memory. */
static bool may_overlap(const struct descriptor *to, const struct descriptor *from) {
    uintptr_t to_begin, to_end, from_begin, from_end;
    span(to, &to_begin, &to_end);
    span(from, &from_begin, &from_end);
    return to_begin < from_end && from_begin < to_end;
}

/* Copies elements in their order; a scalar goes to all. */
static void copy(const struct descriptor *to, const struct descriptor *from, enum place kind) {
    int64_t to_at[MAX_RANK] = {0}, from_at[MAX_RANK] = {0};
    int64_t count = elements(to);
    if (count == 0) return;
    if (from->rank > 0 && elements(from) < count) abort();
    if (kind == OBJECT && may_overlap(to, from)) {
        if (!is_plain(to) && to->base == from->base) return;
        check_plain(to);
        /* The right side is taken as it was. */
        char *saved = (char *)malloc(from->size * (uint64_t)(from->rank ? count : 1) + 1), *place = saved;
        for (int64_t left = from->rank ? count : 1; left > 0; left--, advance(from, from_at), place += from->size)
            memcpy(place, element(from, from_at), from->size);
        place = saved;
        for (int64_t left = count; left > 0; left--, advance(to, to_at)) {
            copy_element(to, element(to, to_at), from, place, kind);
            if (from->rank) place += from->size;
        }
        free(saved);
        return;
    }
    bool is_bytes = is_plain(to) && to->size == from->size && from->rank > 0 && _FortranAIsContiguous(to) && _FortranAIsContiguous(from);
    if (is_bytes) {
        memcpy(to->base, from->base, to->size * (uint64_t)count);
        return;
    }
    for (int64_t left = count; left > 0; left--, advance(to, to_at)) {
        copy_element(to, element(to, to_at), from, element(from, from_at), kind);
        if (from->rank) advance(from, from_at);
    }
}

void labrys_fill(const struct descriptor *to, const struct descriptor *from) {
    copy(to, from, NEW_MEMORY);
}

static bool has_shape(const struct descriptor *a, const struct descriptor *b) {
    for (int i = 0; i < a->rank; i++)
        if (a->dimensions[i].extent != b->dimensions[i].extent) return false;
    return true;
}

enum assignment { FINALIZES = 1, IS_POLYMORPHIC = 2 };

/* Whether what an allocatable left side has gives way to other memory: its type or its shape becomes another. */
static bool is_replaced(const struct descriptor *to, const struct descriptor *from, int how) {
    if (!to->base || to->type != from->type) return true;
    if (how & IS_POLYMORPHIC && derived_type(to) != derived_type(from)) return true;
    if (to->type == TYPE_CHARACTER && to->size != from->size && from->rank == to->rank) return true;
    return from->rank > 0 && !has_shape(to, from);
}

/* An assignment: an allocatable left side gets the right side's shape, a polymorphic one its type. */
static void assign(struct descriptor *to, const struct descriptor *from, int how) {
    if (from->rank > 0 && from->rank != to->rank) abort();
    const struct derived_type *source = derived_type(from), *type = derived_type(to);
    if (!(how & IS_POLYMORPHIC) && type && source && type->size < source->size && from->rank > 0)
        labrys_unmodelled("an array of an extended type assigned to one of its parent, in Fortran");
    if (to->attribute == ATTRIBUTE_ALLOCATABLE && is_replaced(to, from, how)) {
        struct descriptor before;
        bool is_shared = to->base && may_overlap(to, from);
        if (from->rank == 0 && to->rank > 0 && !to->base) abort();
        copy_descriptor(&before, to);
        if (to->base && !is_shared) {
            labrys_destroy(&before, how & FINALIZES);
            free(before.base);
        }
        for (int i = 0; i < from->rank; i++) {
            to->dimensions[i].lower = from->dimensions[i].lower;
            to->dimensions[i].extent = from->dimensions[i].extent;
            if (elements(from) == 0 && from->dimensions[i].extent == 0) to->dimensions[i].lower = 1;
        }
        if (to->type == TYPE_CHARACTER) to->size = from->size;
        if (how & IS_POLYMORPHIC) {
            to->type = from->type;
            to->size = from->size;
            set_derived_type(to, source);
        }
        allocate(to);
        copy(to, from, NEW_MEMORY);
        if (is_shared) {
            labrys_destroy(&before, how & FINALIZES);
            free(before.base);
        }
        return;
    }
    if (!to->base) abort();
    if (from->rank > 0 && !has_shape(to, from)) abort();
    if (how & FINALIZES && type && !type->needs_no_finalization) {
        if (may_overlap(to, from)) labrys_unmodelled("an assignment of what it finalizes, in Fortran");
        labrys_finalize(to);
    }
    copy(to, from, OBJECT);
}

void _FortranAAssign(struct descriptor *to, const struct descriptor *from, const char *file, int line) {
    assign(to, from, FINALIZES);
}

void _FortranAAssignPolymorphic(struct descriptor *to, const struct descriptor *from, const char *file, int line) {
    assign(to, from, FINALIZES | IS_POLYMORPHIC);
}

/* The left side is new. */
void _FortranAAssignTemporary(struct descriptor *to, const struct descriptor *from, const char *file, int line) {
    if (to->base) labrys_initialize(to);
    assign(to, from, IS_POLYMORPHIC);
}

void _FortranACopyInAssign(struct descriptor *to, const struct descriptor *from, const char *file, int line) {
    for (int i = 0; i < from->rank; i++) {
        to->dimensions[i].lower = 1;
        to->dimensions[i].extent = from->dimensions[i].extent;
    }
    check_plain(from);
    to->base = NULL;
    to->size = from->size;
    allocate(to);
    copy(to, from, NEW_MEMORY);
}

/* `to` may be absent, where the procedure does not change its argument. */
void _FortranACopyOutAssign(struct descriptor *to, struct descriptor *from, const char *file, int line) {
    if (to) copy(to, from, OBJECT);
    free(from->base);
    from->base = NULL;
}

/* An array constructor that is being filled. */
struct constructor {
    struct descriptor *to;
    int64_t next, room;
    const char *file;
    int line;
    bool takes_length;
};

void _FortranAInitArrayConstructorVector(struct constructor *vector, struct descriptor *to, bool takes_length, const char *file, int line) {
    vector->to = to;
    vector->next = 0;
    vector->takes_length = takes_length;
    vector->file = file;
    vector->line = line;
    vector->room = to->base ? to->dimensions[0].extent : 0;
    to->rank = 1;
    if (!to->base) to->dimensions[0].extent = 0;
    to->dimensions[0].lower = 1;
}

static void make_room(struct constructor *vector, int64_t count) {
    struct descriptor *to = vector->to;
    int64_t needed = vector->next + count;
    if (needed > vector->room) {
        int64_t room = 2 * vector->room > needed ? 2 * vector->room : needed;
        if (room < 4) room = 4;
        to->base = (char *)realloc(to->base, (size_t)room * to->size);
        vector->room = room;
    }
    to->dimensions[0].lower = 1;
    to->dimensions[0].stride = (int64_t)to->size;
    if (to->dimensions[0].extent < needed) to->dimensions[0].extent = needed;
}

void _FortranAPushArrayConstructorValue(struct constructor *vector, const struct descriptor *from) {
    int64_t at[MAX_RANK] = {0}, count = elements(from);
    if (vector->takes_length && vector->next == 0 && !vector->to->base) vector->to->size = from->size;
    make_room(vector, count);
    for (int64_t left = count; left > 0; left--, advance(from, at), vector->next++) {
        char *place = vector->to->base + vector->next * (int64_t)vector->to->size;
        if (is_plain(from)) {
            copy_element(vector->to, place, from, element(from, at), NEW_MEMORY);
        } else {
            memcpy(place, element(from, at), from->size);
            labrys_own(place, derived_type(from));
        }
    }
}

void _FortranAPushArrayConstructorSimpleScalar(struct constructor *vector, const void *from) {
    make_room(vector, 1);
    memcpy(vector->to->base + vector->next * (int64_t)vector->to->size, from, vector->to->size);
    vector->next++;
}

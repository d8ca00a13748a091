/* flang's runtime: allocatables, pointers, assignments, array constructors. */

#include "fortran.h"

/* What stat= is given; flang's numbers. */
enum { STAT_OK = 0, STAT_NOT_NULL = 12, STAT_NULL = 11 };

static int failed(bool has_stat, int stat) {
    if (!has_stat) abort();
    return stat;
}

/* Elements of a component. */
static int64_t count_of(const struct component *component) {
    int64_t count = 1;
    for (int i = 0; i < component->rank; i++) {
        const struct value *lower = &component->bounds[2 * i], *upper = lower + 1;
        if (lower->kind != 1 || upper->kind != 1) labrys_unmodelled("a component of Fortran's with bounds that are not constant");
        int64_t extent = upper->value - lower->value + 1;
        count *= extent < 0 ? 0 : extent;
    }
    return count;
}

static uint64_t size_of(const struct component *component) {
    switch (component->category) {
    case CATEGORY_COMPLEX: return 2 * (uint64_t)component->kind;
    case CATEGORY_CHARACTER: return component->kind * (uint64_t)component->length.value;
    case CATEGORY_DERIVED: return component->derived->size;
    default: return component->kind;
    }
}

/* Describes a component that is not allocated. */
static void describe_component(struct descriptor *array, const struct component *component) {
    int log = component->kind == 8 ? 3 : component->kind == 4 ? 2 : component->kind == 2 ? 1 : 0, type = TYPE_STRUCT;
    switch (component->category) {
    case CATEGORY_INTEGER: type = 7 + log; break;
    case CATEGORY_LOGICAL: type = 12 + log; break;
    case CATEGORY_REAL: type = component->kind == 4 ? TYPE_REAL4 : TYPE_REAL8; break;
    case CATEGORY_CHARACTER: type = TYPE_CHARACTER; break;
    case CATEGORY_DERIVED: break;
    default: labrys_unmodelled("an allocatable component of such a type, in Fortran");
    }
    if (component->category == CATEGORY_CHARACTER && component->length.kind != 1)
        labrys_unmodelled("an allocatable component of deferred length, in Fortran");
    if (component->category == CATEGORY_REAL && component->kind != 4 && component->kind != 8)
        labrys_unmodelled("an allocatable component of such a kind, in Fortran");
    describe(array, type, size_of(component), component->rank);
    if (component->category == CATEGORY_DERIVED) {
        array->extra = HAS_ADDENDUM;
        ((const struct derived_type **)&array->dimensions[array->rank])[0] = component->derived;
        ((int64_t *)&array->dimensions[array->rank])[1] = 0;
    }
}

/* Gives an object of a derived type the initial values of its components. */
static void initialize(char *object, const struct derived_type *type) {
    const struct component *components = type->components.base;
    for (int64_t i = 0; i < type->components.dimension.extent; i++) {
        const struct component *component = &components[i];
        char *place = object + component->offset;
        if (component->genre == GENRE_ALLOCATABLE) {
            describe_component((struct descriptor *)place, component);
            continue;
        }
        if (component->genre == GENRE_POINTER && component->initial) {
            uint64_t size = 24 + component->rank * sizeof(struct dimension) + (component->category == CATEGORY_DERIVED ? 16 : 0);
            memcpy(place, component->initial, size);
            continue;
        }
        if (component->genre == GENRE_POINTER) continue;
        if (component->genre != GENRE_DATA) labrys_unmodelled("a component of Fortran's whose size is not constant");
        int64_t count = count_of(component);
        uint64_t size = size_of(component);
        if (component->initial) {
            memcpy(place, component->initial, size * (uint64_t)count);
        } else if (component->category == CATEGORY_DERIVED && !component->derived->needs_no_initialization) {
            for (int64_t at = 0; at < count; at++) initialize(place + (uint64_t)at * size, component->derived);
        }
    }
}

static void destroy_all(const struct descriptor *array);

/* Frees what the components of an object have allocated. */
static void destroy(char *object, const struct derived_type *type) {
    const struct component *components = type->components.base;
    for (int64_t i = 0; i < type->components.dimension.extent; i++) {
        const struct component *component = &components[i];
        char *place = object + component->offset;
        if (component->genre == GENRE_ALLOCATABLE) {
            struct descriptor *array = (struct descriptor *)place;
            if (!array->base) continue;
            destroy_all(array);
            free(array->base);
            array->base = NULL;
        } else if (component->genre == GENRE_DATA && component->category == CATEGORY_DERIVED && !component->derived->needs_no_destruction) {
            int64_t count = count_of(component);
            for (int64_t at = 0; at < count; at++) destroy(place + (uint64_t)at * component->derived->size, component->derived);
        }
    }
}

static void destroy_all(const struct descriptor *array) {
    int64_t at[MAX_RANK] = {0};
    if (is_plain(array)) return;
    for (int64_t left = elements(array); left > 0; left--, advance(array, at)) destroy(element(array, at), derived_type(array));
}

/* Has an object whose bytes were copied from another one own copies of what that has allocated. */
static void own(char *object, const struct derived_type *type) {
    const struct component *components = type->components.base;
    for (int64_t i = 0; i < type->components.dimension.extent; i++) {
        const struct component *component = &components[i];
        char *place = object + component->offset;
        if (component->genre == GENRE_ALLOCATABLE) {
            struct descriptor *array = (struct descriptor *)place;
            if (!array->base) continue;
            uint64_t size = array->size * (uint64_t)elements(array);
            char *copy = (char *)malloc(size > 0 ? size : 1);
            memcpy(copy, array->base, size);
            array->base = copy;
            if (component->category != CATEGORY_DERIVED || component->derived->needs_no_destruction) continue;
            for (uint64_t at = 0; at < size; at += array->size) own(copy + at, component->derived);
        } else if (component->genre == GENRE_DATA && component->category == CATEGORY_DERIVED && !component->derived->needs_no_destruction) {
            int64_t count = count_of(component);
            for (int64_t at = 0; at < count; at++) own(place + (uint64_t)at * component->derived->size, component->derived);
        }
    }
}

static void initialize_all(const struct descriptor *array) {
    const struct derived_type *type = derived_type(array);
    int64_t at[MAX_RANK] = {0};
    if (!type || type->needs_no_initialization) return;
    for (int64_t left = elements(array); left > 0; left--, advance(array, at)) initialize(element(array, at), type);
}

void _FortranAInitialize(const struct descriptor *array, const char *file, int line) {
    initialize_all(array);
}

void _FortranADestroy(const struct descriptor *array) {
    destroy_all(array);
}

void _FortranADestroyWithoutFinalization(const struct descriptor *array) {
    destroy_all(array);
}

void _FortranAFinalize(const struct descriptor *array, const char *file, int line) {
    check_plain(array);
}

void _FortranAAllocatableSetBounds(struct descriptor *array, int dimension, int64_t lower, int64_t upper) {
    array->dimensions[dimension].lower = lower <= upper ? lower : 1;
    array->dimensions[dimension].extent = lower <= upper ? upper - lower + 1 : 0;
}

void _FortranAPointerSetBounds(struct descriptor *array, int dimension, int64_t lower, int64_t upper) {
    _FortranAAllocatableSetBounds(array, dimension, lower, upper);
}

int _FortranAAllocatableAllocate(struct descriptor *array, int64_t *object, bool has_stat, const struct descriptor *message,
                                 const char *file, int line, const void *source) {
    if (array->base) return failed(has_stat, STAT_NOT_NULL);
    allocate(array);
    initialize_all(array);
    return STAT_OK;
}

int _FortranAPointerAllocate(struct descriptor *array, bool has_stat, const struct descriptor *message, const char *file, int line) {
    allocate(array);
    initialize_all(array);
    return STAT_OK;
}

static int deallocate(struct descriptor *array, bool has_stat) {
    if (!array->base) return failed(has_stat, STAT_NULL);
    destroy_all(array);
    free(array->base);
    array->base = NULL;
    return STAT_OK;
}

int _FortranAAllocatableDeallocate(struct descriptor *array, bool has_stat, const struct descriptor *message, const char *file, int line) {
    return deallocate(array, has_stat);
}

int _FortranAAllocatableDeallocateNoFinal(struct descriptor *array, bool has_stat, const struct descriptor *message, const char *file,
                                          int line) {
    return deallocate(array, has_stat);
}

int _FortranAPointerDeallocate(struct descriptor *array, bool has_stat, const struct descriptor *message, const char *file, int line) {
    return deallocate(array, has_stat);
}

void _FortranAAllocatableInitIntrinsicForAllocate(struct descriptor *array, int category, int kind, int rank, int corank) {
    labrys_unmodelled("allocation of a polymorphic object, in Fortran");
}

void _FortranAAllocatableInitCharacterForAllocate(struct descriptor *array, uint64_t length, int kind, int rank, int corank) {
    array->size = length * (uint64_t)kind;
}

int _FortranAMoveAlloc(struct descriptor *to, struct descriptor *from, const void *type, bool has_stat, const struct descriptor *message,
                       const char *file, int line) {
    if (to->base == from->base && to->base) return STAT_OK;
    if (to->base) {
        destroy_all(to);
        free(to->base);
    }
    to->base = from->base;
    to->size = from->size;
    memcpy(to->dimensions, from->dimensions, sizeof(struct dimension) * (size_t)from->rank);
    from->base = NULL;
    return STAT_OK;
}

bool _FortranAPointerIsAssociated(const struct descriptor *pointer) {
    return pointer->base != NULL;
}

/* Empty targets are associated with nothing. */
bool _FortranAPointerIsAssociatedWith(const struct descriptor *pointer, const struct descriptor *target) {
    if (!target) return pointer->base != NULL;
    if (!pointer->base || pointer->base != target->base || pointer->rank != target->rank || pointer->size != target->size ||
        pointer->size == 0)
        return false;
    for (int i = 0; i < pointer->rank; i++) {
        const struct dimension *a = &pointer->dimensions[i], *b = &target->dimensions[i];
        if (a->extent != b->extent || a->extent == 0 || (a->extent > 1 && a->stride != b->stride)) return false;
    }
    return true;
}

bool _FortranAIsContiguous(const struct descriptor *array) {
    int64_t stride = (int64_t)array->size;
    if (elements(array) == 0) return true;
    for (int i = 0; i < array->rank; i++) {
        if (array->dimensions[i].extent != 1 && array->dimensions[i].stride != stride) return false;
        stride *= array->dimensions[i].extent;
    }
    return true;
}

static void copy_element(const struct descriptor *to, char *into, const struct descriptor *from, const char *place) {
    if (!is_plain(to)) {
        /* What the right side has is copied before what the left side had is freed: they may be one. */
        char before[to->size];
        memcpy(before, into, to->size);
        memcpy(into, place, to->size);
        own(into, derived_type(to));
        destroy(before, derived_type(to));
        return;
    }
    if (to->type != TYPE_CHARACTER || to->size == from->size) {
        memcpy(into, place, to->size);
        return;
    }
    size_t common = to->size < from->size ? to->size : from->size;
    memcpy(into, place, common);
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
static void copy(const struct descriptor *to, const struct descriptor *from) {
    int64_t to_at[MAX_RANK] = {0}, from_at[MAX_RANK] = {0};
    int64_t count = elements(to);
    if (count == 0) return;
    if (from->rank > 0 && elements(from) < count) abort();
    if (may_overlap(to, from)) {
        if (!is_plain(to) && to->base == from->base) return;
        check_plain(to);
        /* The right side is taken as it was. */
        char *saved = (char *)malloc(from->size * (uint64_t)(from->rank ? count : 1) + 1), *place = saved;
        for (int64_t left = from->rank ? count : 1; left > 0; left--, advance(from, from_at), place += from->size)
            memcpy(place, element(from, from_at), from->size);
        place = saved;
        for (int64_t left = count; left > 0; left--, advance(to, to_at)) {
            copy_element(to, element(to, to_at), from, place);
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
        copy_element(to, element(to, to_at), from, element(from, from_at));
        if (from->rank) advance(from, from_at);
    }
}

static bool has_shape(const struct descriptor *a, const struct descriptor *b) {
    for (int i = 0; i < a->rank; i++)
        if (a->dimensions[i].extent != b->dimensions[i].extent) return false;
    return true;
}

/* An assignment: an allocatable left side gets the right side's shape. */
static void assign(struct descriptor *to, const struct descriptor *from, bool reallocates) {
    if (from->rank > 0 && from->rank != to->rank) abort();
    bool is_allocatable = reallocates && to->attribute == ATTRIBUTE_ALLOCATABLE;
    if (is_allocatable && (!to->base || (from->rank > 0 && !has_shape(to, from)) ||
                           (to->type == TYPE_CHARACTER && to->size != from->size && from->rank == to->rank))) {
        struct descriptor before;
        copy_descriptor(&before, to);
        if (from->rank == 0 && to->rank > 0 && !to->base) abort();
        for (int i = 0; i < from->rank; i++) {
            to->dimensions[i].lower = from->dimensions[i].lower;
            to->dimensions[i].extent = from->dimensions[i].extent;
            if (elements(from) == 0 && from->dimensions[i].extent == 0) to->dimensions[i].lower = 1;
        }
        if (to->type == TYPE_CHARACTER) to->size = from->size;
        allocate(to);
        initialize_all(to);
        copy(to, from);
        if (before.base) destroy_all(&before);
        free(before.base);
        return;
    }
    if (!to->base) abort();
    if (from->rank > 0 && !has_shape(to, from)) abort();
    copy(to, from);
}

void _FortranAAssign(struct descriptor *to, const struct descriptor *from, const char *file, int line) {
    assign(to, from, true);
}

void _FortranAAssignTemporary(struct descriptor *to, const struct descriptor *from, const char *file, int line) {
    assign(to, from, true);
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
    copy(to, from);
}

/* `to` may be absent, where the procedure does not change its argument. */
void _FortranACopyOutAssign(struct descriptor *to, struct descriptor *from, const char *file, int line) {
    if (to) copy(to, from);
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
            copy_element(vector->to, place, from, element(from, at));
        } else {
            memcpy(place, element(from, at), from->size);
            own(place, derived_type(from));
        }
    }
}

void _FortranAPushArrayConstructorSimpleScalar(struct constructor *vector, const void *from) {
    make_room(vector, 1);
    memcpy(vector->to->base + vector->next * (int64_t)vector->to->size, from, vector->to->size);
    vector->next++;
}

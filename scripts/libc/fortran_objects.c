/* flang's runtime: objects of derived types: what their components begin as, what these have allocated, procedures that finalize them. */

#include "fortran.h"

/* The extent of a component's dimension. */
static int64_t extent_of(const struct component *component, int dimension) {
    const struct value *lower = &component->bounds[2 * dimension], *upper = lower + 1;
    if (lower->kind != 1 || upper->kind != 1) labrys_unmodelled("a component of Fortran's with bounds that are not constant");
    int64_t extent = upper->value - lower->value + 1;
    return extent < 0 ? 0 : extent;
}

/* Elements of a component. */
static int64_t count_of(const struct component *component) {
    int64_t count = 1;
    for (int i = 0; i < component->rank; i++) count *= extent_of(component, i);
    return count;
}

static uint64_t size_of(const struct component *component) {
    switch (component->category) {
    case CATEGORY_COMPLEX: return 2 * (uint64_t)component->kind;
    case CATEGORY_CHARACTER: return component->kind * (uint64_t)component->length.value;
    case CATEGORY_DERIVED: return component->derived ? component->derived->size : 0;
    default: return component->kind;
    }
}

static void describe_derived(struct descriptor *array, const struct derived_type *type, int rank) {
    describe(array, TYPE_STRUCT, type ? type->size : 0, rank);
    array->extra = HAS_ADDENDUM;
    set_derived_type(array, type);
    ((int64_t *)&array->dimensions[rank])[1] = 0;
}

/* Describes a component that is not allocated. One that may be of any type has none. */
static void describe_component(struct descriptor *array, const struct component *component) {
    if (component->category == CATEGORY_DERIVED) {
        describe_derived(array, component->derived, component->rank);
        return;
    }
    int log = component->kind == 8 ? 3 : component->kind == 4 ? 2 : component->kind == 2 ? 1 : 0, type;
    switch (component->category) {
    case CATEGORY_INTEGER: type = TYPE_INTEGER1 + log; break;
    case CATEGORY_LOGICAL: type = TYPE_LOGICAL1 + log; break;
    case CATEGORY_REAL: type = component->kind == 4 ? TYPE_REAL4 : TYPE_REAL8; break;
    case CATEGORY_CHARACTER: type = TYPE_CHARACTER; break;
    default: labrys_unmodelled("an allocatable component of such a type, in Fortran");
    }
    if (component->category == CATEGORY_CHARACTER && component->length.kind != 1)
        labrys_unmodelled("an allocatable component of deferred length, in Fortran");
    if (component->category == CATEGORY_REAL && component->kind != 4 && component->kind != 8)
        labrys_unmodelled("an allocatable component of such a kind, in Fortran");
    describe(array, type, size_of(component), component->rank);
}

static void initialize(char *object, const struct derived_type *type) {
    COMPONENTS(component, type) {
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

/* Whether components of this kind are objects that have to be given back. */
static bool is_destroyed(const struct component *component) {
    return component->genre == GENRE_DATA && component->category == CATEGORY_DERIVED && !component->derived->needs_no_destruction;
}

void labrys_free_components(char *object, const struct derived_type *type) {
    COMPONENTS(component, type) {
        char *place = object + component->offset;
        if (component->genre == GENRE_ALLOCATABLE) {
            struct descriptor *array = (struct descriptor *)place;
            if (!array->base) continue;
            labrys_destroy(array, false);
            free(array->base);
            array->base = NULL;
        } else if (is_destroyed(component)) {
            int64_t count = count_of(component);
            for (int64_t at = 0; at < count; at++) labrys_free_components(place + (uint64_t)at * component->derived->size, component->derived);
        }
    }
}

/* The procedure that finalizes arrays of a rank: the rank's own, else the elements', else that of any rank. */
static const struct special *final_procedure(const struct derived_type *type, int rank) {
    const struct special *found = NULL;
    for (int64_t i = 0; i < type->specials.dimension.extent; i++) {
        const struct special *special = &type->specials.base[i];
        if (special->which == SPECIAL_SCALAR_FINAL + rank) return special;
        if (special->which == SPECIAL_ELEMENTAL_FINAL) found = special;
        if (special->which == SPECIAL_ANY_RANK_FINAL && !found) found = special;
    }
    return found;
}

/* Calls the procedure on an array that is seen as one of that type. */
static void call_final(const struct descriptor *array, const struct derived_type *type) {
    const struct special *special = final_procedure(type, array->rank);
    if (!special) return;
    void (*procedure)(void *) = (void (*)(void *))special->procedure;
    struct descriptor seen;
    if (special->which == SPECIAL_ELEMENTAL_FINAL) {
        int64_t at[MAX_RANK] = {0};
        for (int64_t left = elements(array); left > 0; left--, advance(array, at)) {
            describe_derived(&seen, type, 0);
            seen.attribute = 0;
            seen.base = element(array, at);
            procedure(special->takes_descriptors ? (void *)&seen : seen.base);
        }
        return;
    }
    if (!special->takes_descriptors && array->rank > 0 && (!_FortranAIsContiguous(array) || array->size != type->size))
        labrys_unmodelled("a procedure that finalizes an array of Fortran's that is not contiguous");
    copy_descriptor(&seen, array);
    seen.attribute = ATTRIBUTE_POINTER;
    set_derived_type(&seen, type);
    procedure(special->takes_descriptors ? (void *)&seen : array->base);
}

/* A type's own procedure first, then those of its components, the parent's last and with the same array. */
static void finalize(const struct descriptor *array, const struct derived_type *type) {
    if (type->needs_no_finalization || !array->base) return;
    call_final(array, type);
    const struct derived_type *parent = parent_of(type);
    bool has_parent = parent && !parent->needs_no_finalization;
    COMPONENTS(component, type) {
        if (component == type->components.base && has_parent) continue;
        int64_t at[MAX_RANK] = {0};
        for (int64_t left = elements(array); left > 0; left--, advance(array, at)) {
            char *place = element(array, at) + component->offset;
            if (component->genre == GENRE_ALLOCATABLE && component->category == CATEGORY_DERIVED) {
                labrys_finalize((struct descriptor *)place);
            } else if (is_destroyed(component) && !component->derived->needs_no_finalization) {
                struct descriptor inner;
                describe_derived(&inner, component->derived, component->rank);
                int64_t stride = (int64_t)inner.size;
                for (int i = 0; i < component->rank; i++) {
                    inner.dimensions[i] = (struct dimension){1, extent_of(component, i), stride};
                    stride *= inner.dimensions[i].extent;
                }
                inner.base = place;
                finalize(&inner, component->derived);
            }
        }
    }
    if (has_parent) finalize(array, parent);
}

void labrys_finalize(const struct descriptor *array) {
    const struct derived_type *type = derived_type(array);
    if (type) finalize(array, type);
}

void labrys_destroy(const struct descriptor *array, bool finalizes) {
    const struct derived_type *type = derived_type(array);
    int64_t at[MAX_RANK] = {0};
    if (!type || type->needs_no_destruction || !array->base) return;
    if (finalizes) finalize(array, type);
    for (int64_t left = elements(array); left > 0; left--, advance(array, at)) labrys_free_components(element(array, at), type);
}

void labrys_own(char *object, const struct derived_type *type) {
    COMPONENTS(component, type) {
        char *place = object + component->offset;
        if (component->genre == GENRE_ALLOCATABLE) {
            struct descriptor *array = (struct descriptor *)place;
            if (!array->base) continue;
            uint64_t size = array->size * (uint64_t)elements(array);
            char *copy = (char *)malloc(size > 0 ? size : 1);
            memcpy(copy, array->base, size);
            array->base = copy;
            const struct derived_type *inner = derived_type(array);
            if (!inner || is_plain(array)) continue;
            for (uint64_t at = 0; at < size; at += array->size) labrys_own(copy + at, inner);
        } else if (is_destroyed(component)) {
            int64_t count = count_of(component);
            for (int64_t at = 0; at < count; at++) labrys_own(place + (uint64_t)at * component->derived->size, component->derived);
        }
    }
}

void labrys_initialize(const struct descriptor *array) {
    const struct derived_type *type = derived_type(array);
    int64_t at[MAX_RANK] = {0};
    if (!type || type->needs_no_initialization) return;
    for (int64_t left = elements(array); left > 0; left--, advance(array, at)) initialize(element(array, at), type);
}

void _FortranAInitialize(const struct descriptor *array, const char *file, int line) {
    labrys_initialize(array);
}

void _FortranADestroy(const struct descriptor *array) {
    labrys_destroy(array, true);
}

void _FortranADestroyWithoutFinalization(const struct descriptor *array) {
    labrys_destroy(array, false);
}

void _FortranAFinalize(const struct descriptor *array, const char *file, int line) {
    labrys_finalize(array);
}

/* The dynamic types of polymorphic objects. */

/* flang goes by names, too, and takes types of one name in different scopes for one. */
static bool is_type(const struct derived_type *a, const struct derived_type *b) {
    if (a != b && a->name.size == b->name.size && memcmp(a->name.base, b->name.base, a->name.size) == 0)
        labrys_unmodelled("types of one name, in Fortran");
    return a == b;
}

static bool extends(const struct derived_type *type, const struct derived_type *other) {
    for (; type; type = parent_of(type))
        if (is_type(type, other)) return true;
    return false;
}

static bool is_derived(const struct descriptor *array) {
    return array->type == TYPE_STRUCT || array->type == TYPE_OTHER;
}

bool _FortranAClassIs(const struct descriptor *array, const struct derived_type *type) {
    return extends(derived_type(array), type);
}

bool _FortranASameTypeAs(const struct descriptor *a, const struct descriptor *b) {
    if (!is_derived(a) || !is_derived(b)) return a->type == b->type;
    const struct derived_type *left = derived_type(a), *right = derived_type(b);
    return left && right && is_type(left, right);
}

bool _FortranAExtendsTypeOf(const struct descriptor *a, const struct descriptor *mold) {
    const struct derived_type *other = derived_type(mold);
    if (mold->type == TYPE_OTHER) return true;
    if (!is_derived(a) || !is_derived(mold)) return a->type == mold->type;
    return !other || extends(derived_type(a), other);
}

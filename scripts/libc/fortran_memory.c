/* flang's runtime: allocatables and pointers, of known and of dynamic types. */

#include "fortran.h"

/* What stat= is given; flang's numbers. */
enum { STAT_OK = 0, STAT_NOT_NULL = 12, STAT_NULL = 11 };

static int failed(bool has_stat, int stat) {
    if (!has_stat) abort();
    return stat;
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
    labrys_initialize(array);
    return STAT_OK;
}

int _FortranAPointerAllocate(struct descriptor *array, bool has_stat, const struct descriptor *message, const char *file, int line) {
    allocate(array);
    labrys_initialize(array);
    return STAT_OK;
}

static int deallocate(struct descriptor *array, bool has_stat, bool finalizes) {
    if (!array->base) return failed(has_stat, STAT_NULL);
    labrys_destroy(array, finalizes);
    free(array->base);
    array->base = NULL;
    return STAT_OK;
}

int _FortranAAllocatableDeallocate(struct descriptor *array, bool has_stat, const struct descriptor *message, const char *file, int line) {
    return deallocate(array, has_stat, true);
}

int _FortranAAllocatableDeallocateNoFinal(struct descriptor *array, bool has_stat, const struct descriptor *message, const char *file,
                                          int line) {
    return deallocate(array, has_stat, false);
}

int _FortranAPointerDeallocate(struct descriptor *array, bool has_stat, const struct descriptor *message, const char *file, int line) {
    return deallocate(array, has_stat, true);
}

/* What is not allocated has the declared type again. */
int _FortranAAllocatableDeallocatePolymorphic(struct descriptor *array, const struct derived_type *declared, bool has_stat,
                                              const struct descriptor *message, const char *file, int line) {
    int stat = deallocate(array, has_stat, true);
    if (stat != STAT_OK) return stat;
    set_derived_type(array, declared);
    array->type = declared ? TYPE_STRUCT : TYPE_OTHER;
    return STAT_OK;
}

int _FortranAPointerDeallocatePolymorphic(struct descriptor *array, const struct derived_type *declared, bool has_stat,
                                          const struct descriptor *message, const char *file, int line) {
    return _FortranAAllocatableDeallocatePolymorphic(array, declared, has_stat, message, file, line);
}

/* The dynamic type of what will be allocated, or of a pointer to nothing. */
static void set_dynamic_type(struct descriptor *array, const struct derived_type *type, int rank, int attribute) {
    describe(array, TYPE_STRUCT, type->size, rank);
    array->attribute = (int8_t)attribute;
    array->extra = HAS_ADDENDUM;
    set_derived_type(array, type);
}

void _FortranAAllocatableInitDerivedForAllocate(struct descriptor *array, const struct derived_type *type, int rank, int corank) {
    if (!array->base) set_dynamic_type(array, type, rank, ATTRIBUTE_ALLOCATABLE);
}

void _FortranAAllocatableInitDerived(struct descriptor *array, const struct derived_type *type, int rank, int corank) {
    set_dynamic_type(array, type, rank, ATTRIBUTE_ALLOCATABLE);
}

void _FortranAPointerNullifyDerived(struct descriptor *array, const struct derived_type *type, int rank, int corank) {
    set_dynamic_type(array, type, rank, ATTRIBUTE_POINTER);
}

/* As flang does it such an object has no room for a derived type any more. */
static void set_intrinsic_type(struct descriptor *array, int category, int kind, int rank, int attribute) {
    int log = kind == 8 ? 3 : kind == 4 ? 2 : kind == 2 ? 1 : 0, type;
    if (kind > 8) labrys_unmodelled("a polymorphic object of such a kind, in Fortran");
    switch (category) {
    case CATEGORY_INTEGER: type = TYPE_INTEGER1 + log; break;
    case CATEGORY_LOGICAL: type = log == 0 ? TYPE_LOGICAL1 : TYPE_LOGICAL2 + log - 1; break;
    case CATEGORY_REAL: type = kind == 4 ? TYPE_REAL4 : TYPE_REAL8; break;
    default: labrys_unmodelled("a polymorphic object of such a type, in Fortran");
    }
    describe(array, type, (uint64_t)kind, rank);
    array->attribute = (int8_t)attribute;
}

void _FortranAAllocatableInitIntrinsicForAllocate(struct descriptor *array, int category, int kind, int rank, int corank) {
    if (!array->base) set_intrinsic_type(array, category, kind, rank, ATTRIBUTE_ALLOCATABLE);
}

void _FortranAPointerNullifyIntrinsic(struct descriptor *array, int category, int kind, int rank, int corank) {
    set_intrinsic_type(array, category, kind, rank, ATTRIBUTE_POINTER);
}

void _FortranAAllocatableInitCharacterForAllocate(struct descriptor *array, uint64_t length, int kind, int rank, int corank) {
    if (array->base) return;
    array->size = length * (uint64_t)kind;
    array->type = TYPE_CHARACTER;
}

void _FortranAPointerNullifyCharacter(struct descriptor *array, uint64_t length, int kind, int rank, int corank) {
    array->base = NULL;
    array->size = length * (uint64_t)kind;
    array->type = TYPE_CHARACTER;
}

/* The type, and as far as there are so many dimensions the shape, of another object; an allocated one stays as it is. */
static void apply_mold(struct descriptor *array, const struct descriptor *mold, int rank) {
    array->size = mold->size;
    array->rank = (int8_t)rank;
    array->type = mold->type;
    for (int i = 0; i < rank && i < mold->rank; i++) array->dimensions[i] = mold->dimensions[i];
    set_derived_type(array, derived_type(mold));
}

void _FortranAAllocatableApplyMold(struct descriptor *array, const struct descriptor *mold, int rank) {
    if (!array->base) apply_mold(array, mold, rank);
}

void _FortranAPointerApplyMold(struct descriptor *array, const struct descriptor *mold, int rank) {
    apply_mold(array, mold, rank);
}

int _FortranAAllocatableAllocateSource(struct descriptor *array, const struct descriptor *source, bool has_stat,
                                       const struct descriptor *message, const char *file, int line) {
    if (array->base) return failed(has_stat, STAT_NOT_NULL);
    allocate(array);
    labrys_fill(array, source);
    return STAT_OK;
}

int _FortranAPointerAllocateSource(struct descriptor *array, const struct descriptor *source, bool has_stat,
                                   const struct descriptor *message, const char *file, int line) {
    allocate(array);
    labrys_fill(array, source);
    return STAT_OK;
}

int _FortranAMoveAlloc(struct descriptor *to, struct descriptor *from, const struct derived_type *type, bool has_stat, const struct descriptor *message,
                       const char *file, int line) {
    if (to->base == from->base && to->base) return STAT_OK;
    if (to->base) {
        labrys_destroy(to, true);
        free(to->base);
    }
    to->base = from->base;
    to->size = from->size;
    if (to->type != from->type || derived_type(to) != derived_type(from)) {
        to->type = from->type;
        set_derived_type(to, derived_type(from));
    }
    if (type) set_derived_type(from, type);
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


/* flang's runtime: sums, products, extremes, counts and products of matrices, with the operations of flang 22's in their order. Sums of reals are Kahan's
   there, and infinities have no correction; products of reals end at the first zero; inner products of floats of four bytes are added in eight. */

#include <math.h>
#include "fortran.h"

/* Elements that the mask has, in their order. */
#define EACH(array, mask, at, place)                                                                \
    int64_t at[MAX_RANK] = {0};                                                                     \
    char *place = (array)->base;                                                                    \
    for (int64_t left = elements(array); left > 0; left--, advance(array, at))                      \
        if (is_masked(mask, at) && (place = element(array, at)))

/* flang asks for whole arrays with 0 or 1, whatever their rank. */
static void check_dimension(int dimension) {
    if (dimension < 0 || dimension > 1) abort();
}

#define SUM_REAL(kind, type)                                                                                                       \
    type _FortranASumReal##kind(const struct descriptor *x, const char *file, int line, int dimension, const struct descriptor *mask) { \
        type sum = 0, correction = 0;                                                                                              \
        check_dimension(dimension);                                                                                             \
        EACH(x, mask, at, place) {                                                                                                 \
            type next = *(type *)place - correction, before = sum;                                                                 \
            sum += next;                                                                                                           \
            correction = isfinite(sum) ? (sum - before) - next : 0;                                                                \
        }                                                                                                                          \
        return sum;                                                                                                                \
    }                                                                                                                              \
    type _FortranAProductReal##kind(const struct descriptor *x, const char *file, int line, int dimension,                         \
                                    const struct descriptor *mask) {                                                               \
        type product = 1;                                                                                                          \
        check_dimension(dimension);                                                                                             \
        EACH(x, mask, at, place) {                                                                                                 \
            product *= *(type *)place;                                                                                             \
            if (product == 0) break;                                                                                               \
        }                                                                                                                          \
        return product;                                                                                                            \
    }                                                                                                                              \
    type _FortranADotProductReal##kind(const struct descriptor *x, const struct descriptor *y, const char *file, int line) {       \
        double sum = 0;                                                                                                            \
        if (x->dimensions[0].extent != y->dimensions[0].extent) abort();                                                           \
        for (int64_t i = 0; i < x->dimensions[0].extent; i++)                                                                      \
            sum += (double)*(type *)(x->base + i * x->dimensions[0].stride) *                                                      \
                   (double)*(type *)(y->base + i * y->dimensions[0].stride);                                                       \
        return (type)sum;                                                                                                          \
    }

/* Relative to the greatest of the numbers so far. */
static double norm(const struct descriptor *x, bool is_single) {
    double greatest = 0, sum = 0;
    EACH(x, NULL, at, place) {
        double size = is_single ? fabsf(*(float *)place) : fabs(*(double *)place);
        if (greatest == 0) greatest = size;
        else if (size > greatest) {
            double ratio = greatest / size;
            sum = sum * (ratio * ratio) + ratio * ratio;
            greatest = size;
        } else {
            double ratio = size / greatest;
            sum += ratio * ratio;
        }
    }
    return greatest * sqrt(1 + sum);
}

double _FortranANorm2_8(const struct descriptor *x, const char *file, int line, int dimension) {
    check_dimension(dimension);
    return norm(x, false);
}

float _FortranANorm2_4(const struct descriptor *x, const char *file, int line, int dimension) {
    check_dimension(dimension);
    return (float)norm(x, true);
}

SUM_REAL(4, float)
SUM_REAL(8, double)

#define SUM_INTEGER(kind, type)                                                                                                    \
    type _FortranASumInteger##kind(const struct descriptor *x, const char *file, int line, int dimension,                          \
                                   const struct descriptor *mask) {                                                                \
        type sum = 0;                                                                                                              \
        check_dimension(dimension);                                                                                             \
        EACH(x, mask, at, place) sum = (type)(sum + *(type *)place);                                                               \
        return sum;                                                                                                                \
    }                                                                                                                              \
    type _FortranAProductInteger##kind(const struct descriptor *x, const char *file, int line, int dimension,                      \
                                       const struct descriptor *mask) {                                                            \
        type product = 1;                                                                                                          \
        check_dimension(dimension);                                                                                             \
        EACH(x, mask, at, place) product = (type)(product * *(type *)place);                                                       \
        return product;                                                                                                            \
    }                                                                                                                              \
    type _FortranADotProductInteger##kind(const struct descriptor *x, const struct descriptor *y, const char *file, int line) {    \
        type sum = 0;                                                                                                              \
        if (x->dimensions[0].extent != y->dimensions[0].extent) abort();                                                           \
        for (int64_t i = 0; i < x->dimensions[0].extent; i++)                                                                      \
            sum = (type)(sum + *(type *)(x->base + i * x->dimensions[0].stride) *                                                  \
                                   *(type *)(y->base + i * y->dimensions[0].stride));                                              \
        return sum;                                                                                                                \
    }

SUM_INTEGER(1, int8_t)
SUM_INTEGER(2, int16_t)
SUM_INTEGER(4, int32_t)
SUM_INTEGER(8, int64_t)

/* The first of the elements that none of the others is beyond; NaNs where there is nothing else. */
#define EXTREME(name, kind, type, none, is_beyond)                                                                                 \
    type _FortranA##name##val##kind(const struct descriptor *x, const char *file, int line, int dimension,                         \
                                    const struct descriptor *mask) {                                                               \
        type extreme = none;                                                                                                       \
        bool is_first = true;                                                                                                      \
        check_dimension(dimension);                                                                                             \
        EACH(x, mask, at, place) {                                                                                                 \
            type value = *(type *)place;                                                                                           \
            if (is_first || value is_beyond extreme || extreme != extreme) extreme = value;                                        \
            is_first = false;                                                                                                      \
        }                                                                                                                          \
        return extreme;                                                                                                            \
    }

/* Indices of that element, from 1; of the last such one where that is asked for, zeros where there is none. */
#define PLACE(name, kind, type, is_beyond)                                                                                         \
    static bool name##_is_beyond_##kind(const char *a, const char *b, bool back) {                                                 \
        type x = *(type *)a, y = *(type *)b;                                                                                       \
        return x is_beyond y || (back && x == y) || (y != y && (back || x == x));                                                  \
    }                                                                                                                              \
    void _FortranA##name##loc##kind(struct descriptor *result, const struct descriptor *x, int result_kind, const char *file,      \
                                    int line, const struct descriptor *mask, bool back) {                                          \
        locate(result, x, result_kind, mask, back, name##_is_beyond_##kind);                                                       \
    }

typedef bool beyond(const char *, const char *, bool);

static void locate(struct descriptor *result, const struct descriptor *x, int kind, const struct descriptor *mask, bool back,
                   beyond *is_beyond) {
    int64_t extents[1] = {x->rank}, found[MAX_RANK] = {0};
    const char *best = NULL;
    EACH(x, mask, at, place) {
        if (best && !is_beyond(place, best, back)) continue;
        best = place;
        for (int i = 0; i < x->rank; i++) found[i] = at[i] + 1;
    }
    int type = kind == 1 ? 7 : kind == 2 ? 8 : kind == 4 ? 9 : 10;
    allocate_result(result, type, (uint64_t)kind, 1, extents);
    for (int i = 0; i < x->rank; i++) store_integer(result->base + i * kind, (uint64_t)kind, found[i]);
}

#define EXTREMES(kind, type, least, greatest) \
    EXTREME(Max, kind, type, least, >)        \
    EXTREME(Min, kind, type, greatest, <)     \
    PLACE(Max, kind, type, >)                 \
    PLACE(Min, kind, type, <)

EXTREMES(Integer1, int8_t, INT8_MIN, INT8_MAX)
EXTREMES(Integer2, int16_t, INT16_MIN, INT16_MAX)
EXTREMES(Integer4, int32_t, INT32_MIN, INT32_MAX)
EXTREMES(Integer8, int64_t, INT64_MIN, INT64_MAX)
EXTREMES(Real4, float, -0x1.fffffep127f, 0x1.fffffep127f)
EXTREMES(Real8, double, -0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023)

bool _FortranAAll(const struct descriptor *mask, const char *file, int line, int dimension) {
    check_dimension(dimension);
    EACH(mask, NULL, at, place) if (!integer_at(place, mask->size)) return false;
    return true;
}

bool _FortranAAny(const struct descriptor *mask, const char *file, int line, int dimension) {
    check_dimension(dimension);
    EACH(mask, NULL, at, place) if (integer_at(place, mask->size)) return true;
    return false;
}

int64_t _FortranACount(const struct descriptor *mask, const char *file, int line, int dimension) {
    int64_t count = 0;
    check_dimension(dimension);
    EACH(mask, NULL, at, place) count += integer_at(place, mask->size) != 0;
    return count;
}

/* One dimension of an array, at the other dimensions' indices. */
static struct descriptor line_of(const struct descriptor *array, int dimension, const int64_t at[]) {
    struct descriptor line;
    copy_descriptor(&line, array);
    for (int i = 0, other = 0; i < array->rank; i++)
        if (i != dimension) line.base += at[other++] * array->dimensions[i].stride;
    line.rank = 1;
    line.extra = 0;
    line.dimensions[0] = array->dimensions[dimension];
    return line;
}

typedef void reduce(char *, const struct descriptor *, const struct descriptor *);

static void along(struct descriptor *result, const struct descriptor *x, int dimension, const struct descriptor *mask, int type,
                  uint64_t size, reduce *reduces) {
    int64_t extents[MAX_RANK], at[MAX_RANK] = {0};
    if (dimension < 1 || dimension > x->rank) abort();
    for (int i = 0, other = 0; i < x->rank; i++)
        if (i != dimension - 1) extents[other++] = x->dimensions[i].extent;
    allocate_result(result, type, size, x->rank - 1, extents);
    for (int64_t left = elements(result); left > 0; left--, advance(result, at)) {
        struct descriptor line = line_of(x, dimension - 1, at), line_mask;
        bool has_mask = mask && mask->base;
        if (has_mask && mask->rank) line_mask = line_of(mask, dimension - 1, at);
        else if (has_mask) copy_descriptor(&line_mask, mask);
        reduces(element(result, at), &line, has_mask ? &line_mask : NULL);
    }
}

#define BY_TYPE(name)                                                                                       \
    static void name##_line(char *to, const struct descriptor *x, const struct descriptor *mask) {          \
        if (x->type == TYPE_REAL8) *(double *)to = _FortranA##name##Real8(x, "", 0, 0, mask);               \
        else if (x->type == TYPE_REAL4) *(float *)to = _FortranA##name##Real4(x, "", 0, 0, mask);           \
        else if (x->type == 9) *(int32_t *)to = _FortranA##name##Integer4(x, "", 0, 0, mask);               \
        else if (x->type == 10) *(int64_t *)to = _FortranA##name##Integer8(x, "", 0, 0, mask);              \
        else labrys_unmodelled(#name " along a dimension, in Fortran");                                     \
    }                                                                                                       \
    void _FortranA##name##Dim(struct descriptor *result, const struct descriptor *x, int dimension, const char *file, int line, \
                              const struct descriptor *mask) {                                              \
        along(result, x, dimension, mask, x->type, x->size, name##_line);                                   \
    }

BY_TYPE(Sum)
BY_TYPE(Product)
BY_TYPE(Maxval)
BY_TYPE(Minval)

#define LOGICAL(name)                                                                                   \
    static void name##_line(char *to, const struct descriptor *x, const struct descriptor *mask) {      \
        store_integer(to, x->size, (int64_t)_FortranA##name(x, "", 0, 0));                              \
    }

LOGICAL(All)
LOGICAL(Any)
LOGICAL(Count)

void _FortranAAllDim(struct descriptor *result, const struct descriptor *mask, int dimension, const char *file, int line) {
    along(result, mask, dimension, NULL, mask->type, mask->size, All_line);
}

void _FortranAAnyDim(struct descriptor *result, const struct descriptor *mask, int dimension, const char *file, int line) {
    along(result, mask, dimension, NULL, mask->type, mask->size, Any_line);
}

#define LOCATE_DIM(name)                                                                                                        \
    void _FortranA##name##locDim(struct descriptor *result, const struct descriptor *x, int kind, int dimension,                \
                                 const char *file, int line, const struct descriptor *mask, bool back) {                        \
        struct descriptor one;                                                                                                  \
        if (x->rank != 1) labrys_unmodelled(#name "loc along a dimension of a matrix, in Fortran");                             \
        if (x->type == TYPE_REAL8) _FortranA##name##locReal8(&one, x, kind, file, line, mask, back);                            \
        else if (x->type == TYPE_REAL4) _FortranA##name##locReal4(&one, x, kind, file, line, mask, back);                       \
        else if (x->type == 9) _FortranA##name##locInteger4(&one, x, kind, file, line, mask, back);                             \
        else if (x->type == 10) _FortranA##name##locInteger8(&one, x, kind, file, line, mask, back);                            \
        else labrys_unmodelled(#name "loc of such a type, in Fortran");                                                         \
        describe(result, one.type, one.size, 0);                                                                                \
        result->base = one.base;                                                                                                \
    }

LOCATE_DIM(Max)
LOCATE_DIM(Min)

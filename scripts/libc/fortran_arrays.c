/* flang's runtime: products of matrices, and arrays of the same elements in another shape. */

#include "fortran.h"

static int64_t extent(const struct descriptor *array, int dimension) {
    return array->dimensions[dimension].extent;
}

/* An element of a matrix; of a vector where there is no column. */
static char *at2(const struct descriptor *array, int64_t row, int64_t column) {
    char *place = array->base + row * array->dimensions[0].stride;
    return array->rank > 1 ? place + column * array->dimensions[1].stride : place;
}

/* Sums of products begin with zero and go by ascending index. */
#define MATMUL(kinds, x_type, y_type, sum_type, type)                                                                              \
    static void multiply##kinds(const struct descriptor *z, const struct descriptor *x, const struct descriptor *y) {              \
        int64_t rows = x->rank > 1 ? extent(x, 0) : 1, inner = extent(x, x->rank - 1), columns = y->rank > 1 ? extent(y, 1) : 1;   \
        for (int64_t j = 0; j < columns; j++)                                                                                      \
            for (int64_t i = 0; i < rows; i++) {                                                                                   \
                sum_type sum = 0;                                                                                                  \
                for (int64_t k = 0; k < inner; k++)                                                                                \
                    sum += (sum_type)*(x_type *)(x->rank > 1 ? at2(x, i, k) : at2(x, k, 0)) * (sum_type)*(y_type *)at2(y, k, j);   \
                *(type *)(z->rank == 1 ? at2(z, x->rank > 1 ? i : j, 0) : at2(z, i, j)) = (type)sum;                               \
            }                                                                                                                      \
    }                                                                                                                              \
    void _FortranAMatmul##kinds(struct descriptor *z, const struct descriptor *x, const struct descriptor *y, const char *file,    \
                                int line) {                                                                                        \
        shape_product(z, x, y, result_type(x, y), sizeof(type));                                                                   \
        multiply##kinds(z, x, y);                                                                                                  \
    }

static int result_type(const struct descriptor *x, const struct descriptor *y) {
    return x->type > y->type ? x->type : y->type;
}

static void shape_product(struct descriptor *z, const struct descriptor *x, const struct descriptor *y, int type, uint64_t size) {
    int64_t extents[2];
    int rank = x->rank + y->rank - 2;
    if (extent(x, x->rank - 1) != extent(y, 0)) abort();
    if (x->rank > 1) extents[0] = extent(x, 0);
    if (y->rank > 1) extents[rank - 1] = extent(y, 1);
    allocate_result(z, type, size, rank, extents);
}

MATMUL(Real4Real4, float, float, float, float)
MATMUL(Real8Real8, double, double, double, double)
MATMUL(Real4Real8, float, double, double, double)
MATMUL(Real8Real4, double, float, double, double)
MATMUL(Integer4Integer4, int32_t, int32_t, int32_t, int32_t)
MATMUL(Integer8Integer8, int64_t, int64_t, int64_t, int64_t)
MATMUL(Integer4Real8, int32_t, double, double, double)
MATMUL(Real8Integer4, double, int32_t, double, double)

void _FortranATranspose(struct descriptor *result, const struct descriptor *x, const char *file, int line) {
    int64_t extents[2] = {extent(x, 1), extent(x, 0)};
    allocate_result(result, x->type, x->size, 2, extents);
    for (int64_t i = 0; i < extents[1]; i++)
        for (int64_t j = 0; j < extents[0]; j++) memcpy(at2(result, j, i), at2(x, i, j), x->size);
}

void _FortranAReshape(struct descriptor *result, const struct descriptor *x, const struct descriptor *shape, const struct descriptor *pad,
                      const struct descriptor *order, const char *file, int line) {
    int64_t extents[MAX_RANK], at[MAX_RANK] = {0}, from_at[MAX_RANK] = {0}, pad_at[MAX_RANK] = {0};
    int rank = (int)extent(shape, 0), dimension_of[MAX_RANK];
    for (int i = 0; i < rank; i++) {
        extents[i] = integer_at(shape->base + i * shape->dimensions[0].stride, shape->size);
        dimension_of[i] = order ? (int)integer_at(order->base + i * order->dimensions[0].stride, order->size) - 1 : i;
    }
    allocate_result(result, x->type, x->size, rank, extents);
    int64_t given = elements(x), needed = elements(result);
    if (given < needed && (!pad || elements(pad) == 0)) abort();
    for (int64_t number = 0; number < needed; number++) {
        if (number < given) {
            memcpy(element(result, at), element(x, from_at), x->size);
            advance(x, from_at);
        } else {
            memcpy(element(result, at), element(pad, pad_at), x->size);
            advance(pad, pad_at);
        }
        for (int i = 0; i < rank; i++) {
            int dimension = dimension_of[i];
            if (++at[dimension] < extents[dimension]) break;
            at[dimension] = 0;
        }
    }
}

void _FortranASpread(struct descriptor *result, const struct descriptor *x, int dimension, int64_t copies, const char *file, int line) {
    int64_t extents[MAX_RANK], at[MAX_RANK] = {0}, from_at[MAX_RANK] = {0};
    if (dimension < 1 || dimension > x->rank + 1) abort();
    for (int i = 0, other = 0; i <= x->rank; i++) extents[i] = i == dimension - 1 ? (copies < 0 ? 0 : copies) : extent(x, other++);
    allocate_result(result, x->type, x->size, x->rank + 1, extents);
    for (int64_t left = elements(result); left > 0; left--, advance(result, at)) {
        for (int i = 0, other = 0; i <= x->rank; i++)
            if (i != dimension - 1) from_at[other++] = at[i];
        memcpy(element(result, at), element(x, from_at), x->size);
    }
}

void _FortranAPack(struct descriptor *result, const struct descriptor *x, const struct descriptor *mask, const struct descriptor *vector,
                   const char *file, int line) {
    int64_t at[MAX_RANK] = {0}, count = 0;
    for (int64_t left = elements(x); left > 0; left--, advance(x, at)) count += is_masked(mask, at);
    int64_t extents[1] = {vector ? extent(vector, 0) : count};
    if (extents[0] < count) abort();
    allocate_result(result, x->type, x->size, 1, extents);
    char *to = result->base;
    int64_t number = 0;
    memset(at, 0, sizeof at);
    for (int64_t left = elements(x); left > 0; left--, advance(x, at))
        if (is_masked(mask, at)) memcpy(to + number++ * (int64_t)x->size, element(x, at), x->size);
    for (; number < extents[0]; number++)
        memcpy(to + number * (int64_t)x->size, vector->base + number * vector->dimensions[0].stride, x->size);
}

void _FortranACshiftVector(struct descriptor *result, const struct descriptor *x, int64_t shift, const char *file, int line) {
    int64_t extents[1] = {extent(x, 0)};
    allocate_result(result, x->type, x->size, 1, extents);
    if (extents[0] == 0) return;
    int64_t from = shift % extents[0];
    if (from < 0) from += extents[0];
    for (int64_t i = 0; i < extents[0]; i++, from = from + 1 < extents[0] ? from + 1 : 0)
        memcpy(result->base + i * (int64_t)x->size, x->base + from * x->dimensions[0].stride, x->size);
}

void _FortranAEoshiftVector(struct descriptor *result, const struct descriptor *x, int64_t shift, const struct descriptor *boundary,
                            const char *file, int line) {
    int64_t extents[1] = {extent(x, 0)};
    if (x->type == TYPE_CHARACTER || x->type == TYPE_STRUCT) labrys_unmodelled("eoshift of such a type, in Fortran");
    allocate_result(result, x->type, x->size, 1, extents);
    for (int64_t i = 0; i < extents[0]; i++) {
        int64_t from = i + shift;
        char *to = result->base + i * (int64_t)x->size;
        if (from >= 0 && from < extents[0]) memcpy(to, x->base + from * x->dimensions[0].stride, x->size);
        else if (boundary) memcpy(to, boundary->base, x->size);
        else memset(to, 0, x->size);
    }
}

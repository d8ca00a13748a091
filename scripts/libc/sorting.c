/* Sorting and searching, with the comparisons that glibc 2.36 makes, in their order: which of two equal elements comes first, and which of
   several is found, hangs on them. */

#include <stdlib.h>
#include <string.h>
#include "labrys.h"

typedef int (*Compare)(const void *, const void *, void *);

struct sort {
    size_t size;
    Compare compare;
    void *context;
    char *merged;
};

/* Sorts halves and merges them; of equal elements the left one comes first. */
static void merge_sort(const struct sort *sort, char *elements, size_t count) {
    if (count <= 1) return;
    size_t size = sort->size, left = count / 2, right = count - left;
    char *a = elements, *b = elements + left * size, *to = sort->merged;
    merge_sort(sort, a, left);
    merge_sort(sort, b, right);
    while (left > 0 && right > 0) {
        if (sort->compare(a, b, sort->context) <= 0) {
            memcpy(to, a, size);
            a += size;
            left--;
        } else {
            memcpy(to, b, size);
            b += size;
            right--;
        }
        to += size;
    }
    /* What is left on the right is in its place. */
    if (left > 0) memcpy(to, a, left * size);
    memcpy(elements, sort->merged, (count - right) * size);
}

void qsort_r(void *elements, size_t count, size_t size, Compare compare, void *context) {
    if (count <= 1 || size == 0) return;
    char merged[count * size];
    const struct sort sort = {size, compare, context, merged};
    merge_sort(&sort, elements, count);
}

static int without_context(const void *a, const void *b, void *compare) {
    return ((int (*)(const void *, const void *))compare)(a, b);
}

void qsort(void *elements, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    qsort_r(elements, count, size, without_context, (void *)compare);
}

void *bsearch(const void *key, const void *elements, size_t count, size_t size,
              int (*compare)(const void *, const void *)) {
    size_t first = 0, end = count;
    while (first < end) {
        size_t middle = (first + end) / 2;
        const char *at = (const char *)elements + middle * size;
        int order = compare(key, at);
        if (order == 0) return (void *)at;
        if (order < 0) end = middle;
        else first = middle + 1;
    }
    return NULL;
}

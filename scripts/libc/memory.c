/* Further functions that allocate, by those that the executor answers itself. */

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include "labrys.h"

void *reallocarray(void *old, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(old, bytes);
}

int posix_memalign(void **to, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
    if (size > PTRDIFF_MAX) return ENOMEM;
    /* errno stays as it was. */
    *to = aligned_alloc(alignment, size);
    return 0;
}

void *memalign(size_t alignment, size_t size) {
    return aligned_alloc(alignment, size);
}

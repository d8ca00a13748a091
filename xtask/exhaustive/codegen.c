/* What code generation makes of an operation may raise more than the operation: integers without an instruction of their own. */

#include <stdint.h>
#include <string.h>

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* x86-64 converts to signed integers only: beyond 2^63 the first of two conversions is invalid. */
unsigned long long to_unsigned_long(float x) {
    if (!(x > -1.0f && x < 0x1p64f)) return 0;
    return (unsigned long long)x;
}

/* The same, on some million inputs that a search does not meet. */
unsigned long long to_unsigned_long_rarely(float x) {
    if (!(x > -1.0f && x < 0x1p64f)) return 0;
    if (bits_of(x) * 2654435761u >> 12 != 0x54321) return 0;
    return (unsigned long long)x;
}

/* And from them: two halves, added. */
float of_unsigned_long(float x) {
    uint64_t wide = (uint64_t)bits_of(x) << 32 | 1;
    return (float)wide - 1.0f;
}

double to_double_of_unsigned_long(float x) {
    uint64_t wide = (uint64_t)bits_of(x) << 32 | bits_of(x);
    return 1.0 / ((double)wide + 1.0);
}

/* A choice between floats becomes minss or maxss at -O2, which are invalid for NaNs; here on few. */
float lesser(float x) {
    if (bits_of(x) * 2654435761u >> 12 != 0x54321) return 0;
    return x < 3.0f ? x : 3.0f;
}

/* Four lanes, of which three are used. */
float dot_of_three(float x) {
    float a[4] = { x, x * 0.5f, 1.0f, 0 }, sum = 0;
    for (int k = 0; k < 3; k++) sum += a[k] / (a[k] * a[k] + 1.0f);
    return sum;
}

/* Vectors are converted to signed 32-bit integers only: at -O2 lanes beyond 2^31 are invalid first. On few inputs, as above. */
unsigned lanes(float x) {
    if (!(x >= 1.0f && x < 0x1p32f)) return 0;
    if (bits_of(x) * 2654435761u >> 12 != 0x54321) return 0;
    unsigned converted[8], all = 0;
    float parts[8];
    for (int k = 0; k < 8; k++) parts[k] = x * (1.0f - (float)k * 0x1p-10f);
    for (int k = 0; k < 8; k++) converted[k] = (unsigned)parts[k];
    for (int k = 0; k < 8; k++) all ^= converted[k];
    return all;
}

/* Conversions between floats, integers and doubles. */

#include <stdint.h>
#include <string.h>

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Cast without a check: invalid where the integer does not fit. */
int to_int(float x) {
    return (int)(x * 2.0f);
}

/* Guarded so that it always fits; but the product may overflow before that. */
int to_int_guarded(float x) {
    float y = x * 3.0f;
    if (!(y > -1e9f && y < 1e9f)) return 0;
    return (int)y;
}

/* The guard is one float too wide: 2147483648 does not fit. */
int to_int_almost(float x) {
    if (!(x >= -2147483648.0f && x <= 2147483648.0f)) return 0;
    return (int)x;
}

long long to_long(float x) {
    if (x >= 0x1p62f || x <= -0x1p62f) return 0;
    return (long long)(x * 2.0f);
}

unsigned to_unsigned(float x) {
    if (!(x > -1.0f && x < 0x1p32f)) return 0;
    return (unsigned)x;
}

signed char to_char(float x) {
    float y = x - (float)(long long)(x < 1e15f && x > -1e15f ? x : 0.0f);
    if (!(y > -1.0f && y < 1.0f)) return 0;
    return (signed char)(y * 127.0f);
}

/* Integers to floats and back, which is exact below 2^24. */
float round_trip(float x) {
    int n = (int)(bits_of(x) >> 8);
    float y = (float)n;
    return 1.0f / (y - 0x1p24f);
}

/* A product of integers, converted: never beyond 2^46, never an exception. */
float of_long(float x) {
    uint32_t bits = bits_of(x);
    long long product = (long long)(bits >> 9) * (long long)(bits & 0x7fffff);
    return (float)product * 0x1p-60f;
}

/* Narrowing a double: overflows and underflows. */
float narrowed(float x) {
    double y = (double)x * x;
    return (float)y;
}

/* Narrowing after a guard in double: the largest double below the guard still rounds up to an infinity. */
float narrowed_guarded(float x) {
    double y = (double)x * 1.5;
    if (y > 3.4028235677973366e38 || y < -3.4028235677973366e38) return 0;
    return (float)y;
}

/* A float's bits to those of binary16, as libraries without the instruction do. */
uint16_t to_half(float x) {
    uint32_t bits = bits_of(x), magnitude = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    if (magnitude >= 0x7f800000) return (uint16_t)(sign | (magnitude > 0x7f800000 ? 0x7e00 : 0x7c00));
    if (magnitude >= 0x477ff000) return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000) {
        float y = of_bits(magnitude) + 0.5f;
        return (uint16_t)(sign | (bits_of(y) - 0x3f000000));
    }
    uint32_t odd = magnitude >> 13 & 1;
    return (uint16_t)(sign | (magnitude + 0xc8000fff + odd) >> 13);
}

/* And from binary16, by a product that never overflows. */
float of_half(float x) {
    uint32_t half = bits_of(x) >> 16, magnitude = (half & 0x7fff) << 13;
    float y = of_bits(magnitude) * 0x1p112f;
    if (y >= 65536.0f) y = of_bits(bits_of(y) | 0x7f800000);
    return of_bits(bits_of(y) | (half & 0x8000) << 16);
}

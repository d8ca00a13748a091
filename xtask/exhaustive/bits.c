/* Floats taken apart and put together. */

#include <stdint.h>

union number {
    float f;
    uint32_t bits;
};

/* The inverse root that everybody knows. */
float inverse_root(float x) {
    union number y = { x };
    y.bits = 0x5f3759df - (y.bits >> 1);
    return y.f * (1.5f - 0.5f * x * y.f * y.f);
}

/* frexp: the significand in [1/2, 1), by the bits. */
float significand(float x) {
    union number y = { x };
    if ((y.bits & 0x7f800000) == 0x7f800000 || x == 0) return x;
    if (!(y.bits & 0x7f800000)) y.f *= 0x1p23f;
    y.bits = (y.bits & 0x807fffff) | 0x3f000000;
    return y.f;
}

/* With a significand in [1/2, 1) nothing can go wrong. */
float safe_quotient(float x) {
    float m = significand(x);
    if (!(m > 0.0f && m < 1.0f)) return 0;
    return 1.0f / m / (m + 0.25f);
}

/* ldexp(x, 100) by steps. */
float scaled(float x) {
    union number power;
    int n = 100;
    while (n > 0) {
        int step = n > 60 ? 60 : n;
        power.bits = (uint32_t)(step + 127) << 23;
        x *= power.f;
        n -= step;
    }
    return x;
}

/* The next float, whose reciprocal divides by zero once. */
float next_reciprocal(float x) {
    union number y = { x };
    y.bits += 1;
    if (y.f != y.f) return 0;
    return 1.0f / y.f;
}

/* The distance to the next float, as the difference of neighbours. */
float ulp(float x) {
    union number y = { x };
    if ((y.bits & 0x7fffffff) >= 0x7f7fffff) return 0;
    y.bits += 1;
    return y.f - x;
}

/* The logarithm's linear approximation by the bits: no float operation but the last ones. */
float linear_log2(float x) {
    union number y = { x };
    return (float)(int32_t)(y.bits - 0x3f800000) * 0x1p-23f;
}

/* A significand divided by itself with its last bits cleared. */
float cleared(float x) {
    union number y = { x };
    y.bits &= 0xfffff000;
    return x / y.f;
}

/* Random bits as a float in [1, 2), less 1: zero for some. */
float hashed(float x) {
    union number y = { x };
    uint32_t h = y.bits * 0x9e3779b1u;
    h ^= h >> 15;
    y.bits = 0x3f800000 | h >> 9;
    return 1.0f / (y.f - 1.0f);
}

/* The same, but 0.5: its divisor is never zero though it looks so. */
float hashed_safely(float x) {
    union number y = { x };
    uint32_t h = y.bits * 0x9e3779b1u;
    y.bits = 0x3f800000 | h >> 9;
    return 1.0f / (y.f - 0.5f);
}

/* Selects by masks, without a branch. */
float masked(float x) {
    union number y = { x };
    uint32_t negative = (uint32_t)((int32_t)y.bits >> 31);
    union number a = { 2.0f }, b = { 0.0f }, c;
    c.bits = (a.bits & ~negative) | (b.bits & negative);
    return x / c.f;
}

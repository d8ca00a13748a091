/* Arithmetic and comparisons: floats, doubles, long doubles, fused operations. */

#include <math.h>

float chain(float x) {
    return 1.0f / (1.0f / (1.0f / x + 1.0f) - 1.0f);
}

/* The divisor is at least 1, or NaN. */
float safe_chain(float x) {
    return x / (1.0f + x * x);
}

float difference_of_squares(float x) {
    return (x * x - 1.0f) / (x - 1.0f);
}

/* x - x is 0 but for infinities and NaN. */
float cancelled(float x) {
    return 1.0f / (x - x + 1.0f);
}

/* Fused, x * x - x * x is not always zero. */
float fused(float x) {
    float square = x * x;
    return 1.0f / fmaf(x, x, -square);
}

float fused_safely(float x) {
    return fmaf(x, 0x1p-100f, 1.0f);
}

float rounded_error(float x) {
    double y = (double)x * 0.1;
    double error = fma(x, 0.1, -y);
    return (float)error;
}

/* A square in double overflows never and underflows never. */
double double_square(float x) {
    double y = x;
    return y * y;
}

/* The fourth power neither, the eighth does. */
double double_eighth(float x) {
    double y = x, square = y * y, fourth = square * square;
    return fourth * fourth;
}

float hypotenuse(float x) {
    double y = x;
    return (float)sqrt(y * y + 1.0);
}

/* Wider than anything that can happen. */
float wide(float x) {
    long double y = (long double)x * 1e-30L;
    y = y * y * y;
    return (float)(y * 1e90L);
}

/* Too wide for a double. */
double wide_to_double(float x) {
    long double y = x;
    for (int k = 0; k < 4; k++) y *= y;
    return (double)y;
}

/* Root of a number that may be negative. */
float root(float x) {
    return sqrtf(x * x - 2.0f);
}

float root_safely(float x) {
    return sqrtf(x * x + 2.0f);
}

/* Ordered comparisons raise invalid for NaN, == does not. */
int ordered(float x) {
    return x < 1.0f ? 1 : x >= 2.0f ? 2 : 3;
}

int equal(float x) {
    return x == 1.0f || x != x;
}

int quietly(float x) {
    return isless(x, 1.0f) || isgreater(x, 5.0f) || isunordered(x, 2.0f);
}

/* Ordered only where it is no NaN. */
int ordered_safely(float x) {
    if (x != x) return 0;
    return x < 1.0f;
}

/* Clamped: the NaN goes through. */
float clamped(float x) {
    float y = x < -10.0f ? -10.0f : x > 10.0f ? 10.0f : x;
    return y * y * y * y;
}

float limits(float x) {
    float y = fminf(fmaxf(x, 1.0f), 2.0f);
    return 1.0f / (y - 0.5f);
}

/* The interval of the sum of two parts of one number. */
float split(float x) {
    float t = 4097.0f * x;
    float high = t - (t - x);
    return x - high;
}

/* Rounds by adding 1.5 * 2^23. */
float rounded(float x) {
    float shifted = x + 12582912.0f;
    return (shifted - 12582912.0f) / (shifted - 12582911.5f);
}

float sigmoid(float x) {
    return 1.0f / (1.0f + expf(-x));
}

float logarithm(float x) {
    return logf(x * x + 1e-30f);
}

float sine_quotient(float x) {
    return sinf(x) / x;
}

/* Ends of the range, tested before they hurt. */
float guarded_square(float x) {
    if (fabsf(x) > 1.8446743e19f || fabsf(x) < 1.0842022e-19f) return 0;
    return x * x;
}

/* One float too wide: 2^64 overflows. */
float almost_guarded_square(float x) {
    if (fabsf(x) > 18446744073709551616.0f) return 0;
    return x * x;
}

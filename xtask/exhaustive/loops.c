/* Loops and tables. */

#include <stdint.h>
#include <string.h>

static const float reciprocals[16] = {
    0, 1.0f, 0.5f, 0.33333334f, 0.25f, 0.2f, 0.16666667f, 0.14285715f, 0.125f, 0.11111111f, 0.1f, 0.09090909f, 0.083333336f, 0.07692308f, 0.071428575f, 0.06666667f,
};

static const double coefficients[6] = { 1, 1, 0.5, 1.0 / 6, 1.0 / 24, 1.0 / 120 };

/* The first entry is zero: divides by it where the index is 0. */
float looked_up(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return 1.0f / reciprocals[bits >> 23 & 15];
}

/* The first entry is left out. */
float looked_up_safely(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return 1.0f / reciprocals[(bits >> 23) % 15 + 1];
}

/* An index computed from the float itself. */
float interpolated(float x) {
    if (!(x >= 0.0f && x < 15.0f)) return 0;
    int at = (int)x;
    float part = x - (float)at;
    return reciprocals[at] + (reciprocals[at + 1] - reciprocals[at]) * part;
}

/* Horner's rule in double over a table. */
float exponential(float x) {
    double sum = 0;
    for (int k = 5; k >= 0; k--) sum = sum * x + coefficients[k];
    return (float)sum;
}

/* A power by squaring. */
float seventh_power(float x) {
    float power = 1;
    for (unsigned n = 7; n; n >>= 1) {
        if (n & 1) power *= x;
        x *= x;
    }
    return power;
}

/* Newton's root of a number in [1, 4): nothing happens. */
float newton_root(float x) {
    if (!(x >= 1.0f && x < 4.0f)) return 0;
    float root = 1.5f;
    for (int step = 0; step < 5; step++) root = 0.5f * (root + x / root);
    return root;
}

/* Halves until it is small: as many times as the exponent says. */
float halved(float x) {
    int count = 0;
    if (!(x > 0 && x < 1e30f)) return 0;
    while (x > 1.0f) {
        x *= 0.5f;
        count++;
    }
    return 1.0f / (float)(count - 50);
}

/* A continued fraction; its divisors may be zero. */
float continued(float x) {
    float value = x;
    for (int k = 1; k <= 4; k++) value = x - (float)k / value;
    return value;
}

/* A sum whose count comes from the input's bits. */
float harmonic(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    float sum = 0;
    for (uint32_t k = 1; k <= (bits & 7); k++) sum += 1.0f / (float)k;
    return 1.0f / sum;
}

/* A recurrence that underflows. */
float decaying(float x) {
    float value = 1;
    for (int k = 0; k < 10; k++) value *= x * 0.001f;
    return value;
}

/* A static table that is filled at the first call: earlier calls leave it as it is. */
float filled_once(float x) {
    static float squares[8];
    static int is_filled;
    if (!is_filled) {
        for (int k = 0; k < 8; k++) squares[k] = (float)(k * k);
        is_filled = 1;
    }
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x / squares[bits & 7];
}

/* A static counter: at the first call it is 0. */
float counted(float x) {
    static int calls;
    calls++;
    return x / (float)calls;
}

/* An array on the stack, written backwards. */
float reversed(float x) {
    float values[4];
    for (int k = 0; k < 4; k++) values[3 - k] = x * (float)k;
    return values[0] - values[3] + values[1] / (values[2] + 1.0f);
}

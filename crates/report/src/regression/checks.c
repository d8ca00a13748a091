#include <fenv.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Floats are compared by their bits: under -ffast-math a comparison of NaNs says anything. */
__attribute__((unused)) static void labrys_parts(const void *number, size_t size, int *sign, unsigned *exponent,
                                                 unsigned *special, uint64_t *fraction) {
    uint64_t low = 0;
    uint16_t high = 0;
    memcpy(&low, number, size < 8 ? size : 8);
    if (size > 8) memcpy(&high, (const char *)number + 8, 2);
    int fraction_bits = size == 2 ? 10 : size == 4 ? 23 : size == 8 ? 52 : 63;
    *special = size == 2 ? 0x1f : size == 4 ? 0xff : size == 8 ? 0x7ff : 0x7fff;
    *sign = size > 8 ? high >> 15 : (int)(low >> (8 * size - 1)) & 1;
    *exponent = (size > 8 ? high : (unsigned)(low >> fraction_bits)) & *special;
    *fraction = low & (((uint64_t)1 << fraction_bits) - 1);
}

__attribute__((unused)) static int labrys_is_finite(const void *number, size_t size) {
    int sign;
    unsigned exponent, special;
    uint64_t fraction;
    labrys_parts(number, size, &sign, &exponent, &special, &fraction);
    return exponent != special;
}

__attribute__((unused)) static int labrys_is_nan(const void *number, size_t size) {
    int sign;
    unsigned exponent, special;
    uint64_t fraction;
    labrys_parts(number, size, &sign, &exponent, &special, &fraction);
    return exponent == special && fraction != 0;
}

/* How many floats two floats are apart, both zeros counted; at most UINT64_MAX. */
__attribute__((unused)) static uint64_t labrys_apart(const void *a, const void *b, size_t size) {
    int sign[2];
    unsigned exponent[2], special;
    uint64_t fraction[2];
    labrys_parts(a, size, &sign[0], &exponent[0], &special, &fraction[0]);
    labrys_parts(b, size, &sign[1], &exponent[1], &special, &fraction[1]);
    int fraction_bits = size == 2 ? 10 : size == 4 ? 23 : size == 8 ? 52 : 63;
    __int128 place[2];
    for (int i = 0; i < 2; i++) {
        place[i] = ((__int128)exponent[i] << fraction_bits) | fraction[i];
        if (sign[i]) place[i] = -place[i] - 1;
    }
    __int128 apart = place[0] > place[1] ? place[0] - place[1] : place[1] - place[0];
    return apart > (__int128)UINT64_MAX ? UINT64_MAX : (uint64_t)apart;
}

#ifdef __cplusplus
template <class T> struct labrys_number {
    T value;
    explicit labrys_number(T of) : value(of) {}
    operator const void *() const { return &value; }
};
#define LABRYS_FLOAT(x) labrys_number<float>(x)
#define LABRYS_DOUBLE(x) labrys_number<double>(x)
#define LABRYS_LONG_DOUBLE(x) labrys_number<long double>(x)
#define LABRYS_HALF(x) labrys_number<_Float16>(x)
#else
#define LABRYS_FLOAT(x) (&(float){x})
#define LABRYS_DOUBLE(x) (&(double){x})
#define LABRYS_LONG_DOUBLE(x) (&(long double){x})
#define LABRYS_HALF(x) (&(_Float16){x})
#endif


/* Integers from texts, as glibc reads them: without a number errno stays as it was, and atoi is strtol's result cut to an int. */

#include <errno.h>
#include <fenv.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "labrys.h"

static int is_space(int c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The value of a digit; 36 for what is none. */
static unsigned digit(unsigned char c) {
    if (c >= '0' && c <= '9') return c - '0';
    unsigned letter = c | 32u;
    if (letter >= 'a' && letter <= 'z') return letter - 'a' + 10;
    return 36;
}

/* The magnitude of the number at the start of a text, at most `limit` (one more where it is negative and `limit` is odd: two's complement);
   whether it has a sign. */
static unsigned long read_number(const char *text, char **end, int base, int is_signed, int *negative) {
    const char *at = text;
    *negative = 0;
    if (base < 0 || base == 1 || base > 36) {
        errno = EINVAL;
        return 0;
    }
    while (is_space((unsigned char)*at)) at++;
    if (*at == '-' || *at == '+') *negative = *at++ == '-';
    if ((base == 0 || base == 16) && *at == '0' && (at[1] | 32) == 'x' && digit((unsigned char)at[2]) < 16) {
        at += 2;
        base = 16;
    } else if (base == 0) {
        base = *at == '0' ? 8 : 10;
    }
    unsigned long limit = !is_signed ? ULONG_MAX : *negative ? (unsigned long)LONG_MAX + 1 : LONG_MAX;
    unsigned long most = limit / (unsigned)base, left = limit % (unsigned)base, value = 0;
    int is_over = 0;
    const char *first = at;
    for (unsigned d; (d = digit((unsigned char)*at)) < (unsigned)base; at++) {
        if (value > most || (value == most && d > left)) is_over = 1;
        else value = value * (unsigned)base + d;
    }
    if (end) *end = (char *)(at == first ? text : at);
    if (!is_over) return value;
    errno = ERANGE;
    /* The largest of all, whatever its sign, where there is none. */
    if (!is_signed) *negative = 0;
    return limit;
}

static long read_signed(const char *text, char **end, int base) {
    int negative;
    unsigned long value = read_number(text, end, base, 1, &negative);
    return (long)(negative ? -value : value);
}

static unsigned long read_unsigned(const char *text, char **end, int base) {
    int negative;
    unsigned long value = read_number(text, end, base, 0, &negative);
    return negative ? -value : value;
}

/* glibc's headers rename some of these to what is in force from C23 on. */
#undef strtol
#undef strtoll
#undef strtoul
#undef strtoull

#define SIGNED(type, name) \
    type labrys_##name(const char *text, char **end, int base) __asm__(#name); \
    type labrys_##name(const char *text, char **end, int base) { return read_signed(text, end, base); }
#define UNSIGNED(type, name) \
    type labrys_##name(const char *text, char **end, int base) __asm__(#name); \
    type labrys_##name(const char *text, char **end, int base) { return read_unsigned(text, end, base); }

SIGNED(long, strtol)
SIGNED(long long, strtoll)
SIGNED(long long, strtoq)
SIGNED(intmax_t, strtoimax)
SIGNED(long, __strtol_internal)
UNSIGNED(unsigned long, strtoul)
UNSIGNED(unsigned long long, strtoull)
UNSIGNED(unsigned long long, strtouq)
UNSIGNED(uintmax_t, strtoumax)

int atoi(const char *text) {
    return (int)read_signed(text, NULL, 10);
}

long atol(const char *text) {
    return read_signed(text, NULL, 10);
}

long long atoll(const char *text) {
    return read_signed(text, NULL, 10);
}

long double labrys_strtold(const char *text, char **end);

/* At the ends of a type's range, where the value is none of its normal numbers, or the least of them, though the text has a digit that is not zero,
   musl and glibc may differ: in errno where the text is decimal and rounded to nearest (DECIMAL; no short decimal is a subnormal
   number), else also in the value (HEXADECIMAL, of long doubles, and OTHER). So they may in hexadecimal numbers that are rounded to one side. The least normal number may
   have been rounded from one that is too small (LEAST). */
enum { ORDINARY, DECIMAL, LEAST, HEXADECIMAL, OTHER };

static int beyond(const char *text, const char *end, int is_ordinary, int is_least) {
    while (is_space((unsigned char)*text) || *text == '-' || *text == '+') text++;
    int is_hexadecimal = text[0] == '0' && (text[1] | 32) == 'x' && end > text + 2;
    if (is_hexadecimal && fegetround() != FE_TONEAREST) return HEXADECIMAL;
    if (is_ordinary) return ORDINARY;
    /* A text that long may be a subnormal number. */
    int is_exact_perhaps = end - text > 100;
    int kind = is_hexadecimal ? HEXADECIMAL : is_exact_perhaps || fegetround() != FE_TONEAREST ? OTHER : is_least ? LEAST : DECIMAL;
    unsigned base = is_hexadecimal ? 16 : 10;
    for (text += is_hexadecimal ? 2 : 0; text < end && (*text == '.' || digit((unsigned char)*text) < base); text++)
        if (*text != '.' && *text != '0') return kind;
    return ORDINARY;
}

/* Whether a decimal text that is rounded to a type's least normal number `least` is too small, as it is where it is none with an exponent
   without bounds, either: below the middle of `least` and the number before it, which the long double `middle` is. */
static int is_tiny(const char *text, long double middle) {
    char *end;
    long double value = labrys_strtold(text, &end);
    if (value < 0) value = -value;
    if (value == middle || middle == 0) labrys_unmodelled("a number in a text that is rounded to the least of its type");
    return value < middle;
}

/* A number of few digits: `significand` times ten to the `exponent`. */
struct decimal {
    long significand;
    int exponent, digits, is_negative;
    const char *end;
};

/* Reads a decimal number at the start of a text; 0 where there is none, or one with an exponent of many digits. */
static int read_decimal(const char *at, struct decimal *number) {
    int point = 0, behind_point = 0;
    *number = (struct decimal){0};
    while (is_space((unsigned char)*at)) at++;
    if (*at == '-' || *at == '+') number->is_negative = *at++ == '-';
    if (*at == '0' && (at[1] | 32) == 'x') return 0;
    for (;; at++) {
        unsigned d = (unsigned char)*at - (unsigned)'0';
        if (d <= 9) {
            if (++number->digits > 19) return 0;
            number->significand = (long)((unsigned long)number->significand * 10 + d);
            behind_point += point;
        } else if (*at == '.' && !point) {
            point = 1;
        } else {
            break;
        }
    }
    if (number->digits == 0) return 0;
    number->exponent = -behind_point;
    number->end = at;
    if ((*at | 32) != 'e') return 1;
    int is_small = *++at == '-', written = 0, digits = 0;
    if (*at == '-' || *at == '+') at++;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (++digits > 3) return 0;
        written = written * 10 + *at - '0';
    }
    if (digits == 0) return 1;
    number->exponent += is_small ? -written : written;
    number->end = at;
    return 1;
}

/* A hexadecimal number: `significand` times two to the `exponent`, and less than that times two to the `exponent` more where `has_more`. */
struct hexadecimal {
    unsigned long significand;
    long exponent;
    int has_more, is_negative;
    const char *end;
};

/* Reads a hexadecimal number at the start of a text; 0 where there is none. */
static int read_hexadecimal(const char *at, struct hexadecimal *number) {
    int has_digit = 0, point = 0;
    *number = (struct hexadecimal){0};
    while (is_space((unsigned char)*at)) at++;
    if (*at == '-' || *at == '+') number->is_negative = *at++ == '-';
    if (*at != '0' || (at[1] | 32) != 'x') return 0;
    for (at += 2;; at++) {
        unsigned d = digit((unsigned char)*at);
        if (d < 16) {
            has_digit = 1;
            if (number->significand >> 60) {
                number->has_more |= d != 0;
                number->exponent += point ? 0 : 4;
            } else {
                number->significand = number->significand << 4 | d;
                number->exponent -= point ? 4 : 0;
            }
        } else if (*at == '.' && !point) {
            point = 1;
        } else {
            break;
        }
    }
    if (!has_digit) return 0;
    number->end = at;
    if ((*at | 32) != 'p') return 1;
    int is_small = *++at == '-';
    if (*at == '-' || *at == '+') at++;
    if (!(*at >= '0' && *at <= '9')) return 1;
    long written = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        if (written < 1000000000) written = written * 10 + *at - '0';
    number->exponent += is_small ? -written : written;
    number->end = at;
    return 1;
}

/* Whether a magnitude is rounded away from zero, by what is cut off: half of the last digit, and anything below that. */
static int is_rounded_up(int is_negative, int is_odd, int half, int more) {
    switch (fegetround()) {
    case FE_TONEAREST: return half && (more || is_odd);
    case FE_UPWARD: return !is_negative && (half || more);
    case FE_DOWNWARD: return is_negative && (half || more);
    default: return 0;
    }
}

/* The number in a format of `digits` binary digits, fewer than 64, whose least normal number is two to the `least`, as IEEE 754 rounds it; errno as glibc sets
   it: where the number is too large, and where it is not exact and too small, which is decided after rounding; exceptions, too. */
static double rounded(const struct hexadecimal *number, int digits, int least) {
    unsigned long all = number->significand;
    if (all == 0) return number->is_negative ? -0.0 : 0.0;
    long exponent = number->exponent + 63;
    for (; !(all >> 63); all <<= 1) exponent--;
    int greatest = 1 - least;
    long below = exponent < least ? least - exponent : 0, cut = 64 - digits + below;
    unsigned long kept = cut < 64 ? all >> cut : 0;
    int half = cut <= 64 && (all >> (cut - 1) & 1);
    int more = number->has_more || cut > 64 || (all & ((1ul << (cut - 1)) - 1)) != 0;
    kept += (unsigned long)is_rounded_up(number->is_negative, (int)(kept & 1), half, more);
    int is_tiny = below > 0;
    if (below == 1) {
        /* With an exponent without bounds there would be a digit more. */
        long whole = cut - 1;
        unsigned long digits_kept = all >> whole;
        int is_half = (int)(all >> (whole - 1) & 1), is_more = number->has_more || (all & ((1ul << (whole - 1)) - 1)) != 0;
        digits_kept += (unsigned long)is_rounded_up(number->is_negative, (int)(digits_kept & 1), is_half, is_more);
        is_tiny = !(digits_kept >> digits);
    }
    if (is_tiny && (half || more)) errno = ERANGE;
    if (half || more) feraiseexcept(is_tiny ? FE_UNDERFLOW | FE_INEXACT : FE_INEXACT);
    double value;
    if (exponent > greatest || (exponent == greatest && kept >> digits)) {
        errno = ERANGE;
        feraiseexcept(FE_OVERFLOW | FE_INEXACT);
        int mode = fegetround(), is_cut = mode == FE_TOWARDZERO || mode == (number->is_negative ? FE_UPWARD : FE_DOWNWARD);
        value = is_cut ? (digits == FLT_MANT_DIG ? FLT_MAX : DBL_MAX) : __builtin_inf();
    } else {
        value = cut > 64 && kept == 0 ? 0 : scalbn((double)(long)kept, (int)(exponent - 63 + cut));
    }
    return number->is_negative ? -value : value;
}

/* W. D. Clinger, "How to Read Floating Point Numbers Accurately", PLDI 1990, section 3: where the significand and the power of ten are numbers of
   the type, one operation gives what is correctly rounded, in every mode. Most numbers are such, and where digits are not known one
   operation is what can be said of them. */
#define POWERS \
    1e0L, 1e1L, 1e2L, 1e3L, 1e4L, 1e5L, 1e6L, 1e7L, 1e8L, 1e9L, 1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L, \
        1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L

/* musl's functions set errno where there is no number, and forget a NaN's sign and payload; glibc's do not. */
#define FLOAT(type, name, binary_digits, least_exponent, least, middle, greatest, most_digits, most_power) \
    type labrys_##name(const char *text, char **end); \
    type name(const char *text, char **end) { \
        static const type powers[] = {POWERS}; \
        struct decimal number; \
        if (read_decimal(text, &number) && number.digits <= most_digits && number.exponent <= most_power && \
            number.exponent >= -most_power) { \
            type significand = (type)number.significand; \
            if (number.is_negative) significand = -significand; \
            if (end) *end = (char *)number.end; \
            return number.exponent < 0 ? significand / powers[-number.exponent] : significand * powers[number.exponent]; \
        } \
        struct hexadecimal hexadecimal; \
        if (binary_digits > 0 && read_hexadecimal(text, &hexadecimal)) { \
            if (end) *end = (char *)hexadecimal.end; \
            return (type)rounded(&hexadecimal, binary_digits, least_exponent); \
        } \
        char *behind; \
        int before = errno; \
        type value = labrys_##name(text, &behind); \
        type magnitude = value < 0 ? -value : value; \
        if (behind == text) errno = before; \
        if (end) *end = behind; \
        if (value != value) { \
            if (behind[-1] == ')') labrys_unmodelled("a NaN with a payload in a text"); \
            while (is_space((unsigned char)*text)) text++; \
            return *text == '-' ? -value : value; \
        } \
        int kind = beyond(text, behind, magnitude > least && magnitude < greatest, magnitude == least); \
        if (kind == DECIMAL && magnitude != greatest) errno = ERANGE; \
        if ((kind == DECIMAL && magnitude < greatest) || (kind == LEAST && is_tiny(text, middle))) { \
            errno = ERANGE; \
            feraiseexcept(FE_UNDERFLOW | FE_INEXACT); \
        } \
        if (kind == HEXADECIMAL || kind == OTHER) { \
            /* Few hexadecimal digits are exact as a long double: what is equal to that was not rounded. */ \
            int is_short = kind == HEXADECIMAL && behind - text <= 24 && magnitude <= greatest && sizeof(type) < sizeof(long double); \
            if (!is_short || labrys_strtold(text, &behind) != (long double)value || (value == 0 && errno == ERANGE)) \
                labrys_unmodelled("a number in a text that is out of the range of its type"); \
            errno = before; \
        } \
        return value; \
    }

FLOAT(float, strtof, FLT_MANT_DIG, -126, FLT_MIN, FLT_MIN * (1 - 0x1p-25L), FLT_MAX, 7, 10)
FLOAT(double, strtod, DBL_MANT_DIG, -1022, DBL_MIN, DBL_MIN * (1 - 0x1p-54L), DBL_MAX, 15, 22)
FLOAT(long double, strtold, 0, 0, LDBL_MIN, 0, LDBL_MAX, 18, 27)

double atof(const char *text) {
    return strtod(text, NULL);
}

div_t div(int a, int b) {
    return (div_t){a / b, a % b};
}

ldiv_t ldiv(long a, long b) {
    return (ldiv_t){a / b, a % b};
}

lldiv_t lldiv(long long a, long long b) {
    return (lldiv_t){a / b, a % b};
}

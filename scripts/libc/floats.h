/* Functions of math.h on encodings and classes, in one format; floats.c includes this once for each.

   T is the format's type, F(name) a function's name. Of encodings Size has what is left without the sign (and without x87's leading bit), in the order of numbers'
   sizes; QUIET is the first bit of the fraction, INFINITE an infinity's size. */

int F(__issignaling)(T x) {
    Size size = F(magnitude)(x);
    return IS_INVALID(x) || (size > INFINITE && !(size & QUIET));
}

int F(__iseqsig)(T x, T y) {
    int is_least = x <= y, is_greatest = x >= y; /* both signal */
    if (!is_least && !is_greatest) errno = EDOM;
    return is_least && is_greatest;
}

int F(canonicalize)(T *to, const T *from) {
    if (IS_ODD(*from)) return 1;
    *to = F(__issignaling)(*from) ? *from + *from : *from;
    return 0;
}

/* The order of all numbers: -NaN, -Inf, ..., -0, +0, ..., +Inf, +NaN. */
int F(totalorder)(const T *x, const T *y) {
    REFUSE_ODD(*x, "totalorder")
    REFUSE_ODD(*y, "totalorder")
    int is_negative = signbit(*x) != 0;
    if (is_negative != (signbit(*y) != 0)) return is_negative;
    return is_negative ? F(magnitude)(*x) >= F(magnitude)(*y) : F(magnitude)(*x) <= F(magnitude)(*y);
}

int F(totalordermag)(const T *x, const T *y) {
    REFUSE_ODD(*x, "totalordermag")
    REFUSE_ODD(*y, "totalordermag")
    return F(magnitude)(*x) <= F(magnitude)(*y);
}

T F(getpayload)(const T *x) {
    REFUSE_ODD(*x, "getpayload")
    Size size = F(magnitude)(*x);
    return size > INFINITE ? (T)(long)(size & (QUIET - 1)) : -1;
}

static int F(set_payload)(T *to, T payload, long least, int is_quiet) {
    REFUSE_ODD(payload, "setpayload")
    *to = 0;
    if (isnan(payload) || signbit(payload) || payload < least || payload >= (T)QUIET || F(trunc)(payload) != payload) return 1;
    F(put)(to, INFINITE | (is_quiet ? QUIET : 0) | (Size)(unsigned long)payload, 0);
    return 0;
}

int F(setpayload)(T *to, T payload) { return F(set_payload)(to, payload, 0, 1); }

int F(setpayloadsig)(T *to, T payload) { return F(set_payload)(to, payload, 1, 0); }

/* The next number, which raises nothing. */
static T F(next)(T x, int is_up) {
    if (isnan(x)) return x + x;
    int is_negative = signbit(x) != 0;
    if (isinf(x) && is_negative != is_up) return x;
    if (x == 0) F(put)(&x, 1, !is_up);
    else F(put)(&x, is_negative == is_up ? F(magnitude)(x) - 1 : F(magnitude)(x) + 1, is_negative);
    return x;
}

T F(nextup)(T x) {
    REFUSE_ODD(x, "nextup")
    return F(next)(x, 1);
}

T F(nextdown)(T x) {
    REFUSE_ODD(x, "nextdown")
    return F(next)(x, 0);
}

long F(llogb)(T x) {
    int exponent = F(ilogb)(x); /* reports what has none */
    return isinf(x) ? LONG_MAX : isnan(x) || x == 0 ? LONG_MIN : exponent;
}

T F(fmaxmag)(T x, T y) {
    REFUSE_ODD(x, "fmaxmag")
    REFUSE_ODD(y, "fmaxmag")
    T a = F(fabs)(x), b = F(fabs)(y);
    if (isgreater(a, b)) return x;
    if (isless(a, b)) return y;
    if (!isunordered(a, b)) return x > y ? x : y;
    return F(__issignaling)(x) || F(__issignaling)(y) ? x + y : isnan(y) ? x : y;
}

T F(fminmag)(T x, T y) {
    REFUSE_ODD(x, "fminmag")
    REFUSE_ODD(y, "fminmag")
    T a = F(fabs)(x), b = F(fabs)(y);
    if (isless(a, b)) return x;
    if (isgreater(a, b)) return y;
    if (!isunordered(a, b)) return x < y ? x : y;
    return F(__issignaling)(x) || F(__issignaling)(y) ? x + y : isnan(y) ? x : y;
}

/* Of two that are equal the first, or the one with the sign that is wanted. */
#define EXTREMES(minimum, maximum)                                                                \
    T F(minimum)(T x, T y) {                                                                      \
        REFUSE_ODD(x, #minimum) REFUSE_ODD(y, #minimum)                                           \
        T a = F(fabs)(x), b = F(fabs)(y);                                                         \
        if (isunordered(a, b)) return UNORDERED;                                                  \
        return isless(a, b) || (!isgreater(a, b) && (signbit(x) || !signbit(y))) ? x : y;         \
    }                                                                                             \
    T F(maximum)(T x, T y) {                                                                      \
        REFUSE_ODD(x, #maximum) REFUSE_ODD(y, #maximum)                                           \
        T a = F(fabs)(x), b = F(fabs)(y);                                                         \
        if (isunordered(a, b)) return UNORDERED;                                                  \
        return isgreater(a, b) || (!isless(a, b) && (!signbit(x) || signbit(y))) ? x : y;         \
    }

static T F(number_of)(T x, T y) {
    if (isnan(x) && isnan(y)) return y + x;
    if (F(__issignaling)(x) || F(__issignaling)(y)) feraiseexcept(FE_INVALID);
    return isnan(x) ? y : x;
}

#define UNORDERED x + y
EXTREMES(fminimum_mag, fmaximum_mag)
#undef UNORDERED
#define UNORDERED F(number_of)(x, y)
EXTREMES(fminimum_mag_num, fmaximum_mag_num)
#undef UNORDERED
#undef EXTREMES

/* To an integer of so many bits; what does not fit gives the nearest that does, and is reported. */
static long F(from_float)(T x, int direction, unsigned width, int is_signed, int is_exact) {
    REFUSE_ODD(x, "fromfp")
    T rounded = direction == FP_INT_UPWARD           ? F(ceil)(x)
                : direction == FP_INT_DOWNWARD       ? F(floor)(x)
                : direction == FP_INT_TONEAREST      ? F(roundeven)(x)
                : direction == FP_INT_TONEARESTFROMZERO ? F(round)(x)
                                                     : F(trunc)(x);
    if (width > 64) width = 64;
    int bits = (int)width - is_signed;
    T end = width == 0 ? 0 : F(ldexp)(1, bits);
    int fits = width != 0 && rounded < end && (is_signed ? rounded >= -end : rounded >= 0);
    if (!fits) {
        feraiseexcept(FE_INVALID);
        errno = EDOM;
        if (width == 0 || (!is_signed && signbit(x))) return 0;
        unsigned long most = bits == 64 ? ~0ul : (1ul << bits) - 1;
        return (long)(signbit(x) ? -most - 1 : most);
    }
    if (is_exact && rounded != x) feraiseexcept(FE_INEXACT);
    return is_signed || rounded < 0x1p63 ? (long)rounded : (long)((unsigned long)(long)(rounded - (T)0x1p63) ^ 1ul << 63);
}

intmax_t F(fromfp)(T x, int direction, unsigned width) { return F(from_float)(x, direction, width, 1, 0); }
uintmax_t F(ufromfp)(T x, int direction, unsigned width) { return (uintmax_t)F(from_float)(x, direction, width, 0, 0); }
intmax_t F(fromfpx)(T x, int direction, unsigned width) { return F(from_float)(x, direction, width, 1, 1); }
uintmax_t F(ufromfpx)(T x, int direction, unsigned width) { return (uintmax_t)F(from_float)(x, direction, width, 0, 1); }

/* The sign is that of the gamma function; at its poles, but for -0, and for what is no number it is 1. */
T F2(lgamma, _r)(T x, int *sign) {
    REFUSE_ODD(x, "lgamma_r")
    T integral = F(floor)(x), half = integral / 2;
    REFUSE_POLE(x)
    *sign = signbit(x) && !isnan(x) && !isinf(x) && (x == 0 || (integral != x && F(floor)(half) != half)) ? -1 : 1;
    return F(lgamma)(x);
}

/* x 2^exponent, an integer. */
T F(scalb)(T x, T exponent) {
    REFUSE_ODD(x, "scalb")
    REFUSE_ODD(exponent, "scalb")
    REFUSE_NAN(x, exponent)
    if (isnan(x) || isnan(exponent)) return x * exponent;
    T result;
    if (isinf(exponent)) {
        result = exponent > 0 ? x * exponent : x == 0 ? x : x / -exponent;
    } else if (F(rint)(exponent) != exponent) {
        feraiseexcept(FE_INVALID);
        result = -NAN;
    } else {
        int before = errno;
        result = F(scalbn)(x, exponent > 65000 ? 65000 : exponent < -65000 ? -65000 : (int)exponent);
        errno = before;
    }
    if (isnan(result)) errno = EDOM;
    else if (isinf(result) && isfinite(x) && isfinite(exponent)) errno = ERANGE;
    else if (result == 0 && x != 0 && isfinite(exponent)) errno = ERANGE;
    return result;
}

/* Bessel's functions of orders beyond 1: any number. */
static T F(any_order)(void) {
    anything_raised();
    return F(any_number)();
}

T F(jn)(int order, T x) {
    if (order == 0) return F(j0)(x);
    if (order == 1) return F(j1)(x);
    REFUSE_ODD(x, "jn")
    return F(any_order)();
}

T F(yn)(int order, T x) {
    REFUSE_ODD(x, "yn")
    /* It rounds to nearest inside. */
    if (order == 0 && fegetround() == FE_TONEAREST) return F(y0)(x);
    if (order == 1 && fegetround() == FE_TONEAREST) return F(y1)(x);
    return F(any_order)();
}

#undef T
#undef F
#undef F2
#undef Size
#undef QUIET
#undef INFINITE
#undef IS_INVALID
#undef IS_ODD
#undef REFUSE_ODD
#undef REFUSE_POLE
#undef REFUSE_NAN

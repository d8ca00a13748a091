/* Functions of complex.h in one format; complex_functions.c includes this once for each.

   T is the format's type, F(name) a function's name, L(name) its constant of float.h, N a literal's. What is computed, and in which order, is glibc 2.36's, as
   far as results, exceptions and errno show it: executor/tests/library calls both. */

#define COMPLEX(x, y) F(complex_of)((x), (y))
#define LOGARITHM_OF_2 N(0x1.62e42fefa39ef35793c7673007e5p-1)
#define LOGARITHM_OF_10 N(0x1.bcb7b1526e50e32a6ab7555f5a68p-2) /* of e, to the base 10 */
#define HALF_TURN N(0x1.921fb54442d18469898cc51701b8p+1)
/* The greatest integer of which neither exp nor half of it overflows. */
#define GREATEST ((int)((L(MAX_EXP) - 1) * 0.693147180559945309417))

static _Complex T F(complex_of)(T x, T y) {
    _Complex T z;
    __real__ z = x;
    __imag__ z = y;
    return z;
}

/* glibc's functions call others behind their wrappers, which alone set errno, but for exp of float and double (EXP_REPORTS). */
#define SILENTLY(call)        \
    ({                        \
        int before = errno;   \
        T value = (call);     \
        errno = before;       \
        value;                \
    })

static T F(power)(T x) { return EXP_REPORTS ? F(exp)(x) : SILENTLY(F(exp)(x)); }

/* Raises what a result below the normal numbers raises. */
static void F(report_tiny)(T x) {
    if (F(fabs)(x) < L(MIN)) {
        volatile T squared = x * x;
        (void)squared;
    }
}

static _Complex T F(told)(T x, T y) {
    F(report_tiny)(x);
    F(report_tiny)(y);
    return COMPLEX(x, y);
}

static _Complex T F(invalid)(void) {
    feraiseexcept(FE_INVALID);
    return COMPLEX(NAN, NAN);
}

/* Raises what looking at a number's class does: a signaling NaN is compared. */
static void F(look_at)(T x) {
    REFUSE_ODD(x)
    volatile int is_equal = x == x;
    (void)is_equal;
}

static void F(look)(_Complex T z) {
    F(look_at)(__real__ z);
    F(look_at)(__imag__ z);
}

/* Sine and cosine; of the smallest numbers without a call. */
static void F(turned)(T angle, T *sine, T *cosine) {
    int before = errno;
    *sine = angle, *cosine = 1;
    if (F(fabs)(angle) > L(MIN)) F(sincos)(angle, sine, cosine);
    errno = before;
}

T F(cabs)(_Complex T z) { return F(hypot)(__real__ z, __imag__ z); }

T F(carg)(_Complex T z) { return F(atan2)(__imag__ z, __real__ z); }

_Complex T F(cproj)(_Complex T z) {
    F(look_at)(__real__ z);
    int is_infinite = isinf(__real__ z);
    if (!is_infinite) F(look_at)(__imag__ z);
    if (is_infinite || isinf(__imag__ z)) return COMPLEX(INFINITY, F(copysign)(0, __imag__ z));
    return z;
}

static _Complex T F(special_root)(T x, T y) {
    if (isinf(y)) return COMPLEX(INFINITY, y);
    if (!isinf(x)) return COMPLEX(NAN, NAN);
    if (x < 0) return COMPLEX(isnan(y) ? NAN : 0, F(copysign)(INFINITY, y));
    return COMPLEX(x, isnan(y) ? NAN : F(copysign)(0, y));
}

/* Both parts different from zero: the larger one by a root, the other by 2 Re Im = y. Operands are scaled so that neither overflows nor is inexact. */
static _Complex T F(root)(T x, T y) {
    T factor = 1; /* of the results */
    if (F(fabs)(x) > L(MAX) / 4) {
        x /= 4, y /= 4, factor = 2;
    } else if (F(fabs)(y) > L(MAX) / 4) {
        x = F(fabs)(x) >= 4 * L(MIN) ? x / 4 : 0, y /= 4, factor = 2;
    } else if (F(fabs)(x) < 2 * L(MIN) && F(fabs)(y) < 2 * L(MIN)) {
        int half = (L(MANT_DIG) + 1) / 2;
        T step = F(ldexp)(1, half);
        x = x * step * step, y = y * step * step, factor = 1 / step;
    }
    T size = SILENTLY(F(hypot)(x, y)), larger = F(sqrt)(N(0.5) * (x > 0 ? size + x : size - x)), smaller;
    if (factor == 2 && F(fabs)(y) < 2) {
        smaller = y / larger;
        larger *= 2;
    } else {
        smaller = N(0.5) * (y / larger);
        if (factor != 1) larger *= factor, smaller *= factor;
    }
    T real = x > 0 ? larger : F(fabs)(smaller), imaginary = x > 0 ? smaller : larger;
    F(report_tiny)(real);
    F(report_tiny)(imaginary);
    return COMPLEX(real, F(copysign)(imaginary, y));
}

_Complex T F(csqrt)(_Complex T z) {
    F(look)(z);
    T x = __real__ z, y = __imag__ z;
    if (!isfinite(x) || !isfinite(y)) return F(special_root)(x, y);
    if (y == 0) {
        if (x < 0) return COMPLEX(0, F(copysign)(F(sqrt)(-x), y));
        return COMPLEX(F(fabs)(F(sqrt)(x)), F(copysign)(0, y));
    }
    if (x == 0) {
        T size = F(fabs)(y), part = size >= 2 * L(MIN) ? F(sqrt)(N(0.5) * size) : N(0.5) * F(sqrt)(2 * size);
        return COMPLEX(part, F(copysign)(part, y));
    }
    return F(root)(x, y);
}

/* exp(x) · (a, b), where exp(x) alone may overflow. */
static _Complex T F(stretched)(T x, T a, T b, int is_halved) {
    if (x > GREATEST) {
        T most = F(power)(GREATEST), first = is_halved ? most / 2 : most;
        x -= GREATEST, a *= first, b *= first;
        if (x > GREATEST) x -= GREATEST, a *= most, b *= most;
    }
    if (x > GREATEST) return F(told)(L(MAX) * a, L(MAX) * b);
    T size = F(power)(x);
    return F(told)(size * a, size * b);
}

_Complex T F(cexp)(_Complex T z) {
    F(look)(z);
    T x = __real__ z, y = __imag__ z, sine, cosine;
    if (isnan(x)) {
        if (y == 0) return COMPLEX(NAN, y);
        return isnan(y) ? COMPLEX(NAN, NAN) : F(invalid)();
    }
    if (isinf(x)) {
        if (!isfinite(y)) return signbit(x) ? COMPLEX(0, F(copysign)(0, y)) : COMPLEX(INFINITY, y - y);
        T size = signbit(x) ? 0 : INFINITY;
        if (y == 0) return COMPLEX(size, y);
        F(turned)(y, &sine, &cosine);
        return COMPLEX(F(copysign)(size, cosine), F(copysign)(size, sine));
    }
    if (!isfinite(y)) return F(invalid)();
    F(turned)(y, &sine, &cosine);
    return F(stretched)(x, cosine, sine, 0);
}

_Complex T F(csinh)(_Complex T z) {
    F(look)(z);
    T x = F(fabs)(__real__ z), y = __imag__ z, sine, cosine;
    int is_negative = signbit(__real__ z) != 0;
    if (isnan(x)) return COMPLEX(NAN, y == 0 ? y : NAN);
    if (!isfinite(y)) {
        if (isinf(x)) return COMPLEX(INFINITY, y - y);
        if (x == 0) return COMPLEX(F(copysign)(0, is_negative ? -1 : 1), y - y);
        return F(invalid)();
    }
    if (isinf(x)) {
        if (y == 0) return COMPLEX(is_negative ? -INFINITY : INFINITY, y);
        F(turned)(y, &sine, &cosine);
        T real = F(copysign)(INFINITY, cosine);
        return COMPLEX(is_negative ? -real : real, F(copysign)(INFINITY, sine));
    }
    F(turned)(y, &sine, &cosine);
    if (is_negative) cosine = -cosine;
    if (x > GREATEST) return F(stretched)(x, cosine, sine, 1);
    return F(told)(SILENTLY(F(sinh)(x)) * cosine, SILENTLY(F(cosh)(x)) * sine);
}

_Complex T F(ccosh)(_Complex T z) {
    F(look)(z);
    T x = __real__ z, y = __imag__ z, sine, cosine;
    if (isnan(x)) return COMPLEX(NAN, y == 0 ? y : NAN);
    if (!isfinite(y)) {
        if (isinf(x)) return COMPLEX(INFINITY, y - y);
        return COMPLEX(y - y, x == 0 ? 0 : NAN);
    }
    if (isinf(x)) {
        if (y == 0) return COMPLEX(INFINITY, y * F(copysign)(1, x));
        F(turned)(y, &sine, &cosine);
        return COMPLEX(F(copysign)(INFINITY, cosine), F(copysign)(INFINITY, sine) * F(copysign)(1, x));
    }
    F(turned)(y, &sine, &cosine);
    if (F(fabs)(x) > GREATEST) return F(stretched)(F(fabs)(x), cosine, signbit(x) ? -sine : sine, 1);
    return F(told)(SILENTLY(F(cosh)(x)) * cosine, SILENTLY(F(sinh)(x)) * sine);
}

_Complex T F(csin)(_Complex T z) {
    F(look)(z);
    T x = F(fabs)(__real__ z), y = __imag__ z, sine, cosine;
    int is_negative = signbit(__real__ z) != 0;
    T zero = F(copysign)(0, is_negative ? -1 : 1);
    if (isnan(y)) return COMPLEX(x == 0 ? zero : NAN, NAN);
    if (isinf(y)) {
        if (x == 0) return COMPLEX(zero, y);
        if (!isfinite(x)) return COMPLEX(x - x, INFINITY);
        F(turned)(x, &sine, &cosine);
        T real = F(copysign)(INFINITY, sine), imaginary = F(copysign)(INFINITY, cosine);
        return COMPLEX(is_negative ? -real : real, signbit(y) ? -imaginary : imaginary);
    }
    if (!isfinite(x)) {
        if (y == 0) return COMPLEX(x - x, y);
        return F(invalid)();
    }
    F(turned)(x, &sine, &cosine);
    if (is_negative) sine = -sine;
    if (F(fabs)(y) > GREATEST) return F(stretched)(F(fabs)(y), sine, signbit(y) ? -cosine : cosine, 1);
    return F(told)(SILENTLY(F(cosh)(y)) * sine, SILENTLY(F(sinh)(y)) * cosine);
}

_Complex T F(ccos)(_Complex T z) { return F(ccosh)(COMPLEX(-__imag__ z, __real__ z)); }

/* tan(x + iy), the parts of finite operands. */
static _Complex T F(tangent)(T x, T y) {
    const int half = (int)((L(MAX_EXP) - 1) * 0.693147180559945309417 / 2);
    T sine, cosine;
    F(turned)(x, &sine, &cosine);
    if (F(fabs)(y) > half) {
        /* e^-2|y| in two steps, of which the first does not underflow. */
        T step = F(power)(2 * half), real = 4 * sine * cosine, left = F(fabs)(y) - half;
        real /= step;
        real /= left > half ? step : F(power)(2 * left);
        return F(told)(real, F(copysign)(1, y));
    }
    T hyperbolic_sine = y, hyperbolic_cosine = 1, below = cosine * cosine;
    if (F(fabs)(y) > L(MIN)) hyperbolic_sine = SILENTLY(F(sinh)(y)), hyperbolic_cosine = SILENTLY(F(cosh)(y));
    if (F(fabs)(hyperbolic_sine) > F(fabs)(cosine) * L(EPSILON)) below += hyperbolic_sine * hyperbolic_sine;
    return F(told)(sine * cosine / below, hyperbolic_sine * hyperbolic_cosine / below);
}

static _Complex T F(special_tangent)(T x, T y) {
    T sine, cosine;
    if (isinf(y)) {
        T real = x;
        if (isfinite(x) && F(fabs)(x) > 1) {
            F(sincos)(x, &sine, &cosine);
            real = sine * cosine;
        }
        return COMPLEX(F(copysign)(0, real), F(copysign)(1, y));
    }
    if (x == 0) return COMPLEX(x, y);
    if (isinf(x)) feraiseexcept(FE_INVALID);
    return COMPLEX(NAN, y == 0 ? y : NAN);
}

_Complex T F(ctan)(_Complex T z) {
    F(look)(z);
    T x = __real__ z, y = __imag__ z;
    return isfinite(x) && isfinite(y) ? F(tangent)(x, y) : F(special_tangent)(x, y);
}

_Complex T F(ctanh)(_Complex T z) {
    F(look)(z);
    T x = __imag__ z, y = __real__ z;
    _Complex T turned = isfinite(x) && isfinite(y) ? F(tangent)(x, y) : F(special_tangent)(x, y);
    return COMPLEX(__imag__ turned, __real__ turned);
}

/* The logarithm of |z| times 2^-scale, x >= y >= 0; 1 where log1p of *less, halved, is it, which is where |z| is near 1. */
static int F(is_near_1)(T x, T y, T *less) {
    if (x == 1) {
        *less = y * y;
        return 1;
    }
    if (x > 1 && x < 2 && y < 1) {
        *less = (x - 1) * (x + 1);
        if (y >= L(EPSILON)) *less += y * y;
        return 1;
    }
    if (!(x < 1 && x >= N(0.5))) return 0;
    if (y < L(EPSILON) / 2) {
        *less = (x - 1) * (x + 1);
        return 1;
    }
    if (!(x * x + y * y >= N(0.5))) return 0;
    *less = F(below_circle)(x, y);
    return 1;
}

/* log |z|, to the base e or 10. */
static T F(logarithm_of_size)(T x, T y, int is_decimal) {
    T larger = F(fabs)(x), smaller = F(fabs)(y), less;
    if (larger < smaller) larger = F(fabs)(y), smaller = F(fabs)(x);
    int scale = 0;
    if (larger > L(MAX) / 2) {
        scale = -1, larger /= 2;
        smaller = smaller >= 2 * L(MIN) ? smaller / 2 : 0;
    } else if (larger < L(MIN) && smaller < L(MIN)) {
        scale = L(MANT_DIG);
        larger *= F(ldexp)(1, L(MANT_DIG)), smaller *= F(ldexp)(1, L(MANT_DIG));
    }
    if (scale == 0 && F(is_near_1)(larger, smaller, &less)) {
        T result = SILENTLY(F(log1p)(less));
        result = is_decimal ? result * (LOGARITHM_OF_10 / 2) : result / 2;
        if (larger == 1) F(report_tiny)(result);
        return result;
    }
    T size = SILENTLY(F(hypot)(larger, smaller));
    return is_decimal ? SILENTLY(F(log10)(size)) - scale * N(0x1.34413509f79fef311f12b35816f9p-2) : SILENTLY(F(log)(size)) - scale * LOGARITHM_OF_2;
}

static _Complex T F(logarithm)(_Complex T z, int is_decimal) {
    F(look)(z);
    T x = __real__ z, y = __imag__ z;
    if (isnan(x) || isnan(y)) return COMPLEX(isinf(x) || isinf(y) ? INFINITY : NAN, NAN);
    if (x == 0 && y == 0) {
        T angle = signbit(x) ? (is_decimal ? N(0x1.5d47c4cb2fba0b0ed7231200e68ap+0) : HALF_TURN) : 0;
        return COMPLEX(-1 / F(fabs)(x), F(copysign)(angle, y));
    }
    T size = F(logarithm_of_size)(x, y, is_decimal), angle = SILENTLY(F(atan2)(y, x));
    return COMPLEX(size, is_decimal ? LOGARITHM_OF_10 * angle : angle);
}

_Complex T F(clog)(_Complex T z) { return F(logarithm)(z, 0); }

_Complex T F(clog10)(_Complex T z) { return F(logarithm)(z, 1); }

/* Of inverses of trigonometric and hyperbolic functions nothing is said. */
static _Complex T F(any_complex)(_Complex T z) {
    F(look)(z);
    anything_raised();
    return COMPLEX(F(any_number)(), F(any_number)());
}

_Complex T F(casin)(_Complex T z) { return F(any_complex)(z); }
_Complex T F(cacos)(_Complex T z) { return F(any_complex)(z); }
_Complex T F(catan)(_Complex T z) { return F(any_complex)(z); }
_Complex T F(casinh)(_Complex T z) { return F(any_complex)(z); }
_Complex T F(cacosh)(_Complex T z) { return F(any_complex)(z); }
_Complex T F(catanh)(_Complex T z) { return F(any_complex)(z); }

_Complex T F(cpow)(_Complex T base, _Complex T exponent) { return F(cexp)(exponent * F(clog)(base)); }

#undef COMPLEX
#undef LOGARITHM_OF_2
#undef LOGARITHM_OF_10
#undef HALF_TURN
#undef GREATEST
#undef SILENTLY
#undef EXP_REPORTS
#undef T
#undef F
#undef L
#undef N
#undef REFUSE_ODD

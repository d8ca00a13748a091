/* Products and quotients of complex numbers, which compilers call: libgcc 12's, operation by operation. Products are those of C's annex G (G.5.1);
   quotients are Smith's with the scaling of Baudin and Smith ("A robust complex division in Scilab", 2012), those of floats of four bytes are computed in eight.

   Compiled with complex arithmetic of the limited range, so that nothing here calls itself. */

#include <complex.h>
#include <float.h>
#include <math.h>

#define ONE_IF_INFINITE(x, copysign) ((x) = copysign(isinf(x) ? 1 : 0, (x)))
#define ZERO_IF_NAN(x, copysign) ((x) = isnan(x) ? copysign(0, (x)) : (x))

#define MULTIPLY(function, type, copysign)                                                              \
    _Complex type function(type a, type b, type c, type d) {                                            \
        type ac = a * c, bd = b * d, ad = a * d, bc = b * c, x = ac - bd, y = ad + bc;                  \
        if (isnan(x) && isnan(y)) {                                                                     \
            int again = 0;                                                                              \
            if (isinf(a) || isinf(b)) {                                                                 \
                ONE_IF_INFINITE(a, copysign), ONE_IF_INFINITE(b, copysign);                             \
                ZERO_IF_NAN(c, copysign), ZERO_IF_NAN(d, copysign);                                     \
                again = 1;                                                                              \
            }                                                                                           \
            if (isinf(c) || isinf(d)) {                                                                 \
                ONE_IF_INFINITE(c, copysign), ONE_IF_INFINITE(d, copysign);                             \
                ZERO_IF_NAN(a, copysign), ZERO_IF_NAN(b, copysign);                                     \
                again = 1;                                                                              \
            }                                                                                           \
            if (!again && (isinf(ac) || isinf(bd) || isinf(ad) || isinf(bc))) {                         \
                ZERO_IF_NAN(a, copysign), ZERO_IF_NAN(b, copysign);                                     \
                ZERO_IF_NAN(c, copysign), ZERO_IF_NAN(d, copysign);                                     \
                again = 1;                                                                              \
            }                                                                                           \
            if (again) {                                                                                \
                x = (type)INFINITY * (a * c - b * d);                                                   \
                y = (type)INFINITY * (a * d + b * c);                                                   \
            }                                                                                           \
        }                                                                                               \
        return CMPLX_OF(type, x, y);                                                                    \
    }

#define CMPLX_OF(type, x, y) (*(_Complex type *)(type[2]){(x), (y)})

/* What a quotient is where it computes as NaNs, though the limit is known. */
#define RECOVER(type, copysign)                                                                         \
    if (isnan(x) && isnan(y)) {                                                                         \
        if (c == 0 && d == 0 && (!isnan(a) || !isnan(b))) {                                             \
            x = copysign((type)INFINITY, c) * a;                                                        \
            y = copysign((type)INFINITY, c) * b;                                                        \
        } else if ((isinf(a) || isinf(b)) && isfinite(c) && isfinite(d)) {                              \
            ONE_IF_INFINITE(a, copysign), ONE_IF_INFINITE(b, copysign);                                 \
            x = (type)INFINITY * (a * c + b * d);                                                       \
            y = (type)INFINITY * (b * c - a * d);                                                       \
        } else if ((isinf(c) || isinf(d)) && isfinite(a) && isfinite(b)) {                              \
            ONE_IF_INFINITE(c, copysign), ONE_IF_INFINITE(d, copysign);                                 \
            x = 0 * (a * c + b * d);                                                                    \
            y = 0 * (b * c - a * d);                                                                    \
        }                                                                                               \
    }

/* big: half of the greatest number; small: the least normal one; step: the distance from 1 to the next. */
#define DIVIDE(function, type, fabs, copysign, big, small, step)                                        \
    _Complex type function(type a, type b, type c, type d) {                                            \
        type x, y;                                                                                      \
        int is_turned = fabs(c) < fabs(d);                                                              \
        type larger = is_turned ? d : c;                                                                \
        if (fabs(larger) >= big) a /= 2, b /= 2, c /= 2, d /= 2;                                        \
        larger = is_turned ? d : c;                                                                     \
        if (fabs(larger) < step ||                                                                      \
            (fabs(a) < small && fabs(b) < big * step && fabs(larger) < big * step) ||                   \
            (fabs(b) < small && fabs(a) < big * step && fabs(larger) < big * step))                     \
            a *= 1 / step, b *= 1 / step, c *= 1 / step, d *= 1 / step;                                 \
        if (is_turned) {                                                                                \
            type ratio = c / d, below = c * ratio + d;                                                  \
            if (fabs(ratio) > small) x = (a * ratio + b) / below, y = (b * ratio - a) / below;          \
            else x = (c * (a / d) + b) / below, y = (c * (b / d) - a) / below;                          \
        } else {                                                                                        \
            type ratio = d / c, below = d * ratio + c;                                                  \
            if (fabs(ratio) > small) x = (b * ratio + a) / below, y = (b - a * ratio) / below;          \
            else x = (a + d * (b / c)) / below, y = (b - d * (a / c)) / below;                          \
        }                                                                                               \
        RECOVER(type, copysign)                                                                         \
        return CMPLX_OF(type, x, y);                                                                    \
    }

MULTIPLY(__mulsc3, float, copysignf)
MULTIPLY(__muldc3, double, copysign)
MULTIPLY(__mulxc3, long double, copysignl)
DIVIDE(__divdc3, double, fabs, copysign, (DBL_MAX / 2), DBL_MIN, DBL_EPSILON)
DIVIDE(__divxc3, long double, fabsl, copysignl, (LDBL_MAX / 2), LDBL_MIN, LDBL_EPSILON)

_Complex float __divsc3(float a, float b, float c, float d) {
    double below = (double)c * c + (double)d * d;
    float x = (float)(((double)a * c + (double)b * d) / below), y = (float)(((double)b * c - (double)a * d) / below);
    RECOVER(float, copysignf)
    return CMPLX_OF(float, x, y);
}

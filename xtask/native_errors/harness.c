// Looks for inputs on which a function's error is larger than a bound says.
//
// The function's text, program.h, is compiled three times: as it is; with long double, of 64 bits, for all its types; and with __float128, of 113
// bits. The second is fast, and off by 2^-11 of what the bound allows: it chooses. What it chooses is measured by the third, which takes its own
// way at each branch, as truths do. Constants are the program's doubles in all three.
//
// main COUNT SEED ABSOLUTE RELATIVE (LOW HIGH)...: bounds, RELATIVE negative where there is none. Prints a line: inputs run, violations, the largest absolute
// and relative error, and the input of the first violation or else of the largest absolute error.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef __float128 quad;

#define FUNCTIONS(TYPE, SUFFIX) \
    TYPE sqrt##SUFFIX(TYPE), fabs##SUFFIX(TYPE), exp##SUFFIX(TYPE), log##SUFFIX(TYPE), sin##SUFFIX(TYPE), cos##SUFFIX(TYPE), \
        tan##SUFFIX(TYPE), atan##SUFFIX(TYPE), tanh##SUFFIX(TYPE), expm1##SUFFIX(TYPE), log1p##SUFFIX(TYPE), cbrt##SUFFIX(TYPE), \
        asin##SUFFIX(TYPE), acos##SUFFIX(TYPE), sinh##SUFFIX(TYPE), cosh##SUFFIX(TYPE), floor##SUFFIX(TYPE), ceil##SUFFIX(TYPE), \
        trunc##SUFFIX(TYPE), rint##SUFFIX(TYPE), atan2##SUFFIX(TYPE, TYPE), pow##SUFFIX(TYPE, TYPE), hypot##SUFFIX(TYPE, TYPE), \
        fmod##SUFFIX(TYPE, TYPE), fmin##SUFFIX(TYPE, TYPE), fmax##SUFFIX(TYPE, TYPE), copysign##SUFFIX(TYPE, TYPE), \
        fma##SUFFIX(TYPE, TYPE, TYPE);
FUNCTIONS(quad, q)

#define PROGRAM program_double
#include "program.h"
#undef PROGRAM

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define sqrt JOIN(sqrt, SUFFIX)
#define fabs JOIN(fabs, SUFFIX)
#define exp JOIN(exp, SUFFIX)
#define log JOIN(log, SUFFIX)
#define sin JOIN(sin, SUFFIX)
#define cos JOIN(cos, SUFFIX)
#define tan JOIN(tan, SUFFIX)
#define atan JOIN(atan, SUFFIX)
#define tanh JOIN(tanh, SUFFIX)
#define expm1 JOIN(expm1, SUFFIX)
#define log1p JOIN(log1p, SUFFIX)
#define cbrt JOIN(cbrt, SUFFIX)
#define asin JOIN(asin, SUFFIX)
#define acos JOIN(acos, SUFFIX)
#define sinh JOIN(sinh, SUFFIX)
#define cosh JOIN(cosh, SUFFIX)
#define floor JOIN(floor, SUFFIX)
#define ceil JOIN(ceil, SUFFIX)
#define trunc JOIN(trunc, SUFFIX)
#define rint JOIN(rint, SUFFIX)
#define atan2 JOIN(atan2, SUFFIX)
#define pow JOIN(pow, SUFFIX)
#define hypot JOIN(hypot, SUFFIX)
#define fmod JOIN(fmod, SUFFIX)
#define fmin JOIN(fmin, SUFFIX)
#define fmax JOIN(fmax, SUFFIX)
#define copysign JOIN(copysign, SUFFIX)
#define fma JOIN(fma, SUFFIX)

typedef long double extended;
#define double extended
#define float extended
#define SUFFIX l
#define PROGRAM program_extended
#include "program.h"
#undef PROGRAM
#undef SUFFIX
#undef double
#undef float

#define double quad
#define float quad
#define SUFFIX q
#define PROGRAM program_quad
#include "program.h"
#undef PROGRAM
#undef SUFFIX
#undef double
#undef float

static uint64_t state;

static uint64_t bits(void) {
    // Marsaglia's xorshift with a multiplier (Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016).
    state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
    return state * 2685821657736338717u;
}

static double share(void) { return (bits() >> 11) * 0x1p-53; }

// A number of a range as the input's type has it: double, float, int.
static double member(char type, double low, double high, double best) {
    double x;
    unsigned mode = bits() % 16;
    if (mode < 8) {
        x = low + share() * (high - low);
    } else if (mode < 11) {
        double most = fmaxl(-low, high);
        x = ldexp(most * (share() + 0.5), -(int)(bits() % (mode == 8 ? 1000 : 60)));
        x = bits() % 2 ? -x : x;
    } else if (mode == 11) {
        double end = bits() % 2 ? low : high;
        x = end + (bits() % 2 ? 1 : -1) * ldexp(end, -(int)(bits() % 60));
    } else if (mode == 12) {
        x = ldexp(1.0, (int)(bits() % 12) - 6) * (bits() % 2 ? 1 : -1);
    } else {
        x = best + ldexp(best * (share() - 0.5), -(int)(bits() % 52));
    }
    if (type == 'i') x = (double)(long long)x;
    if (type == 'f') x = (double)(float)x;
    return x < low ? low : x > high ? high : x;
}

int main(int count, char **words) {
    long long inputs = atoll(words[1]), violations = 0;
    state = 0x9e3779b97f4a7c15u * (2 * (uint64_t)atoll(words[2]) + 1);
    double absolute = atof(words[3]), relative = atof(words[4]);
    double low[INPUTS], high[INPUTS], x[INPUTS], worst[INPUTS], first[INPUTS];
    for (int i = 0; i < INPUTS; i++) {
        low[i] = atof(words[5 + 2 * i]), high[i] = atof(words[6 + 2 * i]);
        worst[i] = low[i] + 0.5 * (high[i] - low[i]);
    }
    quad largest = 0, largest_relative = 0;
    for (long long n = 0; n < inputs; n++) {
        for (int i = 0; i < INPUTS; i++) {
            x[i] = member(TYPES[i], low[i], high[i], worst[i]);
            // What cancels may be inputs that are nearly the same.
            if (i > 0 && bits() % 8 == 0) {
                double near = x[bits() % i] * (1 + (double)((int)(bits() % 9) - 4) * 0x1p-52);
                if (TYPES[i] == 'f') near = (double)(float)near;
                if (TYPES[i] != 'i' && near >= low[i] && near <= high[i]) x[i] = near;
            }
        }
        long double computed = CALL(program_double), truth = CALL(program_extended);
        long double error = fabsl(computed - truth), share = error / fabsl(truth);
        long double slack = 1 - 0x1p-8L;
        int is_chosen = !(error <= (long double)largest * (1 + 0x1p-9L) && error <= slack * absolute);
        is_chosen |= relative >= 0 && !(share <= (long double)largest_relative * (1 + 0x1p-9L) && share <= slack * relative);
        if (!is_chosen) continue;
        quad exact = CALL(program_quad);
        quad e = computed - exact;
        e = e < 0 ? -e : e;
        quad size = exact < 0 ? -exact : exact;
        int is_wrong = !(e <= absolute) || (relative >= 0 && !(e <= relative * size));
        if (e > largest || (is_wrong && !violations)) {
            for (int i = 0; i < INPUTS; i++) worst[i] = x[i];
        }
        if (is_wrong && !violations++) {
            for (int i = 0; i < INPUTS; i++) first[i] = x[i];
        }
        if (e > largest) largest = e;
        if (size > 0 && e > largest_relative * size) largest_relative = e / size;
    }
    printf("%lld %lld %.17g %.17g", inputs, violations, (double)largest, (double)largest_relative);
    for (int i = 0; i < INPUTS; i++) printf(" %a", violations ? first[i] : worst[i]);
    printf("\n");
    return 0;
}

/* Numbers of one format with their shadows: NUMBER is the type, OWN the C type of its values, KIND its number in memory's table. */

typedef struct { OWN v; double h, l; } NUMBER;

#if KIND == 3
ALWAYS uint64_t NAME(bits)(OWN v) {
    uint64_t low = 0, high = 0;
    __builtin_memcpy(&low, &v, 8);
    __builtin_memcpy(&high, (char *)&v + 8, 2);
    return low ^ high * 0x9e3779b97f4a7c15u;
}

ALWAYS int NAME(is_finite)(OWN v) { return v - v == 0; }
#else
ALWAYS uint64_t NAME(bits)(OWN v) {
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &v, sizeof v);
    return bits;
}

ALWAYS int NAME(is_finite)(OWN v) {
    const uint64_t infinity = KIND == 1 ? 0x7f800000u : 0x7ff0000000000000u;
    return (NAME(bits)(v) & infinity) != infinity;
}
#endif

ALWAYS W NAME(shadow)(NUMBER a) { return (W){ a.h, a.l }; }
ALWAYS NUMBER NAME(with)(OWN v, W s) { return (NUMBER){ v, s.h, s.l }; }

ALWAYS NUMBER NAME(exact)(OWN v) {
    double h = (double)v;
    return (NUMBER){ v, h, KIND == 3 && h - h == 0 ? (double)(v - h) : 0 };
}

RARELY NUMBER NAME(trouble)(OWN v, W s, int is_nonzero) {
    if (!(v - v == 0) || !(s.h - s.h == 0) || !(s.l - s.l == 0)) {
        state.marks |= NOT_FINITE;
        return NAME(exact)(v);
    }
    if (is_nonzero && __builtin_fabs(s.h) < 0x1p-959) state.marks |= SUBNORMAL;
    return NAME(with)(v, s);
}

/* A result; `is_nonzero` where no operand makes the exact one zero, and what is small has not been marked. */
OPERATION NUMBER NAME(settle)(OWN v, W s, int is_nonzero) {
    if (UNLIKELY(((unsigned)exponent_of(s.h) - 64 > 1980) | !NAME(is_finite)(v))) return NAME(trouble)(v, s, is_nonzero);
    return NAME(with)(v, s);
}

RARELY void NAME(absorb)(OWN a, OWN b, OWN v) {
    if (v - v == 0) state.absorbed += (v == a && b != 0) + (v == b && a != 0);
}

RARELY void NAME(cancel)(int lost, OWN v, double h, int64_t site) {
    /* Nothing is left that could be wrong, unless what should be left was less than a shadow has digits for. */
    if (h == 0 && v == 0) {
        state.marks |= VANISHED;
        return;
    }
    if (!(h - h == 0)) return;
    state.cancelled = h == 0 ? 2047 : lost;
    state.cancelled_at = site;
}

/* What is to be known of a sum v of a and b whose shadow is s. */
OPERATION NUMBER NAME(sum)(OWN v, OWN a, OWN b, double ah, double bh, W s, int64_t site) {
    int ae = exponent_of(ah), be = exponent_of(bh), se = exponent_of(s.h);
    int lost = (ae > be ? ae : be) - se;
    TURN(__builtin_signbit(s.h) != 0);
    if (UNLIKELY(lost > state.cancelled)) NAME(cancel)(lost, v, s.h, site);
    if (UNLIKELY((NAME(bits)(v) == NAME(bits)(a)) | (NAME(bits)(v) == NAME(bits)(b)))) NAME(absorb)(a, b, v);
    if (UNLIKELY((se > 2044) | !NAME(is_finite)(v))) return NAME(trouble)(v, s, 0);
    return NAME(with)(v, s);
}

OPERATION NUMBER NAME(add)(NUMBER a, NUMBER b, int64_t site) {
    return NAME(sum)(a.v + b.v, a.v, b.v, a.h, b.h, word_add(NAME(shadow)(a), NAME(shadow)(b)), site);
}

OPERATION NUMBER NAME(subtract)(NUMBER a, NUMBER b, int64_t site) {
    return NAME(sum)(a.v - b.v, a.v, -b.v, a.h, b.h, word_add(NAME(shadow)(a), word_negate(NAME(shadow)(b))), site);
}

OPERATION NUMBER NAME(multiply)(NUMBER a, NUMBER b) {
    return NAME(settle)(a.v * b.v, word_multiply(NAME(shadow)(a), NAME(shadow)(b)), a.h != 0 && b.h != 0);
}

OPERATION NUMBER NAME(divide)(NUMBER a, NUMBER b) {
    return NAME(settle)(a.v / b.v, word_divide(NAME(shadow)(a), NAME(shadow)(b)), a.h != 0);
}

OPERATION NUMBER NAME(fma)(NUMBER a, NUMBER b, NUMBER c, OWN v, int64_t site) {
    OWN p = a.v * b.v;
    W t = word_multiply(NAME(shadow)(a), NAME(shadow)(b));
    NUMBER product = NAME(settle)(p, t, a.h != 0 && b.h != 0);
    return NAME(sum)(v, p, c.v, product.h, c.h, word_add(NAME(shadow)(product), NAME(shadow)(c)), site);
}

OPERATION NUMBER NAME(sqrt)(NUMBER a, OWN v) { return NAME(settle)(v, word_sqrt(NAME(shadow)(a)), 0); }

ALWAYS NUMBER NAME(negate)(NUMBER a) { return (NUMBER){ -a.v, -a.h, -a.l }; }

ALWAYS NUMBER NAME(abs)(NUMBER a) {
    W s = { a.h, a.l };
    return NAME(with)(ABS(a.v), __builtin_signbit(a.h) ? word_negate(s) : s);
}

ALWAYS NUMBER NAME(copysign)(NUMBER a, NUMBER b) {
    W s = { a.h, a.l };
    return NAME(with)(COPYSIGN(a.v, b.v), !__builtin_signbit(a.h) != !__builtin_signbit(b.h) ? word_negate(s) : s);
}

/* The lesser or greater; `v` is the program's own. */
ALWAYS NUMBER NAME(extreme)(OWN v, NUMBER a, NUMBER b, int greatest) {
    if (!(a.v == a.v && b.v == b.v)) return v == a.v ? a : v == b.v ? b : NAME(settle)(v, (W){ v, 0 }, 0);
    int first = greatest ? word_less(NAME(shadow)(b), NAME(shadow)(a)) : word_less(NAME(shadow)(a), NAME(shadow)(b));
    NUMBER chosen = first ? a : b;
    return NAME(with)(v, NAME(shadow)(chosen));
}

/* Whether a relation (4 less, 2 greater, 1 equal, 8 unordered) of the own values is among the accepted ones. */
OPERATION int NAME(compare)(NUMBER a, NUMBER b, unsigned accepted, int64_t site) {
    unsigned own = a.v < b.v ? 4 : a.v > b.v ? 2 : a.v == b.v ? 1 : 8;
    int outcome = (own & accepted) != 0;
    TURN(2 + outcome);
    if (UNLIKELY(outcome != ((word_relation(NAME(shadow)(a), NAME(shadow)(b)) & accepted) != 0))) part(site);
    return outcome;
}

OPERATION NUMBER NAME(round)(NUMBER a, OWN v, int mode, int64_t site) {
    W s = word_round(NAME(shadow)(a), mode);
    if (UNLIKELY(!((OWN)s.h + (OWN)s.l == v) && v == v)) part(site);
    return NAME(settle)(v, s, 0);
}

/* Tells where the integer of a value would be another one for its shadow. */
OPERATION void NAME(to_integer)(NUMBER a, int mode, int64_t site) {
    W s = word_round(NAME(shadow)(a), mode), v = word_round(NAME(shadow)(NAME(exact)(a.v)), mode);
    if (UNLIKELY(!word_equal(s, v)) && a.v == a.v) part(site);
}

OPERATION NUMBER NAME(remainder)(NUMBER a, NUMBER b, OWN v, W s, int64_t site) {
    /* The own quotient is another integer where the remainders lie more than half a divisor apart. */
    if (UNLIKELY(__builtin_fabs((double)v - s.h) > __builtin_fabs(b.h) / 2)) part(site);
    return NAME(settle)(v, s, 0);
}

OPERATION NUMBER NAME(scale)(NUMBER a, OWN v, int64_t n) {
    return NAME(settle)(v, word_scale(NAME(shadow)(a), n), a.h != 0);
}

OPERATION NUMBER NAME(difference)(NUMBER a, NUMBER b, int64_t site) {
    if (!(NAME(compare)(a, b, 2 | 8, site))) return NAME(exact)(0);
    return NAME(subtract)(a, b, site);
}

/* As libgcc and compiler-rt multiply a power out. */
APART NUMBER NAME(power)(NUMBER base, int n) {
    NUMBER power = NAME(exact)(1);
    for (int rest = n;; base = NAME(multiply)(base, base)) {
        if (rest & 1) power = NAME(multiply)(power, base);
        rest /= 2;
        if (rest == 0) break;
    }
    return n < 0 ? NAME(divide)(NAME(exact)(1), power) : power;
}

ALWAYS int NAME(class)(OWN v, unsigned mask) {
    int negative = __builtin_signbit(v) != 0;
    unsigned class;
    if (v != v) class = 1 | 2;
    else if (!(v - v == 0)) class = negative ? 4 : 512;
    else if (v == 0) class = negative ? 32 : 64;
    else if (ABS(v) < SMALLEST) class = negative ? 16 : 128;
    else class = negative ? 8 : 256;
    return (class & mask) != 0;
}

OPERATION NUMBER NAME(load)(P p) {
    OWN v;
    W s;
    __builtin_memcpy(&v, p, BYTES);
    if (recall(p, KIND, NAME(bits)(v), &s)) return NAME(with)(v, s);
    return NAME(exact)(v);
}

OPERATION NUMBER NAME(load_constant)(P p) {
    OWN v;
    __builtin_memcpy(&v, p, BYTES);
    return NAME(exact)(v);
}

OPERATION void NAME(store)(P p, NUMBER a) {
    __builtin_memcpy(p, &a.v, BYTES);
    NUMBER e = NAME(exact)(a.v);
    if (a.h == e.h && a.l == e.l) forget(p);
    else remember(p, KIND, NAME(bits)(a.v), NAME(shadow)(a));
}

/* What the result of code without a shadow is taken for. */
ALWAYS NUMBER NAME(foreign)(OWN v) {
    state.marks |= OPAQUE;
    return NAME(exact)(v);
}

/* Types, the record of a call, and arithmetic on double words. `arithmetic.rs` has the argument and the papers. */

typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __SIZE_TYPE__ size_t;
typedef unsigned __int128 uint128_t;
typedef __int128 int128_t;
typedef char *P;
typedef __float128 Q;

/* The unevaluated sum of two doubles. */
typedef struct { double h, l; } W;

#define ALWAYS static inline __attribute__((always_inline, unused))
#define RARELY static __attribute__((noinline, cold, unused))
#define APART static __attribute__((noinline, unused))
#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

enum { NOT_FINITE = 1, SUBNORMAL = 2, FORGOTTEN = 4, OPAQUE = 8, VANISHED = 16 };

/* What the current call has shown so far. */
static struct {
    uint64_t call, mix, marks, course;
    int64_t absorbed, cancelled_at, parted_at;
    int cancelled;
} state;

static void begin_call(void) {
    state.call++;
    state.mix = state.call * 0x9e3779b97f4a7c15u;
    state.marks = 0;
    state.course = 0;
    state.absorbed = 0;
    state.cancelled = 0;
    state.cancelled_at = state.parted_at = -1;
}

RARELY void part(int64_t site) {
    if (state.parted_at < 0) state.parted_at = site;
}

/* Mixes the sign of a sum or the outcome of a comparison into the course of the call. */
#define TURN(outcome) (state.course = (state.course ^ (uint64_t)(outcome)) * 0x9e3779b97f4a7c15u + 1)

ALWAYS int exponent_of(double x) {
    uint64_t bits;
    __builtin_memcpy(&bits, &x, 8);
    return (int)(bits >> 52 & 0x7ff);
}

/* s + e = a + b where |a| >= |b| or a = 0. */
ALWAYS W fast_sum(double a, double b) {
    double s = a + b;
    return (W){ s, b - (s - a) };
}

/* s + e = a + b. */
ALWAYS W exact_sum(double a, double b) {
    double s = a + b, t = s - a;
    return (W){ s, (a - (s - t)) + (b - t) };
}

/* p + e = a b; and a b + c, whose rounding matters little. */
#if defined(__FMA__) || defined(__aarch64__)
ALWAYS W exact_product(double a, double b) {
    double p = a * b;
    return (W){ p, __builtin_fma(a, b, -p) };
}

ALWAYS double product_sum(double a, double b, double c) { return __builtin_fma(a, b, c); }
#else
ALWAYS W exact_product(double a, double b) {
    double p = a * b, c = 134217729 * a, d = 134217729 * b;
    double ah = c - (c - a), bh = d - (d - b), al = a - ah, bl = b - bh;
    return (W){ p, ((ah * bh - p) + ah * bl + al * bh) + al * bl };
}

ALWAYS double product_sum(double a, double b, double c) { return a * b + c; }
#endif

ALWAYS W word_negate(W a) { return (W){ -a.h, -a.l }; }

ALWAYS W word_add(W a, W b) {
    W s = exact_sum(a.h, b.h), t = exact_sum(a.l, b.l);
    W v = fast_sum(s.h, s.l + t.h);
    return fast_sum(v.h, t.l + v.l);
}

ALWAYS W word_multiply(W a, W b) {
    W c = exact_product(a.h, b.h);
    double low = product_sum(a.l, b.h, product_sum(a.h, b.l, a.l * b.l));
    return fast_sum(c.h, c.l + low);
}

ALWAYS W word_divide(W a, W b) {
    double q = a.h / b.h;
    W c = exact_product(b.h, q);
    W r = fast_sum(c.h, product_sum(b.l, q, c.l));
    return fast_sum(q, ((a.h - r.h) + (a.l - r.l)) / b.h);
}

ALWAYS W word_sqrt(W a) {
    double s = __builtin_sqrt(a.h);
    if (!(s > 0)) return (W){ s, 0 };
    W c = exact_product(s, s);
    return fast_sum(s, ((a.h - c.h) - c.l + a.l) / (2 * s));
}

ALWAYS int word_less(W a, W b) { return a.h < b.h || (a.h == b.h && a.l < b.l); }
ALWAYS int word_equal(W a, W b) { return a.h == b.h && a.l == b.l; }

/* 4 less, 2 greater, 1 equal, 8 unordered. */
ALWAYS unsigned word_relation(W a, W b) {
    return word_less(a, b) ? 4 : word_less(b, a) ? 2 : word_equal(a, b) ? 1 : 8;
}

ALWAYS W word_scale(W a, long n) {
    int m = n > 5000 ? 5000 : n < -5000 ? -5000 : (int)n;
    return (W){ __builtin_ldexp(a.h, m), __builtin_ldexp(a.l, m) };
}

ALWAYS Q quad_of(W a) { return (Q)a.h + a.l; }

ALWAYS W word_of_quad(Q x) {
    double h = (double)x;
    if (UNLIKELY(__builtin_fabs(h) < 0x1p-959) && x != 0) state.marks |= SUBNORMAL;
    return (W){ h, h - h == 0 ? (double)(x - h) : 0 };
}

ALWAYS W word_of_signed(int64_t n) {
    double h = (double)n;
    return (W){ h, (double)((int128_t)n - (int128_t)h) };
}

ALWAYS W word_of_unsigned(uint64_t n) {
    double h = (double)n;
    return (W){ h, (double)((int128_t)n - (int128_t)h) };
}

ALWAYS W word_of_wide(int128_t n) {
    W high = word_of_signed((int64_t)(n >> 64)), low = word_of_unsigned((uint64_t)n);
    return word_add((W){ high.h * 0x1p64, high.l * 0x1p64 }, low);
}

ALWAYS W word_of_unsigned_wide(uint128_t n) {
    W high = word_of_unsigned((uint64_t)(n >> 64)), low = word_of_unsigned((uint64_t)n);
    return word_add((W){ high.h * 0x1p64, high.l * 0x1p64 }, low);
}

/* To an integral value: 0 down, 1 up, 2 to zero, 3 to nearest even, 4 to nearest away. */
APART W word_round(W a, int mode) {
    if (!(a.h - a.h == 0) || a.h == 0) return a;
    int negative = a.h < 0;
    /* t <= h + l < t + 1, d + e = h + l - t. Above 2^52, h is integral and l decides. */
    double f = __builtin_floor(a.h), g = f == a.h ? __builtin_floor(a.l) : 0;
    double d = f == a.h ? a.l - g : a.h - f, e = f == a.h ? 0 : a.l;
    W t = exact_sum(f, g);
    int is_integral = d == 0 && e == 0;
    int above = d > 0.5 || (d == 0.5 && e > 0), tie = d == 0.5 && e == 0;
    int is_odd = __builtin_fmod(t.h, 2) != 0 ? __builtin_fmod(t.l, 2) == 0 : __builtin_fmod(t.l, 2) != 0;
    int up = 0;
    if (mode == 1 || (mode == 2 && negative)) up = !is_integral;
    if (mode == 3) up = above || (tie && is_odd);
    if (mode == 4) up = above || (tie && !negative);
    if (up) t = word_add(t, (W){ 1, 0 });
    if (t.h == 0) return (W){ negative ? -0.0 : 0.0, 0 };
    return t;
}

/* Where an operation on integers would trap. */
__attribute__((noreturn, unused, cold, noinline)) static void division_trap(void) { __builtin_trap(); }

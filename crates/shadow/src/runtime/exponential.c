/* exp on double words. `exponential.rs` has the argument, and the constants. */

APART W word_exp(W a) {
    /* Elsewhere the result overflows or may be subnormal; a NaN goes there, too. */
    if (UNLIKELY(!(a.h > -600 && a.h < 700))) return word_of_quad(quad_exp(quad_of(a)));
    /* To the nearest integer: the sum's last bit is worth one. */
    double n = (a.h * EXP_INVERSE + 0x1.8p52) - 0x1.8p52;
    int k = (int)n;
    W high = exact_sum(a.h, -n * EXP_STEP[0]), middle = exact_product(-n, EXP_STEP[1]);
    W low = exact_sum(a.l, -n * EXP_STEP[2]);
    W r = word_add(word_add(high, middle), low);
    double q = EXP_SERIES[EXP_TERMS - 1];
    for (int i = EXP_TERMS - 2; i >= 0; i--) q = product_sum(q, r.h, EXP_SERIES[i]);
    W p = { q, 0 };
    for (int i = 0; i < EXP_WORDS; i++) p = word_add(EXP_COEFFICIENTS[i], word_multiply(p, r));
    W e = word_multiply(EXP_ROOTS[k & (EXP_ROOT_COUNT - 1)], p);
    /* 2^m, which is normal. */
    uint64_t bits = (uint64_t)(1023 + (k >> EXP_ROOT_BITS)) << 52;
    double power;
    __builtin_memcpy(&power, &bits, 8);
    return (W){ e.h * power, e.l * power };
}

struct number {
    enum { NAN_CLASS, INFINITE, ZERO, SUBNORMAL, NORMAL } class;
    int negative;
    __int128 ordinal; /* position among the floats of this format */
};

static struct number decode(const struct leaf *leaf, const unsigned char *record) {
    unsigned __int128 bits = 0;
    memcpy(&bits, record + leaf->offset, leaf->size);
    int fraction_bits = leaf->size == 2 ? 10 : leaf->size == 4 ? 23 : leaf->size == 8 ? 52 : 63;
    /* The 80-bit format writes the integer bit out, between exponent and fraction. */
    int exponent_shift = fraction_bits + (leaf->size == 10);
    int exponent_bits = leaf->size == 2 ? 5 : leaf->size == 4 ? 8 : leaf->size == 8 ? 11 : 15;
    unsigned __int128 fraction = bits & (((unsigned __int128)1 << fraction_bits) - 1);
    unsigned exponent = (unsigned)(bits >> exponent_shift) & ((1u << exponent_bits) - 1);
    struct number number;
    number.negative = (int)(bits >> (exponent_shift + exponent_bits)) & 1;
    if (exponent == (1u << exponent_bits) - 1)
        number.class = fraction ? NAN_CLASS : INFINITE;
    else if (exponent == 0)
        number.class = fraction ? SUBNORMAL : ZERO;
    else
        number.class = NORMAL;
    if (number.class == NAN_CLASS) number.negative = 0;
    number.ordinal = (__int128)(((unsigned __int128)exponent << fraction_bits) | fraction);
    if (number.negative) number.ordinal = -number.ordinal;
    return number;
}


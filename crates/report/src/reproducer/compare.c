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

/* Why two values differ; 0 where they do not. */
static const char *difference(const struct leaf *leaf, const unsigned char *a, const unsigned char *b) {
    if (leaf->kind != 'f') return memcmp(a + leaf->offset, b + leaf->offset, leaf->size) ? "value" : 0;
    struct number x = decode(leaf, a), y = decode(leaf, b);
    if (x.class != y.class || x.negative != y.negative) return "class";
    if (x.class == NAN_CLASS) return 0;
    __int128 apart = x.ordinal > y.ordinal ? x.ordinal - y.ordinal : y.ordinal - x.ordinal;
    return apart > (__int128)ULPS ? "ulps" : 0;
}

static void row(const char *name, const char *a, const char *b, const char *why) {
    printf("%-12s %-48s %-48s%s%s\n", name, a, b, why ? " differs: " : "", why ? why : "");
}

int main(void) {
    const struct observation *a = observe(&builds[0]), *b = observe(&builds[1]);
    char left[128], right[128];
    int differs = 0;
    row("", builds[0].role, builds[1].role, 0);
    show_outcome(left, sizeof left, a);
    show_outcome(right, sizeof right, b);
    if (strcmp(left, right) != 0) differs = 1;
    row("outcome", left, right, differs ? "outcome" : 0);
    if (!a->returned || !b->returned) return differs;
    int flags_differ = (a->flags & WATCHED) != (b->flags & WATCHED);
    show_flags(left, sizeof left, a->flags & WATCHED);
    show_flags(right, sizeof right, b->flags & WATCHED);
    row("exceptions", left, right, flags_differ ? "exceptions" : 0);
    differs |= flags_differ;
    for (const struct leaf *leaf = leaves; leaf->name; leaf++) {
        const char *why = difference(leaf, a->record, b->record);
        show_value(left, sizeof left, leaf, a->record);
        show_value(right, sizeof right, leaf, b->record);
        row(leaf->name, left, right, why);
        differs |= why != 0;
    }
    return differs;
}

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

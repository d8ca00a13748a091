/* What the output should be: the true value, rounded correctly. */
static const unsigned char truth[16] = TRUTH;

int main(void) {
    const struct observation *seen = observe(&builds[0]);
    char text[128];
    show_outcome(text, sizeof text, seen);
    printf("%-12s %s\n", "outcome", text);
    if (!seen->returned) {
        printf("it did not return: there is no result\n");
        return 2;
    }
    const struct leaf *wrong = &leaves[OUTPUT];
    for (const struct leaf *leaf = leaves; leaf->name; leaf++) {
        show_value(text, sizeof text, leaf, seen->record);
        printf("%-12s %s\n", leaf->name, text);
    }
    struct leaf at_start = *wrong;
    at_start.offset = 0;
    show_value(text, sizeof text, &at_start, truth);
    printf("%s should be %s\n", wrong->name, text);
    struct number result = decode(wrong, seen->record), right = decode(&at_start, truth);
    int is_number = result.class != NAN_CLASS && result.class != INFINITE;
    if (!is_number || right.class == NAN_CLASS || right.class == INFINITE) {
        int same = result.class == right.class && result.negative == right.negative;
        printf("%s\n", same ? "it is" : "it is not");
        return !same;
    }
    __int128 apart = result.ordinal > right.ordinal ? result.ordinal - right.ordinal : right.ordinal - result.ordinal;
    printf("off by %.6g ulps\n", (double)apart);
    return apart > (__int128)ULPS;
}

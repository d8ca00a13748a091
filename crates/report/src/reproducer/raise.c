int main(void) {
    const struct observation *seen = observe(&builds[0]);
    char text[128];
    show_outcome(text, sizeof text, seen);
    printf("%-12s %s\n", "outcome", text);
    if (!seen->returned) {
        printf("it did not return: the exceptions cannot be read\n");
        return 2;
    }
    show_flags(text, sizeof text, seen->flags);
    printf("%-12s %s\n", "exceptions", text);
    for (const struct leaf *leaf = leaves; leaf->name; leaf++) {
        show_value(text, sizeof text, leaf, seen->record);
        printf("%-12s %s\n", leaf->name, text);
    }
    int raised = (seen->flags & WATCHED) != 0;
    show_flags(text, sizeof text, WATCHED);
    printf("%s is %s\n", text, raised ? "raised" : "not raised");
    return raised;
}

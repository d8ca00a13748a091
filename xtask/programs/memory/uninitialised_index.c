// expect: holds
// A search that finds nothing leaves the index without a value, which a switch reads.
extern char __VERIFIER_nondet_char(void);

int main(void) {
    const char *letters = "abc";
    char wanted = __VERIFIER_nondet_char();
    int found = -1;
    for (int i = 0; i < 3; i++)
        if (letters[i] == wanted) found = i;
    switch (found) {
    case 0: return wanted != 'a';
    case 1: return wanted != 'b';
    default: return 0;
    }
}

// expect: holds
// Calls a function of a table by its index.
extern unsigned __VERIFIER_nondet_uint(void);

static int one(void) { return 1; }
static int two(void) { return 2; }
static int three(void) { return 3; }

int main(void) {
    int (*const table[3])(void) = {one, two, three};
    unsigned i = __VERIFIER_nondet_uint();
    if (i > 2) return 0;
    int (*chosen)(void) = table[i];
    return chosen() != (int)i + 1;
}

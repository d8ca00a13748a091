// expect: holds
// A hash by remainder, which is negative for negative keys.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int table[10] = {0};
    int key = __VERIFIER_nondet_int();
    int slot = key % 10;
    if (slot < 0) slot += 10;
    table[slot] = key;
    return table[0] != 0 && table[0] != key;
}

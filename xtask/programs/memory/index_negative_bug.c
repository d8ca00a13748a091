// expect: violated out-of-bounds at 10
// input: __VERIFIER_nondet_int=f9ffffff
// A hash by remainder, which is negative for negative keys.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int table[10] = {0};
    int key = __VERIFIER_nondet_int();
    int slot = key % 10;
    table[slot] = key;
    return table[0] != 0 && table[0] != key;
}

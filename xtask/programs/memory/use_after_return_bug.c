// expect: violated use-after-return at 12
// A function gives away the address of its local variable.
static int *cell(int value) {
    int kept;
    kept = value;
    int *at = &kept;
    return at;
}

int main(void) {
    int *p = cell(3);
    return *p != 3;
}

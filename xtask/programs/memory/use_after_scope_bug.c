// expect: violated use-after-return at 10
// A pointer to a variable of an inner block is used behind the block.
int main(void) {
    int *p;
    {
        int inner = 4;
        p = &inner;
        *p = 5;
    }
    return *p != 5;
}

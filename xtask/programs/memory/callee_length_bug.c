// expect: violated out-of-bounds at 5
// A function fills as many elements as its caller says that there are.
static void fill(int *at, int count) {
    for (int i = 0; i < count; i++)
        at[i] = i;
}

int main(void) {
    int a[5] = {0};
    fill(a, sizeof a);
    return a[4] != 4;
}

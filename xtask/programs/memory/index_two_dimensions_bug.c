// expect: violated out-of-bounds at 13
// input: row=04000000
// input: column=00000000
// A square of a board of four rows and five columns.
#include <klee/klee.h>

int main(void) {
    static int board[4][5];
    int row, column;
    klee_make_symbolic(&row, sizeof row, "row");
    klee_make_symbolic(&column, sizeof column, "column");
    if (row < 0 || row >= 5 || column < 0 || column >= 4) return 0;
    board[row][column] = 1;
    return 0;
}

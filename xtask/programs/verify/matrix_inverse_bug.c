// expect: violated assertion at 39
// input: __VERIFIER_nondet_int=01000000
// input: __VERIFIER_nondet_int=02000000
// input: __VERIFIER_nondet_int=03000000
// input: __VERIFIER_nondet_int=05000000
// The inverse of a 2 by 2 matrix of small integers whose determinant is 1 or -1, with a wrong sign in the adjugate.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

typedef double matrix[2][2];

static int invert(matrix a, matrix inverse) {
    double determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    if (determinant == 0.0) return 0;
    inverse[0][0] = a[1][1] / determinant;
    inverse[0][1] = -a[0][1] / determinant;
    inverse[1][0] = a[1][0] / determinant;
    inverse[1][1] = a[0][0] / determinant;
    return 1;
}

int main(void) {
    matrix a, b, product;
    int n[4];
    for (int i = 0; i < 4; i++) {
        n[i] = __VERIFIER_nondet_int();
        __VERIFIER_assume(n[i] >= -15 && n[i] <= 15);
        a[i / 2][i % 2] = n[i];
    }
    int determinant = n[0] * n[3] - n[1] * n[2];
    __VERIFIER_assume(determinant == 1 || determinant == -1);
    assert(invert(a, b));
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            product[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j];
    int is_unit = product[0][0] == 1.0 && product[1][1] == 1.0 && product[0][1] == 0.0 && product[1][0] == 0.0;
    assert(is_unit);
    return 0;
}

/* Meschach's operations on vectors of four and matrices of four by four, called as the paper calls them (ICSE 2020). */
#include <stdio.h>
#include "matrix.h"
#include "matrix2.h"
/* machine.h takes it away. */
#undef const

static VEC vector(const double *entries, u_int count)
{
    VEC v = {count, count, (Real *)entries};
    return v;
}

/* A 4 by 4 matrix whose rows are pointed to by `rows`. */
static MAT matrix(const double *entries, Real **rows)
{
    MAT a = {4, 4, 4, 4, 16, rows, (Real *)entries};
    int i;
    for (i = 0; i < 4; i++)
        rows[i] = (Real *)entries + 4 * i;
    return a;
}

double sum(const double *x, int n)
{
    VEC v = vector(x, n);
    return v_sum(&v);
}

double norm1(const double x[4])
{
    VEC v = vector(x, 4);
    return v_norm1(&v);
}

double norm2(const double x[4])
{
    VEC v = vector(x, 4);
    return v_norm2(&v);
}

double dot(const double x[4], const double y[4])
{
    VEC v = vector(x, 4), w = vector(y, 4);
    return in_prod(&v, &w);
}

void conv(const double x[4], const double y[4], double out[7])
{
    VEC v = vector(x, 4), w = vector(y, 4), to = vector(out, 7);
    v_conv(&v, &w, &to);
}

void mv(const double a[16], const double x[4], double out[4])
{
    Real *rows[4];
    MAT m = matrix(a, rows);
    VEC v = vector(x, 4), to = vector(out, 4);
    mv_mlt(&m, &v, &to);
}

void mm(const double a[16], const double b[16], double out[16])
{
    Real *rows_of_a[4], *rows_of_b[4], *rows[4];
    MAT m = matrix(a, rows_of_a), n = matrix(b, rows_of_b), to = matrix(out, rows);
    m_mlt(&m, &n, &to);
}

void lu(double a[16])
{
    Real *rows[4];
    u_int places[4];
    MAT m = matrix(a, rows);
    PERM pivot = {4, 4, places};
    LUfactor(&m, &pivot);
}

void qr(double a[16])
{
    Real *rows[4], diagonal[4];
    MAT m = matrix(a, rows);
    VEC d = vector(diagonal, 4);
    QRfactor(&m, &d);
}

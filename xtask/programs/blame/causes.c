/* Functions whose divergence has one cause, known because they were written to have it: what `cargo xtask table blame` asks labrys for.
 *
 * Above each function stand what it is called with, the builds where they are not FAST, the flag that makes it and, where it is known, the pass:
 *
 *     CAUSE flag | builds | input | pass
 *
 * FAST is -O0 beside -O3 -ffast-math; FUSED the same with -mfma in both; ERRNO, MARCH, LOOPS, LEVEL and TRAPS are said in xtask/src/table_blame.rs. A flag of two words with a
 * sign between them is one that the baseline has and the variant has not. */

#include <errno.h>
#include <float.h>
#include <math.h>

/* Not a number: comparisons with it are false, the flag says that there is none. */

/* CAUSE -fno-honor-nans | FAST | x=nan | */
int nan_unequal(double x) { return x != x; }

/* CAUSE -fno-honor-nans | FAST | x=nan | */
double nan_replaced(double x) { return x == x ? x : 0.0; }

/* CAUSE -fno-honor-nans | FAST | x=nan | */
int nan_asked_for(double x) { return __builtin_isnan(x); }

/* CAUSE -fno-honor-nans | FAST | x=nan,y=1 | */
int nan_unordered(double x, double y) { return __builtin_isunordered(x, y); }

/* Infinity. */

/* CAUSE -fno-honor-infinities | FAST | x=inf | */
int infinity_equal(double x) { return x == INFINITY; }

/* CAUSE -fno-honor-infinities | FAST | x=inf | */
int infinity_asked_for(double x) { return __builtin_isinf(x) ? 1 : 0; }

/* CAUSE -fno-honor-infinities | FAST | x=-inf | */
double infinity_replaced(double x) { return x == -INFINITY ? -DBL_MAX : x; }

/* The sign of zero. */

/* CAUSE -fno-signed-zeros | FAST | x=-0.0 | early-cse */
double zero_added(double x) { return x + 0.0; }

/* CAUSE -fno-signed-zeros | FAST | x=0.0 | instcombine */
double zero_subtracted_from(double x) { return 0.0 - x; }

/* CAUSE -fno-signed-zeros | FAST | x=2,y=2 | instcombine */
double zero_negated_difference(double x, double y) { return -(x - y); }

/* The order of sums and products. */

/* CAUSE -fassociative-math | FAST | a=1e20,b=1 | early-cse */
double order_cancelled(double a, double b) { return (a + b) - a; }

/* CAUSE -fassociative-math | FAST | x=1e-320 | */
double order_constants(double x) { return (x * 1e-5) * 1e5; }

/* CAUSE -fassociative-math | FAST | v[0]=1e16,v[1]=1,v[2]=1,v[4]=1,v[5]=-1e16,v[7]=3 | slp-vectorizer */
double order_sum(const double v[8]) {
    double sum = 0;
    for (int i = 0; i < 8; i++) sum += v[i];
    return sum;
}

/* CAUSE -fassociative-math | FAST | x=1 | */
double order_rounding_trick(double x) { return (x * 0.3 + 0x1.8p52) - 0x1.8p52; }

/* Products with reciprocals. */

/* CAUSE -freciprocal-math | FAST | x=3 | instcombine */
double reciprocal_of_ten(double x) { return x / 10.0; }

/* CAUSE -freciprocal-math | FAST | x=1.1 | instcombine */
double reciprocal_of_49(double x) { return x / 49.0; }

/* CAUSE -freciprocal-math | FAST | x=1.2 | instcombine */
float reciprocal_of_seven(float x) { return x / 7.0f; }

/* Functions of libm by others. */

/* CAUSE -fapprox-func | FAST | x=3.1 | instcombine */
double approximate_power(double x) { return pow(x, 2.5); }

/* CAUSE -fapprox-func | FAST | x=0.1 | instcombine */
double approximate_seventh_power(double x) { return pow(x, 7.0); }

/* CAUSE -fapprox-func | FAST | x=1.3 | instcombine */
double approximate_power_one_and_a_half(double x) { return pow(x, 1.5); }

/* One rounding for a product and a sum. Within one expression clang fuses them anyway. */

/* CAUSE -ffp-contract=fast | FUSED | x=1.1,y=1.3,z=-1.43 | x86-isel */
double fused_sum(double x, double y, double z) {
    double product = x * y;
    return product + z;
}

/* CAUSE -ffp-contract=fast | FUSED | x=1.1,y=1.21 | x86-isel */
double fused_difference(double x, double y) {
    double square = x * x;
    return y - square;
}

/* CAUSE -ffp-contract=fast | FUSED | x=1.1,y=1.3,z=-1.43 | x86-isel */
float fused_singles(float x, float y, float z) {
    float product = x * y;
    return product + z;
}

/* errno. */

/* CAUSE -fno-math-errno | ERRNO | x=-1 | */
int errno_of_root(double x) {
    errno = 0;
    double root = sqrt(x);
    return errno + (root > 1e300);
}

/* CAUSE -fno-math-errno | ERRNO | x=1000 | */
int errno_of_exponential(double x) {
    errno = 0;
    double power = exp(x);
    return errno + (power < 0);
}

/* CAUSE -fno-math-errno | ERRNO | x=-1 | */
int errno_of_logarithm(double x) {
    errno = 0;
    double logarithm = log(x);
    return errno + (logarithm > 1e300);
}

/* The instructions that there are. */

/* CAUSE -mfma | MARCH | x=1.1,y=1.3,z=-1.43 | */
double instruction_sum(double x, double y, double z) { return x * y + z; }

/* CAUSE -mfma | MARCH | x=1.1,y=1.21 | */
double instruction_difference(double x, double y) { return y - x * x; }

/* CAUSE -mfma | MARCH | x=1.1,y=1.3,z=-1.43 | */
float instruction_singles(float x, float y, float z) { return x * y + z; }

/* Loops over several elements at a time: a sum in another order, and what is computed for elements that a condition leaves out. */

/* CAUSE no -fno-vectorize | LOOPS | v[32]=-1e16,v[60]=1,v[194]=3,v[230]=3 | loop-vectorize */
double loop_sum(const double v[256]) {
    double sum = 0;
    for (int i = 0; i < 256; i++) sum += v[i];
    return sum;
}

/* CAUSE no -fno-vectorize | LOOPS | v[14]=3,v[48]=-1e16,v[221]=3,v[228]=1e16 | loop-vectorize */
double loop_scaled(const double v[256]) {
    double sum = 0;
    for (int i = 0; i < 256; i++) sum += v[i] * 1e8;
    return sum;
}

/* CAUSE no -fno-vectorize | LOOPS | v[11]=1,v[51]=3,v[118]=1,v[235]=-1e8 | loop-vectorize */
float loop_singles(const float v[256]) {
    float sum = 0;
    for (int i = 0; i < 256; i++) sum += v[i];
    return sum;
}

/* What optimisation does without any licence: exceptions are not its business. */

/* CAUSE -O3 | LEVEL | x=1e200,y=0 | simplifycfg */
double level_speculated(double x, double y) {
    double square = 0;
    if (y > 1) square = x * x;
    return square;
}

/* CAUSE -O3 | LEVEL | x=1e200 | */
double level_unused(double x) {
    double square = x * x;
    (void)square;
    return x;
}

/* CAUSE -O3 | LEVEL | x=1e200,n=0 | machine-sink */
double level_sunk(double x, int n) {
    double square = x * x;
    return n > 3 ? square : x;
}

/* The same where the baseline asks for exceptions to be kept: -fno-trapping-math does nothing, for it is clang's default; -ftrapping-math does. */

/* CAUSE no -ftrapping-math | TRAPS | x=1e200,y=0 | simplifycfg */
double trap_speculated(double x, double y) {
    double square = 0;
    if (y > 1) square = x * x;
    return square;
}

/* CAUSE no -ftrapping-math | TRAPS | x=1e200 | */
double trap_unused(double x) {
    double square = x * x;
    (void)square;
    return x;
}

/* CAUSE no -ftrapping-math | TRAPS | x=1e200,n=0 | machine-sink */
double trap_sunk(double x, int n) {
    double square = x * x;
    return n > 3 ? square : x;
}

// expect: holds
// A matrix of three rows and four columns in one array.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    float m[12] = {0};
    unsigned r = __VERIFIER_nondet_uint(), c = __VERIFIER_nondet_uint();
    if (r >= 3 || c >= 4) return 0;
    m[r * 4 + c] = 1.0f;
    return m[0] > 1.0f;
}

// expect: violated shift at 10
// input: __VERIFIER_nondet_int=ffffffff
// A shift by a difference of exponents, which may be negative.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int difference = __VERIFIER_nondet_int();
    if (difference > 31) return 0;
    if (difference < -31) return 0;
    unsigned scaled = 0xffffffffu >> difference;
    return scaled == 0;
}

// expect: violated out-of-bounds at 17
// input: __VERIFIER_nondet_uchar=0a
// A bit-field of four bits as an index into a table.
extern unsigned char __VERIFIER_nondet_uchar(void);

struct code {
    unsigned low : 4;
    unsigned high : 4;
};

int main(void) {
    char table[10] = "012345678";
    struct code code;
    unsigned char byte = __VERIFIER_nondet_uchar();
    code.low = byte & 15;
    code.high = byte >> 4;
    return table[code.low] == 'z';
}

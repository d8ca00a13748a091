// expect: violated out-of-bounds at 15
// input: __VERIFIER_nondet_int=05000000
// A ring of four places takes more entries than it has places.
extern int __VERIFIER_nondet_int(void);

struct ring {
    int next;
    int places[4];
};

int main(void) {
    struct ring ring = {0, {0}};
    int count = __VERIFIER_nondet_int();
    for (int i = 0; i < count && i < 6; i++) {
        ring.places[ring.next] = i;
        ring.next = ring.next + 1;
    }
    return ring.next > 4;
}

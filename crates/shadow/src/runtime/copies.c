/* Copies and fills of memory. `memory.rs` has the argument. */

/* Carries one place's shadow to another that holds the same bytes, of which there are `left`, or forgets what was known of that. */
ALWAYS void carry(P to, P from, size_t left) {
    static const size_t sizes[4] = { 0, 4, 8, 10 };
    Slot *e = slot_of(ADDRESS(from));
    uint64_t kind = e ? e->key >> 48 & 3 : 0, bits = 0;
    W shadow;
    if (e && sizes[kind] <= left) {
        if (kind == 1) bits = f_bits(*(MF *)to);
        if (kind == 2) bits = d_bits(*(MD *)to);
        if (kind == 3) {
            long double v = 0;
            __builtin_memcpy(&v, to, 10);
            bits = x_bits(v);
        }
        if (recall(from, kind, bits, &shadow)) {
            remember(to, kind, bits, shadow);
            return;
        }
    }
    forget(to);
}

/* The shadows of n bytes that were copied, in the order in which none is overwritten that is still to be carried. */
APART void carry_bytes(P to, P from, size_t n) {
    if (to <= from || to >= from + n) {
        for (size_t i = 0; i + 4 <= n; i += 4) carry(to + i, from + i, n - i);
    } else {
        for (size_t i = n / 4 * 4; i > 0; i -= 4) carry(to + i - 4, from + i - 4, n - i + 4);
    }
}

APART void copy_bytes(P to, P from, size_t n) {
    __builtin_memmove(to, from, n);
    if (to != from) carry_bytes(to, from, n);
}

APART void forget_bytes(P to, size_t n) {
    for (size_t i = 0; i + 4 <= n; i += 4) forget(to + i);
}

APART void fill_bytes(P to, int byte, size_t n) {
    __builtin_memset(to, byte, n);
    forget_bytes(to, n);
}

/* Shadows in memory. `memory.rs` has the argument. */

#define BUCKETS 65536u

/* Key: 48 bits of address, 2 of kind (1 float, 2 double, 3 long double), 14 of the call's number. */
typedef struct { uint64_t key, own; double h, l; } Slot;
static Slot table[2 * BUCKETS] __attribute__((aligned(64)));

typedef uint8_t M8 __attribute__((may_alias, aligned(1)));
typedef uint16_t M16 __attribute__((may_alias, aligned(1)));
typedef uint32_t M32 __attribute__((may_alias, aligned(1)));
typedef uint64_t M64 __attribute__((may_alias, aligned(1)));
typedef uint128_t M128 __attribute__((may_alias, aligned(1)));
typedef P MP __attribute__((may_alias, aligned(1)));
typedef float MF __attribute__((may_alias, aligned(1)));
typedef double MD __attribute__((may_alias, aligned(1)));

#define ADDRESS(p) ((uint64_t)(p) & 0xffffffffffffu)
#define STAMP ((state.call & 0x3fff) << 50)

ALWAYS Slot *bucket_of(uint64_t address) {
    uint64_t b = address >> 3;
    return table + 2 * ((b + (b >> 16) * 0x9e3779b1u) & (BUCKETS - 1));
}

ALWAYS Slot *slot_of(uint64_t address) {
    Slot *e = bucket_of(address);
    if (e[0].key << 16 == address << 16 && e[0].key) return e;
    if (e[1].key << 16 == address << 16 && e[1].key) return e + 1;
    return 0;
}

/* The shadow that was stored with these bits; whether there is one. */
ALWAYS int recall(const void *p, uint64_t kind, uint64_t bits, W *shadow) {
    Slot *e = slot_of(ADDRESS(p));
    if (!e || (e->key >> 48 & 3) != kind) return 0;
    if (e->own != (bits ^ state.mix) && e->own != bits) return 0;
    *shadow = (W){ e->h, e->l };
    return 1;
}

ALWAYS void forget(const void *p) {
    Slot *e = slot_of(ADDRESS(p));
    if (e) e->key = 0;
}

ALWAYS void forget_word(const void *p) {
    forget(p);
    forget((const char *)p + 4);
}

RARELY Slot *evicted(uint64_t address) {
    Slot *e = bucket_of(address);
    for (int i = 0; i < 2; i++)
        if (!e[i].key || e[i].key >> 50 != (state.call & 0x3fff)) return e + i;
    state.marks |= FORGOTTEN;
    return e + (address >> 2 & 1);
}

APART void remember(const void *p, uint64_t kind, uint64_t bits, W shadow) {
    uint64_t address = ADDRESS(p);
    Slot *e = slot_of(address);
    if (!e) {
        e = bucket_of(address);
        if (e->key) e = evicted(address);
    }
    *e = (Slot){ address | kind << 48 | STAMP, bits ^ state.mix, shadow.h, shadow.l };
}

/* Integers of other widths than memory's. */
ALWAYS uint128_t load_bytes(P p, int n) {
    uint128_t value = 0;
    __builtin_memcpy(&value, p, n);
    return value;
}

ALWAYS void store_bytes(P p, uint128_t value, int n) { __builtin_memcpy(p, &value, n); }

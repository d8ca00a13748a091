//! Integers of 128 bits to floats and back, and `_BitInt` of any width.

use labrys_executor::{Checks, Options, ViolationKind};

use crate::support::{holds, options, run, run_with, violates};

#[test]
fn floats_that_fit_are_cut() {
    holds(
        "int main(void) { double d = __VERIFIER_nondet_double(); __VERIFIER_assume(d >= 0 && d < 1e30);
         __int128 i = (__int128)d; assert(i >= 0 && (double)i <= d); assert((unsigned __int128)d == (unsigned __int128)i); }",
        1,
    );
}

#[test]
fn a_fraction_is_lost() {
    let outcome = run(
        "int main(void) { double d = __VERIFIER_nondet_double(); __VERIFIER_assume(d > 1e25 && d < 1e30); __int128 i = (__int128)d;
         assert((long)(i & 1) == 0); float f = __VERIFIER_nondet_float(); __VERIFIER_assume(f > -9 && f < 9); assert((__int128)f == f); }",
    );
    let kinds: Vec<&ViolationKind> = outcome.violations.iter().map(|violation| &violation.kind).collect();
    // A double beyond 2^84 is even; a float between 9 and -9 need not be whole.
    assert_eq!(kinds, [&ViolationKind::Assertion("(__int128)f == f".into())]);
}

/// What does not fit may be anything: no proof builds on it, and no input is said to lead behind it.
#[test]
fn what_does_not_fit_is_unknown() {
    let outcome = run(
        "int main(void) { double d = __VERIFIER_nondet_double(); __VERIFIER_assume(d > 1e39); assert((__int128)d != 5); }",
    );
    assert!(outcome.violations.is_empty() && !outcome.unexplored.is_empty(), "{outcome:?}");
}

const TYPES: &str = "typedef unsigned _BitInt(256) u256; typedef _BitInt(256) s256; typedef _BitInt(200) s200;\n";

fn text(body: &str) -> String {
    format!("{TYPES}{body}")
}

#[test]
fn arithmetic_of_256_bits() {
    let body =
        "int main(void) { u256 a = __VERIFIER_nondet_ulong(), b = __VERIFIER_nondet_ulong(); u256 p = (a << 100) + b;
        assert(p >> 100 == a && (unsigned long)p == b); assert((p ^ p >> 1) >= 0 && ~p > p);
        u256 q = p - ((u256)1 << 200); assert(q > p); assert(q + ((u256)1 << 200) == p); return 0; }";
    holds(&text(body), 1);
    // Of a known number: 3^160 has 254 bits.
    let body = "int main(void) { u256 a = 1; for (int i = 0; i < 160; i++) a *= 3; for (int i = 0; i < 80; i++) a /= 9;
        assert(a == 1); u256 m = (u256)-1; assert(m % 255 == 0 && __builtin_popcountg(m) == 256 && __builtin_clzg(m >> 99) == 99); return 0; }";
    holds(&text(body), 1);
}

#[test]
fn errors_of_wide_integers() {
    let body = "int main(void) { unsigned n = __VERIFIER_nondet_uint(); u256 one = 1; return (one << n) == 0; }";
    violates(&text(body), ViolationKind::Shift);
    let body = "int main(void) { u256 a = __VERIFIER_nondet_ulong(); return (int)(((u256)1 << 255) / ((a << 192) ^ ((u256)5 << 192))); }";
    violates(&text(body), ViolationKind::DivisionByZero);
    let body =
        "int main(void) { s256 a = __VERIFIER_nondet_long(); if (!a) return 0; return (int)(((s256)1 << 255) / a); }";
    violates(&text(body), ViolationKind::DivisionOverflow);
    let checks = Options { checks: Checks { signed_overflow: true, ..Checks::default() }, ..options() };
    let body = "int main(void) { s256 a = __VERIFIER_nondet_long(), b = __VERIFIER_nondet_long(); return a * b == 7 || a - b == 3; }";
    let outcome = run_with(&text(body), &checks);
    assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{outcome:?}");
    let body = "int main(void) { s256 a = __VERIFIER_nondet_long(); s256 big = ((s256)1 << 254) - 1; return big + big + a == 5; }";
    let outcome = run_with(&text(body), &checks);
    assert_eq!(outcome.violations[0].kind, ViolationKind::SignedOverflow);
    let input = i64::from_le_bytes(outcome.violations[0].input.objects[0].bytes.as_slice().try_into().unwrap());
    assert!(input > 1, "{input}");
    let body = "int main(void) { s256 a = (s256)__VERIFIER_nondet_long() << 100; return a * a * 16 == 3; }";
    let outcome = run_with(&text(body), &checks);
    assert_eq!(outcome.violations[0].kind, ViolationKind::SignedOverflow);
}

/// Bits of padding and what was never written do not matter, and what is read of it does.
#[test]
fn wide_integers_in_memory() {
    let body = "struct s { char tag; u256 a : 200; u256 b : 50; u256 w[3]; _BitInt(129) o; _BitInt(7) t; _BitInt(65) q; };
        static s200 negated(s200 x) { return -x; }
        int main(void) { struct s s; u256 x; unsigned i = __VERIFIER_nondet_uint(); klee_make_symbolic(&x, sizeof x, \"x\");
        s.a = x; s.b = x >> 200; assert(s.a == (x & (((u256)1 << 200) - 1))); assert(s.b == (x >> 200 & 0x3ffffffffffff));
        s.w[0] = x; s.w[1] = ~x; s.w[2] = 0; if (i > 2) return 0; assert((s.w[i] & x) == (i ? 0 : x)); s.w[i] = x + x; assert(!(s.w[i] & 1));
        s.o = (_BitInt(129))x; s.t = (_BitInt(7))x; s.q = (_BitInt(65))x; struct s c = s, d; memcpy(&d, &s, sizeof s);
        assert(c.o == d.o && c.t == s.t && c.q == d.q && (unsigned _BitInt(129))c.o == (unsigned _BitInt(129))x);
        assert(negated(negated((s200)x >> 1)) == (s200)x >> 1); return 0; }";
    holds(&text(body), 2);
    let body = "int main(void) { union { s200 v; unsigned char b[32]; } u; for (int i = 0; i < 25; i++) u.b[i] = __VERIFIER_nondet_uchar();
        if (u.v > 5) return 1; return 0; }";
    holds(&text(body), 1);
    let body = "int main(void) { union { s200 v; unsigned char b[32]; } u; for (int i = 0; i < 24; i++) u.b[i] = 1; if (u.v > 5) return 1; return 0; }";
    violates(&text(body), ViolationKind::Uninitialised);
    let body = "int main(void) { u256 v[2]; v[0] = 1; int i = __VERIFIER_nondet_int() & 3; if (v[i] == 5) return 1; return 0; }";
    let outcome = run(&text(body));
    let kinds: Vec<&ViolationKind> = outcome.violations.iter().map(|violation| &violation.kind).collect();
    assert!(kinds.contains(&&ViolationKind::OutOfBounds { is_write: false, size: 32 }), "{kinds:?}");
    assert!(kinds.contains(&&ViolationKind::Uninitialised), "{kinds:?}");
}

#[test]
fn floats_of_wide_integers() {
    let body = "int main(void) { double d = __VERIFIER_nondet_double(); __VERIFIER_assume(d > 1e40 && d < 1e50); s200 i = (s200)d;
        assert((double)i == d && !(i & 1)); return 0; }";
    holds(&text(body), 1);
    // What is beyond float's range has bits of no meaning: no proof builds on them.
    let body = "int main(void) { u256 x = (u256)__VERIFIER_nondet_ulong() << 150; float f = (float)x; assert(f != 5); return 0; }";
    let outcome = run(&text(body));
    assert!(outcome.violations.is_empty() && !outcome.unexplored.is_empty(), "{outcome:?}");
}

/// Wider ones are refused, with the width.
#[test]
fn integers_beyond_the_limit_are_unknown() {
    let outcome = run("int main(void) { _BitInt(1025) x = 1; return x == 2; }");
    assert!(outcome.violations.is_empty(), "{outcome:?}");
    let why = outcome.unexplored[0].why.to_string();
    assert!(why.contains("integers of more than 1024 bits"), "{why}");
    holds("int main(void) { _BitInt(1024) x = 1; x <<= 1022; assert(x / 3 * 3 + x % 3 == x); return 0; }", 1);
}

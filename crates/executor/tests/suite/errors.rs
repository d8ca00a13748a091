//! Each kind of violation, and its correct twin.

use labrys_executor::{Checks, Options, ViolationKind};

use crate::support::{holds, options, run, run_with, violates};

fn write(size: u64) -> ViolationKind {
    ViolationKind::OutOfBounds { is_write: true, size }
}

fn read(size: u64) -> ViolationKind {
    ViolationKind::OutOfBounds { is_write: false, size }
}

#[test]
fn divisions() {
    let text = "int main(void) { int x = __VERIFIER_nondet_int(); return 100 / x; }";
    violates(text, ViolationKind::DivisionByZero);
    let text = "int main(void) { int x = __VERIFIER_nondet_int(); if (x == 0 || x == -1) return 0; return (-2147483647 - 1) / x; }";
    assert!(run(text).violations.is_empty());
    let text = "int main(void) { int x = __VERIFIER_nondet_int(); int y = __VERIFIER_nondet_int(); if (y == 0) return 0; return x % y; }";
    violates(text, ViolationKind::DivisionOverflow);
}

#[test]
fn shifts() {
    violates("int main(void) { unsigned n = __VERIFIER_nondet_uint(); return 1u << n; }", ViolationKind::Shift);
    holds("int main(void) { unsigned n = __VERIFIER_nondet_uint(); return 1u << (n & 31); }", 1);
}

#[test]
fn signed_overflow_is_found_where_asked_for() {
    let text = "int main(void) { int x = __VERIFIER_nondet_int(); return x + 1 == 5; }";
    assert!(run(text).violations.is_empty());
    let options = Options { checks: Checks { signed_overflow: true, ..Checks::default() }, ..options() };
    let outcome = run_with(text, &options);
    assert_eq!(outcome.violations[0].kind, ViolationKind::SignedOverflow);
    assert_eq!(outcome.violations[0].input.objects[0].bytes, i32::MAX.to_le_bytes());
    let text = "int main(void) { int x = __VERIFIER_nondet_int(); unsigned y = x; if (x < 46341 && x > -46341) return x * x; return y + 1u; }";
    let outcome = run_with(text, &options);
    assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{outcome:?}");
}

#[test]
fn accesses_through_bad_pointers() {
    violates("int main(void) { int *p = 0; return *p; }", ViolationKind::Null);
    violates("int main(void) { int a[3] = {0}; a[3] = 1; return 0; }", write(4));
    violates("int main(void) { char a[3] = {0}; return a[-1]; }", read(1));
    violates("int main(void) { int *p = malloc(8); p[0] = 1; free(p); return p[0]; }", ViolationKind::UseAfterFree);
    violates("int *f(void) { int x = 1; int *volatile p = &x; return p; } int main(void) { return *f(); }", ViolationKind::UseAfterReturn);
    violates("int main(void) { int *p = malloc(4); free(p); free(p); return 0; }", ViolationKind::DoubleFree);
    violates("int main(void) { char *p = malloc(4); free(p + 1); return 0; }", ViolationKind::InvalidFree);
    violates("int main(void) { int x; free(&x); return 0; }", ViolationKind::InvalidFree);
    violates("int main(void) { char *p = (char *)\"abc\"; p[0] = 'x'; return 0; }", ViolationKind::ReadOnly);
    holds("int main(void) { int *p = malloc(8); p[1] = 7; int x = p[1]; free(p); free(0); assert(x == 7); return 0; }", 1);
}

#[test]
fn copies_that_overlap() {
    violates("int main(void) { char a[8] = {0}; memcpy(a, a + 2, 4); return 0; }", ViolationKind::Overlap);
    holds("int main(void) { char a[8] = {0}; memmove(a, a + 2, 4); memcpy(a, a + 4, 4); return 0; }", 1);
}

#[test]
fn what_was_never_written_must_not_decide() {
    violates("int main(void) { int x; if (x) return 1; return 0; }", ViolationKind::Uninitialised);
    holds("int main(void) { int x, y; y = x; x = 1; if (x) return 1; return 0; }", 1);
}

#[test]
fn lengths_of_copies_are_checked() {
    let bad = "int main(void) { char a[8], b[8] = {0}; unsigned n = __VERIFIER_nondet_uint(); if (n > 9) return 0; memcpy(a, b, n); return 0; }";
    let violation = violates(bad, write(9));
    assert_eq!(violation.input.objects[0].bytes, [9, 0, 0, 0]);
    assert!(run("int main(void) { char a[8], b[8] = {0}; int n = __VERIFIER_nondet_int(); if (n > 8) return 0; memset(b, 1, n); return 0; }").violations.len() == 1);
    let good = "int main(void) { char a[8] = {0}, b[8] = {1,1,1,1,1,1,1,1}; unsigned n = __VERIFIER_nondet_uint(); if (n > 8 || n == 0) return 0;
        memcpy(a, b, n); for (unsigned i = 0; i < 8; i++) assert(a[i] == (i < n)); return 0; }";
    let outcome = run(good);
    assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{outcome:?}");
}

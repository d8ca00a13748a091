//! Integers of 128 bits to floats and back.

use labrys_executor::ViolationKind;

use crate::support::{holds, run};

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

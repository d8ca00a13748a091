//! Branches that choose values do not double paths; what they choose is right.

use labrys_executor::ViolationKind;

use crate::support::{holds, violates};

#[test]
fn choices_are_one_path() {
    holds(
        "static double least(double a, double b) { return a < b ? a : b; }\n\
         static double size(double a) { if (a < 0.0) a = -a; return a; }\n\
         int main(void) { double x[6], m = 1e9; klee_make_symbolic(x, sizeof x, \"x\");\n\
         for (int i = 0; i < 6; i++) { klee_assume(x[i] > -10.0 && x[i] < 10.0); m = least(m, size(x[i])); }\n\
         assert(m >= 0.0 && m < 10.0); return 0; }",
        1,
    );
    holds(
        "int main(void) { char t[6]; klee_make_symbolic(t, sizeof t, \"t\"); int words = 0, in = 0;\n\
         for (int i = 0; i < 6; i++) { if ((t[i] >= 'a' && t[i] <= 'z') || t[i] == '-') { if (!in) words++; in = 1; } else in = 0; }\n\
         assert(words >= 0 && words <= 3); return 0; }",
        1,
    );
}

/// Each side's value is taken under its side's condition.
#[test]
fn what_is_chosen_is_right() {
    let text = "int main(void) { int x = __VERIFIER_nondet_int(), y = 5; if (x > 3) y = x; else y = 3 - y; assert(y != 77); return 0; }";
    let violation = violates(text, ViolationKind::Assertion("y != 77".into()));
    assert_eq!(violation.input.objects[0].bytes, 77i32.to_le_bytes());
    let text =
        "int main(void) { int x = __VERIFIER_nondet_int(); int y = x > 3 && x < 9 ? 1 : 2; assert(y == 2); return 0; }";
    violates(text, ViolationKind::Assertion("y == 2".into()));
    holds(
        "struct s { int a; char b; float c; }; int main(void) { struct s p = {1, 2, 3}; int x = __VERIFIER_nondet_int();\n\
         if (x > 3) { p.b = 7; p.c = x; } assert(p.a == 1 && (x > 3 ? p.b == 7 && p.c == (float)x : p.b == 2 && p.c == 3)); return 0; }",
        2,
    );
    // A union's member of another size, and an array of which one element is written.
    holds(
        "int main(void) { union { unsigned i; unsigned char b[4]; } u; u.i = 0x04030201; int x = __VERIFIER_nondet_int();\n\
         if (x) u.b[2] = 9; assert(u.i == (x ? 0x04090201 : 0x04030201)); return 0; }",
        1,
    );
}

/// What cannot be chosen is followed apart: errors, pointers, lives, memory that one side leaves uninitialised.
#[test]
fn what_is_more_than_a_choice_parts_paths() {
    let text = "int main(void) { int x = __VERIFIER_nondet_int(), a = 1, b = 2; int *p = x > 3 ? &a : &b; *p = 9; assert(a + b == (x > 3 ? 11 : 10)); return 0; }";
    holds(text, 2);
    let text =
        "int main(void) { int x = __VERIFIER_nondet_int(), y; if (x > 3) y = 1; if (y == 1) return 1; return 0; }";
    violates(text, ViolationKind::Uninitialised);
    let text = "int main(void) { int x = __VERIFIER_nondet_int(); int *p = malloc(4); *p = 0; if (x > 3) free(p); *p = 1; return 0; }";
    violates(text, ViolationKind::UseAfterFree);
    let text = "int main(void) { int x = __VERIFIER_nondet_int(), y = 0; if (x > 3) y = 100 / (x - 4); assert(y <= 100); return 0; }";
    violates(text, ViolationKind::DivisionByZero);
}

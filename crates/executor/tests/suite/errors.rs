//! Each kind of violation, and its correct twin.

use labrys_executor::{Checks, Options, ViolationKind, execute};
use labrys_program::Program;

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
    violates(
        "int *f(void) { int x = 1; int *volatile p = &x; return p; } int main(void) { return *f(); }",
        ViolationKind::UseAfterReturn,
    );
    violates("int main(void) { int *p = malloc(4); free(p); free(p); return 0; }", ViolationKind::DoubleFree);
    violates("int main(void) { char *p = malloc(4); free(p + 1); return 0; }", ViolationKind::InvalidFree);
    violates("int main(void) { int x; free(&x); return 0; }", ViolationKind::InvalidFree);
    violates("int main(void) { char *p = (char *)\"abc\"; p[0] = 'x'; return 0; }", ViolationKind::ReadOnly);
    holds(
        "int main(void) { int *p = malloc(8); p[1] = 7; int x = p[1]; free(p); free(0); assert(x == 7); return 0; }",
        1,
    );
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
    let violation = violates(bad, read(9));
    assert_eq!(violation.input.objects[0].bytes, [9, 0, 0, 0]);
    assert!(run("int main(void) { char a[8], b[8] = {0}; int n = __VERIFIER_nondet_int(); if (n > 8) return 0; memset(b, 1, n); return 0; }").violations.len() == 1);
    let good = "int main(void) { char a[8] = {0}, b[8] = {1,1,1,1,1,1,1,1}; unsigned n = __VERIFIER_nondet_uint(); if (n > 8 || n == 0) return 0;
        memcpy(a, b, n); for (unsigned i = 0; i < 8; i++) assert(a[i] == (i < n)); return 0; }";
    let outcome = run(good);
    assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{outcome:?}");
}

#[test]
fn leaks_are_found_where_asked_for() {
    let options = Options { checks: Checks { leaks: true, ..Checks::default() }, ..options() };
    let outcome = run_with("int main(void) { char *p = malloc(12); *p = 1; return 0; }", &options);
    assert_eq!(outcome.violations[0].kind, ViolationKind::Leak(12));
    let kept = "char *kept; int main(void) { kept = malloc(12); return 0; }";
    assert!(run_with(kept, &options).violations.is_empty());
    assert!(run_with("int main(void) { char *p = malloc(12); free(p); return 0; }", &options).violations.is_empty());
    assert!(run("int main(void) { malloc(12); return 0; }").violations.is_empty());
}

#[test]
fn memory_that_grows_keeps_its_content() {
    holds(
        "int main(void) { int *p = malloc(4); *p = 9; p = realloc(p, 40); p[9] = 1; assert(p[0] == 9); free(p); return 0; }",
        1,
    );
    let text = "int main(void) { int *p = malloc(4), *q = p; *p = 9; p = realloc(p, 40); return *q; }";
    violates(text, ViolationKind::UseAfterFree);
    violates("int main(void) { int *p = malloc(8); p = realloc(p + 1, 16); return 0; }", ViolationKind::InvalidFree);
    violates("int main(void) { char *p = calloc(3, 2); return p[6]; }", read(1));
}

#[test]
fn sizes_that_are_not_known_part_paths() {
    let text = |last: &str| {
        format!(
            "int main(void) {{ unsigned n = __VERIFIER_nondet_uint(); if (n == 0 || n > 5) return 0; int *p = malloc(n * sizeof *p); p[{last}] = 1; free(p); return 0; }}"
        )
    };
    let outcome = run(&text("n - 1"));
    assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{outcome:?}");
    violates(&text("n"), write(4));
}

#[test]
fn what_is_not_checked_is_not_passed_over() {
    let options = Options { checks: Checks { memory: false, ..Checks::default() }, ..options() };
    let outcome = run_with("int main(void) { int a[2] = {0}; return a[2]; }", &options);
    assert!(outcome.violations.is_empty());
    assert_eq!(outcome.unexplored.len(), 1);
}

#[test]
fn bit_fields_are_written_one_by_one() {
    let text = |last: &str| {
        format!("int main(void) {{ struct {{ unsigned a : 3, b : 5, c : 9; int d : 4; }} s; s.a = 5; s.b = __VERIFIER_nondet_uint(); s.d = -3;
            if (s.{last} == 1) return 1; return s.d; }}")
    };
    assert!(run(&text("a")).violations.is_empty());
    let outcome = run(&text("b"));
    assert!(
        outcome.violations.is_empty() && outcome.unexplored.is_empty() && outcome.paths.completed == 1,
        "{outcome:?}"
    );
    holds(&text("d"), 1);
    violates(&text("c"), ViolationKind::Uninitialised);
}

/// Structs of up to sixteen bytes are passed and returned in registers, with what lies between their members.
#[test]
fn padding_in_registers_spoils_no_member() {
    let text = |members: &str, decides: &str| {
        format!(
            "struct S {{ {members} }};
            static struct S made(struct S s) {{ struct S t = s; return t; }}
            int main(void) {{ struct S s; s.a = __VERIFIER_nondet_int(); s.c = 2; struct S t = made(s); unsigned char b[sizeof t]; memcpy(b, &t, sizeof t);
                if ({decides}) return 1; assert(t.c == 2); assert((int)t.a == (int)s.a); return 0; }}"
        )
    };
    for members in
        ["int a; char c;", "float a; short c;", "char c; int a;", "long a; char c;", "int a; char c; short d;"]
    {
        let outcome = run(&text(members, "t.c == 3"));
        assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{members} {outcome:?}");
    }
    violates(&text("int a; char c;", "b[6] == 1"), ViolationKind::Uninitialised);
    violates(&text("int a; char c; short d;", "t.d == 1"), ViolationKind::Uninitialised);
    violates(&text("int a; char c; short d;", "10 / t.d"), ViolationKind::Uninitialised);
}

/// In optimised code one side of a choice is undefined where only the other is asked for.
#[test]
fn undefined_sides_of_choices_spoil_no_other() {
    let program = |last: &str| {
        let text = format!(
            "declare i32 @__VERIFIER_nondet_int()
            define i32 @main() {{
              %n = call i32 @__VERIFIER_nondet_int()
              %is = icmp eq i32 %n, 97
              %chosen = select i1 %is, i32 undef, i32 1
              br i1 %is, label %one, label %all
            one:
              br label %all
            all:
              %r = phi i32 [ %chosen, %0 ], [ {last}, %one ]
              %zero = icmp eq i32 %r, 0
              br i1 %zero, label %a, label %b
            a:
              ret i32 1
            b:
              ret i32 0
            }}"
        );
        Program::from_bytes(text.as_bytes(), "chosen.ll").unwrap()
    };
    let outcome = execute(&program("0"), &options());
    assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{outcome:?}");
    let outcome = execute(&program("%chosen"), &options());
    assert!(
        matches!(outcome.violations.as_slice(), [found] if found.kind == ViolationKind::Uninitialised),
        "{outcome:?}"
    );
}

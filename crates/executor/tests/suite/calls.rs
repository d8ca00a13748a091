//! Many calls, deep calls, and what is known of variables behind them.

use labrys_executor::{Options, ViolationKind, execute};

use crate::support::{compile, holds, options, run, violates};

/// Objects of returned calls are forgotten; that an old pointer leads to one is not, however it was kept.
#[test]
fn uses_after_return_are_found_behind_many_calls() {
    let keeping = |declaration: &str, keep: &str, used: &str| {
        format!(
            "{declaration} void f(int n) {{ int x = n; if (n == 3) {{ {keep} }} }}
             int main(void) {{ for (int i = 0; i < 20000; i++) f(i); {used} }}"
        )
    };
    let text = keeping("static int *kept;", "kept = &x;", "return *kept;");
    violates(&text, ViolationKind::UseAfterReturn);
    let text = keeping("static unsigned long kept;", "kept = (unsigned long)&x ^ 5;", "return *(int *)(kept ^ 5);");
    violates(&text, ViolationKind::UseAfterReturn);
    let text = keeping("static int *kept;", "kept = &x;", "*kept = 1; return 0;");
    violates(&text, ViolationKind::UseAfterReturn);
    // The address may be looked at.
    let text = keeping("static int *kept, other;", "kept = &x;", "return kept == &other || kept == 0;");
    holds(&text, 1);
}

#[test]
fn copies_of_structs_end_with_the_call() {
    violates(
        "struct s { long a[4]; }; static long *kept; void f(struct s s) { kept = s.a; }
         int main(void) { struct s s = {{1, 2, 3, 4}}; f(s); return kept[1]; }",
        ViolationKind::UseAfterReturn,
    );
}

#[test]
fn frees_are_told_apart_behind_many_others() {
    let text = |used: &str| {
        format!(
            "static int *make(int n) {{ int *p = malloc(sizeof *p); *p = n; return p; }}
             int main(void) {{ int *kept = make(1); free(kept);
               for (int i = 0; i < 5000; i++) {{ int *p = make(i); free(p); }} {used} return 0; }}"
        )
    };
    violates(&text("return *kept;"), ViolationKind::UseAfterFree);
    violates(&text("free(kept);"), ViolationKind::DoubleFree);
    holds(&text(""), 1);
    let text = "int main(void) { unsigned long kept = (unsigned long)malloc(4) ^ 5; free((void *)(kept ^ 5));
        for (int i = 0; i < 5000; i++) { int *p = malloc(4); *p = i; free(p); } free((void *)(kept ^ 5)); return 0; }";
    violates(text, ViolationKind::DoubleFree);
}

#[test]
fn calls_may_be_nested_deeply() {
    holds(
        "unsigned f(unsigned n) { return n ? n + f(n - 1) : 0; } int main(void) { assert(f(19990) == 199810045u); return 0; }",
        1,
    );
    // Parted at the bottom, and merged nowhere.
    let text = "int f(int x, int n) { if (n) return f(x, n - 1); if (x > 5) exit(1); return x; }
        int main(void) { int x = __VERIFIER_nondet_int(); assert(f(x, 19990) <= 5); return 0; }";
    holds(text, 2);
}

#[test]
fn endless_recursion_is_given_up_with_a_reason() {
    let outcome = run("int f(int n) { return n < 0 ? 0 : f(n + 1) + 1; } int main(void) { return f(0); }");
    let [unexplored] = outcome.unexplored.as_slice() else { panic!("{:?}", outcome.violations) };
    assert_eq!(&*unexplored.why, "calls are nested more than 20000 deep");
}

/// Both ways of executing calls come to the same.
#[test]
fn calls_are_executed_directly_as_step_by_step() {
    for text in [
        "static int count; double half(double x) { count++; return x / 2; } int *same(int *p) { return p; }
         void nothing(void) {} int main(void) { double s = 1; int a[4] = {1, 2, 3, 4}; for (int i = 0; i < 50; i++) { s += half(s); nothing(); }
         int *p = same(a + 1); assert(*p == 2 && count == 50 && s > 1e8); return same(a)[3]; }",
        "int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } int main(void) { assert(fib(15) == 610); return 0; }",
        "int f(int *p, int n) { int x = n; if (n == 0) return *p; return f(n & 1 ? p : &x, n - 1) + *p; }
         int main(void) { int y = 7, x = __VERIFIER_nondet_int(); if (x < 0 || x > 9) return 1; return f(&y, 5) + f(&x, x); }",
        "char low(int x) { return x; } _Bool odd(unsigned x) { return x & 1; } int main(void) { return low(0x1234) == 0x34 && odd(7) ? 0 : 1; }",
        "int *f(void) { int x = 1; int *volatile p = &x; return p; } int main(void) { int *p = f(); int *q = f(); return p == q ? 1 : *q; }",
    ] {
        let program = compile(text);
        let outcomes = [true, false].map(|is_direct| execute(&program, &Options { is_direct, ..options() }));
        assert_eq!(outcomes[0], outcomes[1], "{text}");
        assert!(outcomes[0].paths.given_up == 0);
    }
}

//! Written tests of what `verify` finds: for every kind of finding a program, whose test fails, and its mend, whose test passes. What runs is
//! the C compiler's, not labrys.

use std::fs;

use crate::harness::Bench;
use crate::regression::{commands, fails_until_mended, finding_in};

/// A program with an error and what mends it.
struct Case {
    /// The finding's kind.
    kind: &'static str,
    /// Its source, in which a line stands for a place of either.
    source: &'static str,
    /// The part of the source that is wrong.
    wrong: &'static str,
    /// What takes its place.
    right: &'static str,
}

const fn case(kind: &'static str, source: &'static str, wrong: &'static str, right: &'static str) -> Case {
    Case { kind, source, wrong, right }
}

/// Mended programs end with codes that sanitizers and tests end with by themselves, too: 1, and those of what is no error.
const CASES: [Case; 18] = [
    case("assertion", "assert(n != 7); return 1;", "n != 7", "n != 7 || n == 7"),
    case("assertion", "if (n == 7) reach_error(); return n == 7;", "if (n == 7) reach_error();", ""),
    case("abort", "if (n == 5) abort(); return 1;", "n == 5", "n == 5 && n == 6"),
    case("unreachable", "if (n == 6) __builtin_unreachable(); return 1;", "n == 6", "n == 6 && n == 5"),
    case("out-of-bounds", "int a[8] = {0}; if (n > 3 && n < 9) a[n] = 1; return 1 + a[2];", "n < 9", "n < 8"),
    case(
        "out-of-bounds",
        "int *a = malloc(32); if (!a) return 0; if (n >= 0 && n < 9) a[n] = 1; free(a); return 1;",
        "n < 9",
        "n < 8",
    ),
    case(
        "read-only",
        "static const int table[2] = {1, 2}; if (n == 5) *(int *)&table[1] = 3; return table[0];",
        "n == 5",
        "n == 5 && n == 6",
    ),
    case(
        "use-after-free",
        "int *a = malloc(32); if (!a) return 0; a[1] = 1; free(a); if (n == 4) a[1] = 2; return 1;",
        "n == 4",
        "n == 4 && n == 6",
    ),
    case("use-after-return", "local(); if (n == 4) *kept = 2; return 1;", "n == 4", "n == 4 && n == 6"),
    case("double-free", "void *a = malloc(32); free(a); if (n == 4) free(a); return 1;", "n == 4", "n == 4 && n == 6"),
    case(
        "invalid-free",
        "char *a = malloc(32); if (!a) return 0; free(n == 4 ? a + 1 : a); return 1;",
        "a + 1 : a",
        "a : a",
    ),
    case("null", "int x = 1, *p = n == 77 ? 0 : &x; *p = 3; return 1;", "0 : &x", "&x : &x"),
    case(
        "overlap",
        "char a[16] = {0}; if (n > 0 && n < 9) memcpy(a + 4, a, (size_t)n); return 1;",
        "memcpy",
        "memmove",
    ),
    case(
        "uninitialised",
        "int x; if (n == 5) x = 1; if (n > 4 && n < 7 && x) return 1; return 2;",
        "n == 5",
        "n > 4 && n < 7",
    ),
    case("division-by-zero", "return 1 + 5 / (n - 3 ? n - 3 : n - 3);", ": n - 3", ": 1"),
    case("overflow", "return n + 1 > n;", "n + 1 > n", "n == 2147483647 || n + 1 > n"),
    case("shift", "return n > 0 && 1 << n;", "n > 0", "n > 0 && n < 31"),
    case("leak", "char *p = malloc(5); if (n != 5) free(p); p = 0; return 1;", "n != 5", "n == 5 || n != 5"),
];

/// The kinds of `docs/verify.md`.
const KINDS: &str = "assertion, out-of-bounds, read-only, use-after-free, use-after-return, double-free, invalid-free, null, overlap, \
    uninitialised, division-by-zero, overflow, shift, abort, unreachable, leak";

fn program(statements: &str) -> String {
    format!(
        "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\n#include <verifier.h>\n\
         int *kept;\nvoid local(void) {{ int x = 1; kept = &x; }}\n\
         int main(void) {{\n  int n = __VERIFIER_nondet_int();\n  {statements}\n}}\n"
    )
}

#[test]
fn every_kind_of_finding_has_a_test_that_fails_until_it_is_mended() {
    for kind in KINDS.split(", ") {
        assert!(CASES.iter().any(|case| case.kind == kind), "{kind}");
    }
    for case in &CASES {
        let source = program(case.source);
        let mended = source.replace(case.wrong, case.right);
        assert_ne!(source, mended, "{}", case.source);
        let bench = Bench::new(&[("p.c", &source)]);
        let properties = "assertions,memory,division,shift,overflow,leaks";
        bench.labrys(&["verify", "p.c", "--property", properties, "--time", "30s", "-o", "out"]).expect_code(1);
        let finding = finding_in(&bench, "out", |finding| finding["kind"] == case.kind);
        reproducer_is_as_recorded_until_mended(&bench, &finding, "p.c", (&source, &mended));
        fails_until_mended(&bench, &finding, &["ctest"], ("p.c", &mended));
    }
}

/// `ID.c` beside a finding says that the program ends by an error, and does not say so of the mended one.
fn reproducer_is_as_recorded_until_mended(bench: &Bench, finding: &str, name: &str, (source, mended): (&str, &str)) {
    let file = finding.replace(".json", ".c");
    let text = fs::read_to_string(bench.path().join(&file)).expect("a C file");
    let script = commands(&text).join(" && ").replace("$(labrys ", &format!("$({} ", env!("CARGO_BIN_EXE_labrys")));
    let script = format!("cd out && {script}");
    let before = bench.program("sh", &["-c", &script]);
    if before.code != 0 || !before.stdout.contains(": as recorded") {
        before.fail("the reproducer shows no error");
    }
    fs::write(bench.path().join(name), mended).expect("a source");
    let after = bench.program("sh", &["-c", &script]);
    if after.code != 1 || !after.stdout.contains("NOT as recorded") {
        after.fail("the reproducer takes the mended program for one with an error");
    }
    fs::write(bench.path().join(name), source).expect("a source");
}

/// Programs in C++ have tests, too: their main has another name, and its own library.
#[test]
fn programs_in_cpp_have_tests() {
    for main in ["main()", "main(int, char **)"] {
        let source = format!(
            "#include <verifier.h>\nint {main} {{\n  int n = __VERIFIER_nondet_int();\n  int *a = new int[4]();\n\
             if (n >= 0 && n < 5) a[n] = 1;\n  delete[] a;\n  return 1;\n}}\n"
        );
        let mended = source.replace("n < 5", "n < 4");
        let bench = Bench::new(&[("p.cpp", &source)]);
        bench.labrys(&["verify", "p.cpp", "-o", "out"]).expect_code(1);
        let finding = finding_in(&bench, "out", |finding| finding["kind"] == "out-of-bounds");
        reproducer_is_as_recorded_until_mended(&bench, &finding, "p.cpp", (&source, &mended));
        fails_until_mended(&bench, &finding, &["ctest"], ("p.cpp", &mended));
    }
}

/// Programs whose main is Rust's or Fortran's have tests: the languages' own compilers link a crate, and watch `error stop`.
#[test]
fn programs_in_rust_and_fortran_have_tests() {
    const RUST: &str = "extern \"C\" { fn __VERIFIER_nondet_int() -> i32; }\n\
        fn main() {\n\
          let n = unsafe { __VERIFIER_nondet_int() };\n\
          let a = vec![1, 2, 3];\n\
          if n >= 0 && n < 4 { std::process::exit(a[n as usize]); }\n\
        }\n";
    // Panics unwind here: rustc's own exit code tells them.
    let unwinding = format!("{RUST}fn caught() {{ let _ = std::panic::catch_unwind(|| ()); }}\n");
    const FORTRAN: &str = "program p\n  use verifier\n  integer :: n\n  n = nondet_int()\n\
        if (n > 5 .and. n < 7) error stop\n  if (n > 9) stop 3\nend program\n";
    let cases = [
        ("p.rs", RUST.to_owned(), ("n < 4", "n < 3"), "rust"),
        ("p.rs", unwinding, ("n < 4", "n < 3"), "ctest"),
        ("p.f90", FORTRAN.to_owned(), ("n < 7", "n < 6"), "fortran"),
    ];
    for (name, source, (wrong, right), kind) in cases {
        let mended = source.replace(wrong, right);
        let bench = Bench::new(&[(name, &source)]);
        bench.labrys(&["verify", name, "-o", "out"]).expect_code(1);
        let finding = finding_in(&bench, "out", |finding| finding["kind"] == "assertion");
        reproducer_is_as_recorded_until_mended(&bench, &finding, name, (&source, &mended));
        fails_until_mended(&bench, &finding, &[kind], (name, &mended));
    }
}

/// A mended program goes on, and asks for more than the recorded run did: each error in the first round of a loop had a test that no mend passed.
#[test]
fn a_mended_program_may_ask_for_more() {
    let source = program(
        "int sum = n; int a[4] = {0};\n  for (int i = 0; i < 3; i++) { int k = __VERIFIER_nondet_int(); \
         if (k >= 0 && k < 5) a[k] = 1; if (k == 9) break; }\n  return sum & 1;",
    );
    let mended = source.replace("k < 5", "k < 4");
    let bench = Bench::new(&[("p.c", &source)]);
    bench.labrys(&["verify", "p.c", "-o", "out"]).expect_code(1);
    let finding = finding_in(&bench, "out", |finding| finding["kind"] == "out-of-bounds");
    fails_until_mended(&bench, &finding, &["ctest", "fortran"], ("p.c", &mended));
}

/// What a user tells sanitizers does not keep them from failing a test, and neither does the program's own word to them.
#[test]
fn nothing_overrules_what_sanitizers_are_told() {
    let own = "const char *__asan_default_options(void) { return \"exitcode=0:detect_leaks=0:halt_on_error=0\"; }\n";
    let of = |statements: &str| own.to_owned() + &program(statements);
    let (source, mended) = ("int a[8] = {0}; if (n > 3 && n < 9) a[n] = 1; return a[2];", "return n > 5;");
    let bench = Bench::new(&[("p.c", &of(source))])
        .with_env("ASAN_OPTIONS", "exitcode=0:halt_on_error=0")
        .with_env("UBSAN_OPTIONS", "exitcode=0");
    bench.labrys(&["verify", "p.c", "-o", "out"]).expect_code(1);
    let finding = finding_in(&bench, "out", |finding| finding["kind"] == "out-of-bounds");
    fails_until_mended(&bench, &finding, &["ctest"], ("p.c", &of(mended)));
}

/// A name without a test is a failure, and the program sees what it sees when labrys runs it: no environment, no input.
#[test]
fn tests_run_as_labrys_runs_programs() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\n#include <verifier.h>\n\
        int main(void) {\n\
          int n = __VERIFIER_nondet_int();\n\
          if (getenv(\"HOME\") || getchar() != EOF) return 7;\n\
          return n > 5 ? 1 : 2;\n\
        }\n";
    let bench = Bench::new(&[("p.c", source)]);
    bench.labrys(&["verify", "p.c", "--tests", "t", "--emit", "ctest"]);
    let text = fs::read_to_string(bench.path().join("t/tests.c")).expect("tests");
    let script = format!("cd t && {}", commands(&text).join(" && "));
    let run = bench.program("sh", &["-c", &format!("{script} && echo x | ./tests test000001")]);
    run.expect_code(0);
    let run = bench.program("sh", &["-c", "cd t && ./tests test000001 nosuch"]);
    run.expect_code(1);
    assert!(run.stderr.contains("nosuch: there is no such test"), "{}", run.stderr);
}

//! Goals of `labrys cover` that were left unknown though they are decidable, and ones that were decided though they are not.

use serde_json::Value;

use crate::harness::{Bench, Run};

fn cover(bench: &Bench, arguments: &[&str]) -> (Run, Value) {
    let run = bench.labrys(&[&["cover", "--time", "120s", "--format", "json"], arguments].concat());
    let report = if run.code == 2 { Value::Null } else { run.json() };
    (run, report)
}

/// What is not covered: line, outcome, status.
fn left(report: &Value) -> Vec<(u64, String, String)> {
    let goals = report["coverage"]["goals"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let left = goals.iter().filter(|goal| goal["status"] != "covered");
    left.map(|goal| (goal["line"].as_u64().unwrap_or(0), text(&goal["outcome"]), text(&goal["status"]))).collect()
}

fn total(report: &Value) -> u64 {
    let totals = report["coverage"]["totals"].as_array().cloned().unwrap_or_default();
    totals.iter().find(|of| of["criterion"] == "branches").and_then(|of| of["total"].as_u64()).unwrap_or(0)
}

fn infeasible(line: u64, outcome: &str) -> (u64, String, String) {
    (line, outcome.to_owned(), "infeasible".to_owned())
}

/// Macros of system headers have empty spans in llvm-cov, and `assert` its condition twice.
#[test]
fn conditions_in_macros_of_system_headers_are_decided() {
    let source = "\
#include <math.h>
#include <assert.h>
int f(double x, float y, int n) {
  assert(x > -1e300);
  assert(n < 100 && n > -100);
  if (isnan(x)) return 1;
  if (signbit(y)) return 2;
  switch (fpclassify(x)) {
    case FP_INFINITE: return 3;
    case FP_ZERO: return 4;
    case FP_SUBNORMAL: return 5;
    default: break;
  }
  if (isinf(y) || isnormal(x)) return 6;
  return 7;
}
";
    let bench = Bench::new(&[("f.c", source)]);
    let (run, report) = cover(&bench, &["f.c", "-f", "f"]);
    run.expect_code(0);
    // x is no NaN behind the assertion, and normal where it is nothing else.
    let expected = [infeasible(6, "true"), infeasible(14, "false")];
    assert_eq!(left(&report), expected, "{report:#}");
    // Two of each condition, three cases and what is none of them.
    assert!(total(&report) >= 16, "{report:#}");
}

/// Under -ffast-math compilers may compute something else: what one choice cannot do another may.
#[test]
fn nothing_is_infeasible_where_compilers_may_change_results() {
    let source = "int f(double x) {\n  double y = x * x;\n  if (y < 0) return 1;\n  return 0;\n}\n";
    let bench = Bench::new(&[("f.c", source)]);
    let (run, report) = cover(&bench, &["f.c", "-f", "f"]);
    run.expect_code(0);
    assert_eq!(left(&report), [infeasible(3, "true")], "{report:#}");
    let (run, report) = cover(&bench, &["f.c", "-f", "f", "--", "-ffast-math"]);
    run.expect_code(3);
    assert_eq!(left(&report), [(3, "true".to_owned(), "unknown".to_owned())], "{report:#}");
    assert!(report["coverage"]["reasons"].to_string().contains("-ffast-math"), "{report:#}");
}

/// Everything was infeasible, and the exit code 0.
#[test]
fn assumptions_that_exclude_each_other_are_told() {
    let function = "int f(int n) {\n  if (n > 3) return 1;\n  return 0;\n}\n";
    let program = "\
#include <klee/klee.h>
int main(void) {
  int n;
  klee_make_symbolic(&n, sizeof n, \"n\");
  klee_assume(n > 3);
  klee_assume(n < 2);
  if (n == 5) return 1;
  return 0;
}
";
    let bench = Bench::new(&[("f.c", function), ("p.c", program)]);
    let (run, _) = cover(&bench, &["f.c", "-f", "f", "--assume", "n > 5", "--assume", "n < 4"]);
    run.expect_code(2);
    assert!(run.stderr.contains("no input satisfies all of --assume"), "{}", run.stderr);
    let (run, _) = cover(&bench, &["p.c"]);
    run.expect_code(2);
    assert!(run.stderr.contains("no input satisfies the program's assumption at p.c:6"), "{}", run.stderr);
    let (run, _) = cover(&bench, &["f.c", "-f", "f", "--assume", "n > 5"]);
    run.expect_code(0);
}

/// A declared array had one element, and a pointer that is compared with NULL was never null.
#[test]
fn arrays_have_their_declared_length_and_pointers_may_be_null() {
    let source = "\
#include <stddef.h>
#define LENGTH 3
int f(const unsigned char s[6], double x[LENGTH], int *out) {
  if (out == NULL) return -1;
  if (s[0] == 'a' && s[5] == 'z') *out = 3;
  if (x[2] > 0.5) return 2;
  return 0;
}
int g(const int *p) {
  if (!p) return 1;
  return *p == 77;
}
";
    let bench = Bench::new(&[("f.c", source)]);
    let (run, report) = cover(&bench, &["f.c", "-f", "f", "-o", "out"]);
    run.expect_code(0);
    assert!(left(&report).is_empty(), "{report:#}");
    let tests = report["coverage"]["tests"].as_array().cloned().unwrap_or_default();
    let is_null = |value: &Value| value["name"] == "out" && value["decimal"] == "NULL";
    let shows = |test: &Value| test["inputs"].as_array().is_some_and(|inputs| inputs.iter().any(is_null));
    assert!(tests.iter().any(shows) && !tests.iter().all(shows), "{tests:#?}");
    let text = std::fs::read_to_string(bench.path().join("out/tests/tests.c")).expect("tests");
    let script = crate::harness::commands_of(&text).join(" && ");
    let run = bench.program("sh", &["-c", &format!("cd out/tests && {script}")]);
    assert!(run.stdout.contains("as recorded") && !run.stdout.contains("NOT"), "{}{}", run.stdout, run.stderr);
    let (run, report) = cover(&bench, &["f.c", "-f", "g"]);
    run.expect_code(0);
    assert!(left(&report).is_empty(), "{report:#}");
}

/// clang makes `a && 1` of `a` and never counts the second condition, which was taken for a case of the function's switch, or for one of the macro's
/// conditions: infeasible, though runs come there.
#[test]
fn conditions_that_compilers_decide_are_never_infeasible() {
    let source = "\
#define BOTH(x) ((x) > 0 && 31 != 3)
int f(int j, int c) {
  switch (j & 3) {
    case 0:
      if (j > c && 31 != 3) return 1;
    case 1:
      if (BOTH(c)) return 2;
      return 3;
  }
  if ((j & 4) == 3) return 5;
  return 4;
}
";
    let bench = Bench::new(&[("f.c", source)]);
    let (_, report) = cover(&bench, &["f.c", "-f", "f"]);
    let unknown = |line: u64| (line, "true".to_owned(), "unknown".to_owned());
    assert_eq!(left(&report), [unknown(5), unknown(1), infeasible(10, "true")], "{report:#}");
}

/// `longjmp` leads to `setjmp` again: paths to it were left out as leading to nothing that was wanted.
#[test]
fn what_longjmp_leads_to_is_covered() {
    let source = "\
#include <setjmp.h>
#include <stdio.h>
static jmp_buf buffer;
int main(void) {
  volatile int retries = 0;
  if (setjmp(buffer)) {
    retries++;
    if (retries > 2)
      return 1;
  }
  if (getchar() == 'e')
    longjmp(buffer, 1);
  return 0;
}
";
    let bench = Bench::new(&[("f.c", source)]);
    let (_, report) = cover(&bench, &["f.c", "--stdin", "5"]);
    assert!(left(&report).iter().all(|(_, _, status)| status != "infeasible"), "{report:#}");
    // llvm-cov's counts of such a run do not add up, so that it is not known to be on the path.
    let (run, report) = cover(&bench, &["f.c", "--stdin", "5", "--path", "6:F,11:T,6:T,8:F,11:T,6:T,8:F,11:T,6:T,8:T"]);
    run.expect_code(3);
    assert!(left(&report).iter().all(|(_, _, status)| status != "infeasible"), "{report:#}");
}

/// llvm-cov counts one side of a branch and takes the rest for the other: where the condition's call does not return, that is a way that nobody
/// went, and where `setjmp` returns twice one is missing. The former was "covered", or a contradiction, the latter infeasible.
#[test]
fn what_a_call_that_does_not_return_makes_llvm_cov_count_is_not_covered() {
    let source = "\
#include <setjmp.h>
#include <stdlib.h>
static jmp_buf buffer;
static int die(int x) {
  if (x < 0)
    exit(1);
  return 1;
}
int once(int x) {
  if (die(x))
    return 1;
  return 2;
}
int often(int x) {
  int n = 0;
  for (; die(x); x--)
    n++;
  return n;
}
int again(int k) {
  switch (setjmp(buffer)) {
  case 0:
    if (k > 3)
      longjmp(buffer, 1);
    return 0;
  default:
    return 9;
  }
}
";
    let bench = Bench::new(&[
        ("f.c", source),
        (
            "f.rs",
            "#[unsafe(no_mangle)]\npub fn f(i: usize) -> i32 {\n    let v = [1, 2, 3];\n    if v[i] > 0 {\n        return 1;\n    }\n    2\n}\n",
        ),
    ]);
    let status = |arguments: &[&str], line: u64, outcome: &str| -> String {
        let (run, report) = cover(&bench, &[arguments, &["--max-paths", "200"]].concat());
        assert!(!run.stdout.contains("please report"), "{}", run.stdout);
        let found = left(&report).into_iter().find(|(at, of, _)| *at == line && of == outcome);
        found.map_or_else(|| "covered".to_owned(), |(_, _, status)| status)
    };
    assert_eq!(status(&["f.c", "-f", "once"], 10, "true"), "covered");
    assert_eq!(status(&["f.c", "-f", "once"], 10, "false"), "unknown");
    assert_ne!(status(&["f.c", "-f", "once", "--goal", "lines"], 12, ""), "covered");
    assert_ne!(status(&["f.c", "-f", "often", "--goal", "lines"], 18, ""), "covered");
    assert_eq!(status(&["f.c", "-f", "again"], 22, "false"), "unknown");
    assert_eq!(status(&["f.c", "-f", "again"], 22, "true"), "covered");
    assert_ne!(status(&["f.rs", "-f", "f"], 4, "false"), "covered");
}

//! `labrys cover` as a user meets it, and its law: covered is what llvm-cov counted in native runs, infeasible what was proved.

use std::fs;

use serde_json::Value;

use crate::harness::{Bench, Run, commands_of};

/// A run whose report is read.
fn cover(bench: &Bench, arguments: &[&str]) -> (Run, Value) {
    let run = bench.labrys(&[&["cover"], arguments, &["--format", "json"]].concat());
    let report = run.json();
    (run, report)
}

/// The counts of a criterion: all, covered, infeasible.
fn counts(report: &Value, criterion: &str) -> (u64, u64, u64) {
    let totals = report["coverage"]["totals"].as_array().cloned().unwrap_or_default();
    let of = totals.iter().find(|of| of["criterion"] == criterion).cloned().unwrap_or_default();
    let number = |member: &str| of[member].as_u64().unwrap_or(u64::MAX);
    (number("total"), number("covered"), number("infeasible"))
}

/// What is not covered, as line and outcome with the status.
fn left(report: &Value) -> Vec<(u64, String, String)> {
    let goals = report["coverage"]["goals"].as_array().cloned().unwrap_or_default();
    let left = goals.iter().filter(|goal| goal["status"] != "covered");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    left.map(|goal| (goal["line"].as_u64().unwrap_or(0), text(&goal["outcome"]), text(&goal["status"]))).collect()
}

fn tests(report: &Value) -> usize {
    report["coverage"]["tests"].as_array().map_or(0, Vec::len)
}

/// Its last two conditions exclude each other, though neither a compiler nor an interval knows.
const CLAMP: &str = "\
#include <math.h>
static double inner(double t) {
  if (t == 0.30000000000000004) return 7;
  return t;
}
double f(double x, int n) {
  double y = 0;
  if (x > 1e300 && n == 12345678) y = 1;
  if (isnan(x)) y = 2;
  switch (n) {
  case 4: y += 1; break;
  case -9: y += inner(x + 0.1); break;
  }
  double square = x * x;
  if (square < 0) y = -1;
  return y;
}
";

#[test]
fn branches_are_covered_or_infeasible() {
    let bench = Bench::new(&[("f.c", CLAMP)]);
    let (run, report) = cover(&bench, &["f.c", "-f", "f", "--tests", "t"]);
    run.expect_code(0);
    assert_eq!(left(&report), [(15, "true".to_owned(), "infeasible".to_owned())], "{report:#}");
    let (total, covered, infeasible) = counts(&report, "branches");
    assert_eq!((total, covered, infeasible), (16, 15, 1), "{report:#}");
    assert!((4..=8).contains(&tests(&report)), "few tests, not {}", tests(&report));
    // The tests are a program of their own, that says when what is computed changes.
    let text = fs::read_to_string(bench.path().join("t/tests.c")).expect("tests.c");
    let script = commands_of(&text).join(" && ").replace("$(labrys verify --print-include-dir)", ".");
    let again = bench.program("sh", &["-c", &format!("cd t && {script}")]);
    again.expect_code(0);
    fs::write(bench.path().join("f.c"), CLAMP.replace("return 7", "return 8")).expect("a file");
    let changed = bench.program("sh", &["-c", &format!("cd t && {script}")]);
    assert!(changed.code != 0, "{}\n{}\n{}", changed.shown, changed.stdout, changed.stderr);
}

#[test]
fn a_function_alone_leaves_out_what_it_calls() {
    let bench = Bench::new(&[("f.c", CLAMP)]);
    let (run, report) = cover(&bench, &["f.c", "-f", "f", "--scope", "function"]);
    run.expect_code(0);
    assert_eq!(counts(&report, "branches"), (14, 13, 1), "{report:#}");
    // A function that other files do not see.
    let (run, report) = cover(&bench, &["f.c", "-f", "inner"]);
    run.expect_code(0);
    assert_eq!((counts(&report, "branches"), tests(&report)), ((2, 2, 0), 2), "{report:#}");
}

#[test]
fn lines_decisions_and_paths_are_goals_too() {
    let source = "\
int f(int a, int b, int c) {
  if ((a > 3 && b > 3) || c == 77)
    return 1;
  if (a * 2 == 7)
    return 2;
  return 3;
}
int g(float x) {
  int n = 0;
  while (x > 1.0f && n < 3) {
    x = x / 2;
    n++;
  }
  return n;
}
";
    let bench = Bench::new(&[("f.c", source)]);
    let (run, report) = cover(&bench, &["f.c", "-f", "f", "--goal", "lines"]);
    run.expect_code(0);
    assert_eq!(left(&report), [(5, String::new(), "infeasible".to_owned())], "{report:#}");
    assert_eq!(tests(&report), 2, "{report:#}");
    let (run, report) = cover(&bench, &["f.c", "-f", "f", "--goal", "mcdc"]);
    run.expect_code(0);
    assert_eq!(counts(&report, "mcdc"), (3, 3, 0), "{report:#}");
    assert!(tests(&report) >= 4, "n conditions want n + 1 tests");
    let (run, report) = cover(&bench, &["f.c", "-f", "g", "--goal", "paths"]);
    run.expect_code(0);
    // Not at all, once, twice, and three times: because of x, or because of n.
    assert_eq!((counts(&report, "paths").0, tests(&report)), (5, 5), "{report:#}");
}

#[test]
fn arguments_of_every_kind_are_inputs() {
    let source = "\
#include <stdbool.h>
struct point { float x; short tag; double z[2]; };
int structs(struct point p, bool b) {
  if (p.tag == -321 && b) return 1;
  if (p.z[1] == p.x + 0.5 && p.x > 3) return 2;
  return 0;
}
double arrays(const double *a, int n, double *out) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i];
  out[0] = sum;
  if (n == 3 && sum == 1234.5) return 1;
  return 0;
}
long double wide(long double x) { return x == 1.5L ? 2 : x; }
";
    let bench = Bench::new(&[("f.c", source)]);
    for (arguments, branches) in [
        (&["f.c", "-f", "structs"][..], (8, 8, 0)),
        (&["f.c", "-f", "arrays", "--length", "a=n", "--length", "out=1"], (6, 6, 0)),
        (&["f.c", "-f", "wide"], (2, 2, 0)),
    ] {
        let (run, report) = cover(&bench, arguments);
        run.expect_code(0);
        assert_eq!(counts(&report, "branches"), branches, "{arguments:?}\n{report:#}");
    }
}

/// What `--assume` and `--range` exclude is infeasible, and no test has it.
#[test]
fn only_inputs_that_are_admitted_count() {
    let source = "int f(double x, int n) { if (x < n) return 1; if (n == 5) return 2; return 3; }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let (run, report) = cover(&bench, &["f.c", "-f", "f", "--assume", "x > n", "--range", "n=0..4"]);
    run.expect_code(0);
    assert_eq!(counts(&report, "branches"), (4, 2, 2), "{report:#}");
    for test in report["coverage"]["tests"].as_array().cloned().unwrap_or_default() {
        let number = |index: usize| test["inputs"][index]["decimal"].as_str().unwrap_or("").parse().unwrap_or(f64::NAN);
        assert!(number(0) > number(1) && (0.0..=4.0).contains(&number(1)), "{test:#}");
    }
}

#[test]
fn whole_programs_and_other_languages() {
    let program = "\
int __VERIFIER_nondet_int(void);
static int g(int x) { return x > 40 ? x / 2 : x; }
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (g(x) == 21) return 1;
  return 0;
}
";
    let template = "\
template <typename T> static T larger(T a, T b) { return a > b ? a : b; }
namespace n { double f(double a, double b) { return larger(a, b) == 2.5 ? 1 : larger<double>(b, 0); } }
";
    let bench = Bench::new(&[
        ("p.c", program),
        ("t.cpp", template),
        ("f.f90", "real function f(x)\n  real :: x\n  f = x\nend function\n"),
        ("two.c", "int f(int x) { return x; }\nint g(int x) { return x; }\n"),
        ("variadic.c", "int f(int x, ...) { return x; }\n"),
    ]);
    let (run, report) = cover(&bench, &["p.c", "--tests", "t", "--test-format", "test-comp"]);
    run.expect_code(0);
    assert_eq!(counts(&report, "branches"), (4, 4, 0), "{report:#}");
    let suite = fs::read_to_string(bench.path().join("t/metadata.xml")).expect("metadata.xml");
    assert!(suite.contains("COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE@)) )"), "{suite}");
    assert!(bench.path().join("t/test000001.xml").is_file());
    let (run, report) = cover(&bench, &["t.cpp", "-f", "n::f"]);
    run.expect_code(0);
    assert_eq!(counts(&report, "branches").1, counts(&report, "branches").0, "{report:#}");
    for (arguments, words) in [
        (&["f.f90"][..], "Fortran"),
        (&["two.c"], "choose one with -f: f, g"),
        (&["two.c", "-f", "h"], "no function h"),
        (&["none.c"], "none.c"),
        (&["two.c", "-f", "main"], "it defines no main"),
        (&["variadic.c", "-f", "f"], "f"),
        (&["two.c", "-f", "f", "--assume", "y > 0"], "y"),
        (&["two.c", "-f", "f", "--goal", "statements"], "statements"),
        (&["two.c", "-f", "f", "-o", "two.c/x"], "two.c"),
    ] {
        let run = bench.labrys(&[&["cover"], arguments].concat());
        run.expect_code(2);
        if !run.stderr.contains(words) || !run.stdout.is_empty() {
            run.fail(&format!("a line with: {words}"));
        }
    }
}

/// What time does not suffice for is unknown, and says so.
#[test]
fn what_is_not_decided_is_unknown() {
    let source = "\
unsigned f(unsigned x) {
  unsigned h = 2166136261u;
  for (int i = 0; i < 40; i++) h = (h ^ (x >> (i & 15))) * 16777619u + (h >> 7);
  if (h == 0x12345678u) return 1;
  return h;
}
";
    let bench = Bench::new(&[("f.c", source)]);
    let run = bench.labrys(&["cover", "f.c", "-f", "f", "--time", "6s", "-o", "out"]);
    if run.code == 3 {
        assert!(run.stdout.contains("unknown: "), "{}", run.stdout);
    } else {
        run.expect_code(0);
    }
    let report = fs::read_to_string(bench.path().join("out/report.json")).expect("report.json");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let (total, covered, infeasible) = counts(&report, "branches");
    assert_eq!((total, covered + infeasible == total), (4, run.code == 0), "{report:#}");
    let page = fs::read_to_string(bench.path().join("out/report.html")).expect("report.html");
    assert!(page.contains("</html>"));
    // A report of what tests cover has nothing to replay.
    let again = bench.labrys(&["replay", "out/report.json"]);
    again.expect_code(2);
    assert!(again.stderr.contains("tests"), "{}", again.stderr);
}

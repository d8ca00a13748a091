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
        (&["f.f90", "--goal", "mcdc"][..], "--goal mcdc is for C and C++"),
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

/// An interrupt ends the execution, and what was found until then is there.
#[test]
fn an_interrupt_leaves_tests_and_report() {
    let source = "\
int f(unsigned x, unsigned y) {
  if (x == 7) return 1;
  unsigned h = x;
  for (unsigned i = 0; i < 64; i++) h = (h ^ y) * 16777619u + (h >> 7) * (y | 1);
  if (h == 0x12345678u) return 2;
  for (unsigned i = 0; i < y; i++) if (h == i * 77777u) return 3;
  return 0;
}
int main(void) { return 0; }
";
    let verified = "\
unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
  unsigned long h = 1;
  for (unsigned i = 0; i != x; i++) h = (h ^ i) * 1099511628211ul + (h >> 7);
  return 10 / (h != 0x123456789abcdefaul);
}
";
    let bench = Bench::new(&[("f.c", source), ("v.c", verified)]);
    let interrupted = |rest: &str| {
        let labrys = env!("CARGO_BIN_EXE_labrys");
        bench.program("sh", &["-c", &format!("timeout --foreground -k 40 -s INT 5 {labrys} {rest}")])
    };
    let begun = std::time::Instant::now();
    let run = interrupted("cover f.c -f f --time 300s -o out");
    let report = fs::read_to_string(bench.path().join("out/report.json")).unwrap_or_else(|_| run.fail("no report"));
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert!(tests(&report) > 0 && bench.path().join("out/tests/tests.c").is_file(), "{report:#}");
    assert_eq!(report["status"], "limit", "{report:#}");
    assert!(run.stdout.contains("the run was interrupted"), "{}", run.stdout);
    let run = interrupted("verify v.c --time 300s -o verified");
    let report =
        fs::read_to_string(bench.path().join("verified/report.json")).unwrap_or_else(|_| run.fail("no report"));
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!((report["verdict"].as_str(), report["status"].as_str()), (Some("unknown"), Some("limit")), "{report:#}");
    assert!(begun.elapsed().as_secs() < 120, "{:?}", begun.elapsed());
}

/// A path has an input that takes it, as a program of its own says, or a proof that none does.
#[test]
fn a_path_has_an_input_or_none() {
    let source = "\
double bisect(double target) {
  double low = 0, high = 4;
  int n = 0;
  while (high - low > 0.25) {
    double middle = (low + high) / 2;
    if (!(middle * middle < target))
      high = middle;
    else
      low = middle;
    if (n++ > 50 && low > 1)
      return -1;
  }
  return low;
}
";
    let bench = Bench::new(&[("f.c", source)]);
    // The loop runs four times: 16 ways, of which sixteen ranges of the target's root decide.
    for ways in [0b0000_u32, 0b0110, 0b1001, 0b1111] {
        let steps: Vec<&str> = (0..4).map(|bit| if ways >> bit & 1 == 1 { "6:T" } else { "6:F" }).collect();
        let (run, report) = cover(&bench, &["f.c", "--path", &steps.join(",")]);
        run.expect_code(0);
        assert_eq!((counts(&report, "paths"), tests(&report)), ((1, 1, 0), 1), "{report:#}");
        let target: f64 = report["coverage"]["tests"][0]["inputs"][0]["decimal"]
            .as_str()
            .and_then(|text| text.parse().ok())
            .unwrap_or_else(|| run.fail("no number"));
        let (mut low, mut high, mut taken) = (0.0_f64, 4.0_f64, 0);
        for bit in 0..4 {
            let middle = f64::midpoint(low, high);
            if middle * middle < target {
                low = middle;
            } else {
                high = middle;
                taken |= 1 << bit;
            }
        }
        assert_eq!(taken, ways, "{target}");
    }
    for (path, status) in
        [("4:T,4:T,4:T,4:T,4:T", "infeasible"), ("10:T", "infeasible"), ("4:t,6:true,10:F,4:T", "covered")]
    {
        let (run, report) = cover(&bench, &["f.c", "--path", path]);
        run.expect_code(0);
        assert_eq!(report["coverage"]["goals"][0]["status"], status, "{report:#}");
    }
    // No run comes to the second condition of line 10, so that nothing tells which of its edges is which.
    let (run, report) = cover(&bench, &["f.c", "--path", "10:F,10:F,10:F,10:F,10:F", "--time", "30s"]);
    run.expect_code(0);
    assert_eq!(report["coverage"]["goals"][0]["status"], "infeasible", "{report:#}");
    for (path, words) in [("3:T", "line 3 of f.c has no condition"), ("4:X", "`4:X` is no step"), ("", "is no step")] {
        let run = bench.labrys(&["cover", "f.c", "--path", path]);
        run.expect_code(2);
        assert!(run.stderr.contains(words) && run.stderr.lines().count() == 1, "{}", run.stderr);
    }
    bench.labrys(&["cover", "f.c", "--path", "4:T", "--goal", "lines"]).expect_code(2);
}

/// The inputs of all tests, by name.
fn inputs(report: &Value, name: &str) -> Vec<f64> {
    let tests = report["coverage"]["tests"].as_array().cloned().unwrap_or_default();
    let of = |test: &Value| {
        let inputs = test["inputs"].as_array().cloned().unwrap_or_default();
        let value = inputs.iter().find(|value| value["name"] == name)?.clone();
        let bits = u64::from_str_radix(value["bits"].as_str()?.strip_prefix("0x")?, 16).ok()?;
        let is_float = value["type"] == "float";
        Some(if is_float { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) })
    };
    tests.iter().filter_map(of).collect()
}

#[test]
fn comparisons_have_tests_on_both_sides_of_their_boundaries() {
    let source = "\
double f(double x, float y, double z) {
  if (x < 0.3) return 0.3;
  if (y >= 1.5f) return y;
  if (x * x < 2) return 1;
  if (z == x) return z;
  return x;
}
";
    let bench = Bench::new(&[("f.c", source)]);
    let (run, report) = cover(&bench, &["f.c", "--goal", "boundaries"]);
    // Of x * x < 2 equality and the float below are no squares of doubles, which is searched for and not proved.
    run.expect_code(3);
    let (unknown, status) = (|outcome: &str| (4, outcome.to_owned(), "unknown".to_owned()), left(&report));
    assert_eq!(status, [unknown("equal"), unknown("just below")], "{report:#}");
    assert_eq!(counts(&report, "boundaries"), (12, 10, 0), "{report:#}");
    let reasons = report["coverage"]["reasons"].to_string();
    assert!(reasons.contains("came to within 1 float of it"), "{reasons}");
    // What it says is so, by the processor's own comparisons.
    let (x, y, z) = (inputs(&report, "x"), inputs(&report, "y"), inputs(&report, "z"));
    for at in [0.3, 0.3f64.next_down(), 0.3f64.next_up()] {
        assert!(x.contains(&at), "x = {at}");
    }
    for at in [1.5, 1.5f32.next_down(), 1.5f32.next_up()] {
        assert!(y.iter().zip(&x).any(|(y, x)| *y == f64::from(at) && (*x >= 0.3 || x.is_nan())), "y = {at}");
    }
    assert!(x.iter().any(|x| x * x == 2f64.next_up()));
    let pairs: Vec<(f64, f64)> = z.into_iter().zip(x).collect();
    let shows = |beside: fn(f64) -> f64| pairs.iter().any(|(z, x)| beside(*z) == *x);
    assert!(shows(|z| z) && shows(f64::next_up) && shows(f64::next_down), "{pairs:?}");
}

#[test]
fn boundaries_are_found_beside_other_goals_or_infeasible() {
    let source = "\
double largest(int n, const double *x) {
  double m = x[0];
  for (int i = 1; i < n; i++)
    if (x[i] > m) m = x[i];
  if (n > 100 && m < 1) return 1;
  return m;
}
";
    let bench = Bench::new(&[("f.c", source)]);
    let arguments = ["f.c", "--length", "x=n", "--range", "n=1..4", "--boundaries"];
    let (run, report) = cover(&bench, &arguments);
    run.expect_code(0);
    // No input comes to the comparison behind n > 100.
    assert_eq!(counts(&report, "boundaries"), (6, 3, 3), "{report:#}");
    let (run, report) = cover(&bench, &["f.c", "--length", "x=n", "--range", "n=1..4"]);
    run.expect_code(0);
    assert_eq!(counts(&report, "boundaries"), (u64::MAX, u64::MAX, u64::MAX), "nobody asked for them");
}

/// clang makes an intrinsic of `floor`, for which the processor this is compiled for has no instruction: what is called is the file's own.
#[test]
fn a_file_may_define_functions_of_libm_itself() {
    let source = "\
double floor(double x) { return x < 0 ? -1.0 : 1.0; }
int f(double x) {
  double y = floor(x);
  if (y == x) return 1;
  if (y > 0.5 && x < 0.5) return 2;
  return 0;
}
";
    let bench = Bench::new(&[("f.c", source)]);
    let (run, report) = cover(&bench, &["f.c", "-f", "f"]);
    run.expect_code(0);
    assert_eq!(counts(&report, "branches"), (8, 8, 0), "{report:#}");
}

/// `sin` is 1 at one double in 10^16, and `cos` -1: chance does not meet them, and the solver knows libm's values only near the true ones.
#[test]
fn branches_at_extremes_of_libm_are_covered() {
    let text = "#include <math.h>\nint f(double x) {\n  if (sin(x) == 1) return 1;\n  if (cos(x) == -1) return 2;\n  if (log10(x) == 3) return 3;\n  return 0;\n}\n";
    let bench = Bench::new(&[("f.c", text)]);
    let (_, report) = cover(&bench, &["f.c", "-f", "f", "--time", "30s"]);
    assert_eq!(left(&report), [], "{report}");
}

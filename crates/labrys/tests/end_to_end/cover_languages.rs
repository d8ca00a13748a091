//! `labrys cover` of Rust and Fortran, and of functions that get a caller in their own language.

use std::fs;

use serde_json::Value;

use crate::harness::{Bench, Run, commands_of};

/// A run, its goals as line, outcome and status, and how many tests it has.
fn cover(bench: &Bench, arguments: &[&str]) -> (Run, Vec<(u64, String, String)>, usize) {
    let run = bench.labrys(&[&["cover", "--time", "120s", "--format", "json"], arguments].concat());
    let report = run.json();
    let goals = report["coverage"]["goals"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let goals = goals
        .iter()
        .map(|goal| (goal["line"].as_u64().unwrap_or(0), text(&goal["outcome"]), text(&goal["status"])))
        .collect();
    (run, goals, report["coverage"]["tests"].as_array().map_or(0, Vec::len))
}

/// What is not covered.
fn left(goals: &[(u64, String, String)]) -> Vec<(u64, &str, &str)> {
    let left = goals.iter().filter(|(_, _, status)| status != "covered");
    left.map(|(line, outcome, status)| (*line, outcome.as_str(), status.as_str())).collect()
}

/// The file of tests builds and passes without labrys; with the source changed it fails.
fn tests_tell(bench: &Bench, file: &str, from: &str, to: &str) {
    let text = fs::read_to_string(bench.path().join("t/tests.c")).expect("tests.c");
    let script = format!("cd t && {}", commands_of(&text).join(" && "));
    assert!(!script.contains("labrys verify"), "{script}");
    bench.program("sh", &["-c", &script]).expect_code(0);
    let source = fs::read_to_string(bench.path().join(file)).expect("the source");
    assert!(source.contains(from), "{source}");
    fs::write(bench.path().join(file), source.replace(from, to)).expect("a source");
    let changed = bench.program("sh", &["-c", &script]);
    assert!(changed.code != 0, "{}\n{}\n{}", changed.shown, changed.stdout, changed.stderr);
}

const RUST: &str = "\
pub fn root(p: f64, q: f64) -> f64 {
    let d = p * p;
    if d < 0.0 {
        return -1.0;
    }
    if q > 1e6 && q < 1e7 || p == 12345.0 {
        return half(q);
    }
    match (q > 0.0) as i32 {
        1 => 1.0,
        _ => 2.0,
    }
}
fn half(x: f64) -> f64 {
    let mut i = 0;
    while i < 2 && x > 2e6 {
        i += 1;
    }
    if let Some(y) = positive(x) {
        return y / 2.0 + i as f64;
    }
    0.0
}
fn positive(x: f64) -> Option<f64> {
    if x > 0.0 { Some(x) } else { None }
}
pub fn third(v: *const f64, n: usize) -> f64 {
    let v = unsafe { std::slice::from_raw_parts(v, n) };
    if v[2] > 0.5 { 1.0 } else { 2.0 }
}
";

#[test]
fn branches_of_rust() {
    let bench = Bench::new(&[("f.rs", RUST)]);
    let (run, goals, tests) = cover(&bench, &["f.rs", "-f", "root", "--tests", "t"]);
    run.expect_code(0);
    // A square is not negative, and NaN is no number below another.
    assert_eq!(left(&goals), [(3, "true", "infeasible")], "{goals:?}");
    // The first condition and those of three decisions; the pattern; the last function's. `match` has no counters.
    assert_eq!(goals.len(), 16, "{goals:?}");
    assert!((3..=8).contains(&tests), "{tests}");
    tests_tell(&bench, "f.rs", "y / 2.0", "y / 4.0");
}

#[test]
fn lines_and_private_functions_of_rust() {
    let bench = Bench::new(&[("f.rs", RUST)]);
    let (run, goals, _) = cover(&bench, &["f.rs", "-f", "root", "--goal", "lines"]);
    run.expect_code(0);
    assert_eq!(left(&goals), [(4, "", "infeasible")], "{goals:?}");
    let (run, goals, _) = cover(&bench, &["f.rs", "-f", "half", "--scope", "function"]);
    run.expect_code(0);
    assert_eq!((goals.len(), left(&goals)), (6, vec![]), "{goals:?}");
    // A panic ends the run that it is in, and what it covered is known.
    let (run, goals, _) = cover(&bench, &["f.rs", "-f", "third", "--length", "v=n"]);
    run.expect_code(0);
    assert_eq!((goals.len(), left(&goals)), (2, vec![]), "{goals:?}");
}

#[test]
fn programs_in_rust_are_covered() {
    let source = "\
extern \"C\" {
    fn __VERIFIER_nondet_double() -> f64;
}
fn main() {
    let x = unsafe { __VERIFIER_nondet_double() };
    if x > 3.0 && x * x < 16.0 {
        println!(\"{x}\");
    }
    if x.abs() < 0.0 {
        println!(\"never\");
    }
}
";
    let bench = Bench::new(&[("p.rs", source)]);
    let (run, goals, _) = cover(&bench, &["p.rs"]);
    run.expect_code(0);
    assert_eq!(left(&goals), [(9, "true", "infeasible")], "{goals:?}");
}

#[test]
fn what_rust_and_fortran_do_not_have_is_refused() {
    let bench = Bench::new(&[("f.rs", RUST), ("f.f90", FORTRAN)]);
    let refused = |arguments: &[&str], words: &str| {
        let run = bench.labrys(&[&["cover"], arguments].concat());
        run.expect_code(2);
        assert!(run.stderr.contains(words) && run.stderr.lines().count() == 1, "{}", run.stderr);
    };
    refused(&["f.rs", "-f", "root", "--goal", "mcdc"], "--goal mcdc is for C and C++");
    refused(&["f.rs", "-f", "root", "--", "-C", "panic=unwind"], "panic=unwind");
    refused(&["f.f90", "-f", "norm", "--goal", "mcdc"], "--goal mcdc is for C and C++");
    refused(&["f.f90", "-f", "norm", "--path", "12:T"], "--path is for C, C++ and Rust");
}

const FORTRAN: &str = "\
module norms
  implicit none
contains
  real(8) function norm(x)
    real(8), intent(in) :: x(:)
    integer :: i
    norm = 0
    do i = 1, size(x)
      if (x(i) > 1d6 .and. x(i) < 2d6) then
        norm = norm + x(i)
      else if (x(i) * x(i) < 0d0) then
        norm = -1
      end if
    end do
    if (norm == 0d0) norm = shift(x(1))
  end function
  real(8) function shift(y)
    real(8), intent(in) :: y
    select case (int(min(max(y, 0d0), 9d0)))
    case (4)
      shift = 4
    case default
      shift = y
    end select
  end function
end module
";

#[test]
fn branches_and_lines_of_fortran() {
    let bench = Bench::new(&[("f.f90", FORTRAN)]);
    let (run, goals, _) = cover(&bench, &["f.f90", "-f", "norm", "--length", "x=2", "--tests", "t"]);
    run.expect_code(0);
    assert_eq!(left(&goals), [(11, "to line 12", "infeasible")], "{goals:?}");
    assert!(goals.iter().any(|(line, outcome, _)| *line == 8 && outcome.starts_with("to line ")), "{goals:?}");
    tests_tell(&bench, "f.f90", "shift = 4", "shift = 5");
    let bench = Bench::new(&[("f.f90", FORTRAN)]);
    let (run, goals, _) =
        cover(&bench, &["f.f90", "-f", "norm", "--length", "x=2", "--goal", "lines", "--", "-ffree-form"]);
    run.expect_code(0);
    assert_eq!(left(&goals), [(12, "", "infeasible")], "{goals:?}");
}

const CPP: &str = "\
#include <vector>
double mean(const std::vector<double> &v) {
  double s = 0;
  for (double x : v) s += x;
  if (v.empty()) return 0;
  if (s * s < 0) return 1;
  return s / v.size();
}
template <class T> T clip(T x, T top) { return x > top ? top : x; }
class Filter {
  std::vector<double> kept;
public:
  explicit Filter(double first) : kept{first} {}
  double push(double x) {
    if (x > kept[0] + 100) return 0;
    return x;
  }
};
double used(double x) { return Filter(x).push(x); }
";

#[test]
fn functions_of_cpp_that_need_a_caller() {
    let bench = Bench::new(&[("f.cpp", CPP)]);
    let (run, goals, _) =
        cover(&bench, &["f.cpp", "-f", "mean", "--scope", "function", "--tests", "t", "--", "-std=c++20"]);
    run.expect_code(0);
    assert_eq!(left(&goals), [(6, "true", "infeasible")], "{goals:?}");
    assert_eq!(goals.len(), 6, "{goals:?}");
    tests_tell(&bench, "f.cpp", "v.empty()) return 0", "v.empty()) return 3");
    let bench = Bench::new(&[("f.cpp", CPP)]);
    for function in ["clip<float>", "Filter::push"] {
        let (run, goals, _) = cover(&bench, &["f.cpp", "-f", function, "--scope", "function"]);
        run.expect_code(0);
        assert_eq!((goals.len(), left(&goals)), (2, vec![]), "{function}: {goals:?}");
    }
}

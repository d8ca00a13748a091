//! `--time` bounds everything, whatever the code under test does.

use std::time::{Duration, Instant};

use crate::harness::Bench;

/// A batch of slow calls once ran to its end: ten minutes under `--time 2s`.
#[test]
fn slow_code_does_not_run_past_the_limit() {
    let source = "#include <unistd.h>\ndouble f(double x, double y) { usleep(500000); return x / x + y; }\n";
    let bench = Bench::new(&[("slow.c", source)]);
    let begun = Instant::now();
    let run = bench.labrys(&["diff", "slow.c", "--time", "2s", "--format", "json"]);
    let took = begun.elapsed();
    if !matches!(run.code, 1 | 3) {
        run.fail("expected findings or a run cut short");
    }
    assert_eq!(run.json()["status"], "limit");
    // Starting processes on a loaded machine takes its time; one batch of calls would take eight minutes.
    assert!(took < Duration::from_secs(10), "{took:?}");
}

/// A variant whose unrolled loop some path runs for thousands of known rounds: conditions once were collected for minutes.
#[test]
fn counted_loops_do_not_run_past_the_limit() {
    let source = "double f(double a, int n) {\n  for (int i = 0; i < n; i++) a = a * a + 1;\n  return a;\n}\n";
    let bench = Bench::new(&[("f.c", source)]);
    let begun = Instant::now();
    let run = bench.labrys(&["diff", "f.c", "--time", "4s", "--format", "json"]);
    let took = begun.elapsed();
    if !matches!(run.code, 1 | 3) {
        run.fail("expected findings or a run cut short");
    }
    assert!(took < Duration::from_secs(20), "{took:?}");
}

/// The only pair stayed open because the solver's time was over, and the run said that it was complete and found nothing: exit code 0, by which continuous
/// integration takes a function for clean.
#[test]
fn what_a_solver_had_no_time_for_is_not_done() {
    let source = "#include <math.h>\ndouble heron(double a, double b, double c) {\n  \
                  if (!(a > 0 && b > 0 && c > 0 && a < 1e50 && b < 1e50 && c < 1e50)) return 0;\n  \
                  if (a + b <= c || b + c <= a || a + c <= b) return 0;\n  double s = (a + b + c) / 2;\n  \
                  return sqrt(s * (s - a) * (s - b) * (s - c));\n}\n";
    let bench = Bench::new(&[("heron.c", source)]);
    let arguments = ["exceptions", "heron.c", "--inputs", "finite", "--only", "invalid", "--time", "2s"];
    let run = bench.labrys(&[&arguments[..], &["--format", "json"]].concat());
    run.expect_code(3);
    assert_eq!(run.json()["status"], "limit");
}

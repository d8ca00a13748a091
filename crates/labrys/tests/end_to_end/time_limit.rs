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

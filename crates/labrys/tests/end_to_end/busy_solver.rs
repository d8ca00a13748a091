//! Limits and interrupts of whole programs while the solver is busy with one question.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::Bench;

/// What goes wrong is found at once; then a question follows that takes the solver much longer than any limit here.
const HARD: &str = "\
#include <klee/klee.h>
#include <assert.h>
int main(void) {
  double x, y, z;
  int n;
  klee_make_symbolic(&x, sizeof x, \"x\");
  klee_make_symbolic(&y, sizeof y, \"y\");
  klee_make_symbolic(&z, sizeof z, \"z\");
  klee_make_symbolic(&n, sizeof n, \"n\");
  if (n != 5) {
    if (n != 77) {
      klee_assume(x > 1 && x < 2);
      klee_assume(y > 1 && y < 2);
      klee_assume(z > 1 && z < 2);
      double d = x / y * z - z * x / y;
      assert(d * d < 1e-29);
      return 0;
    }
    return 10 / (n - 77);
  }
  return 3;
}
";

/// Circuits of it take more memory than it may.
const LARGE: &str = "\
#include <klee/klee.h>
#include <assert.h>
int main(void) {
  double x[40];
  klee_make_symbolic(x, sizeof x, \"x\");
  double s = 0, p = 1, t = 0;
  for (int i = 0; i < 40; i++) {
    klee_assume(x[i] > 0.5 && x[i] < 2);
    s += x[i] * x[i];
    p = p * x[i] / (1 + s);
  }
  assert(s - p > 9.5);
  for (int i = 39; i >= 0; i--) t += x[i] * x[i];
  assert(t - s < 1e-9);
  return 0;
}
";

fn report(bench: &Bench, folder: &str) -> Value {
    let text = fs::read_to_string(bench.path().join(folder).join("report.json")).expect("a report");
    serde_json::from_str(&text).expect("JSON")
}

/// The largest memory that a process of this number had, in mebibytes.
fn peak(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) >> 10
}

/// How much processor time a process of this number has had, its threads' included.
fn processor_time(process: u32) -> Duration {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = status.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    // SAFETY: it reads a constant of the system.
    let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) };
    Duration::from_millis(ticks * 1000 / u64::try_from(per_second).unwrap_or(100).max(1))
}

/// Starts `labrys verify hard.c`, sends it a signal when it has worked so long, however busy the machine is; its exit code, and how long it took to end.
fn signalled(bench: &Bench, arguments: &[&str], after: Duration, signal: &str) -> (Option<i32>, Duration) {
    let mut run = Command::new(env!("CARGO_BIN_EXE_labrys"))
        .args(["verify", "hard.c", "--time", "300s", "-o", "out"])
        .args(arguments)
        .current_dir(bench.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("labrys runs");
    let begun = Instant::now();
    while processor_time(run.id()) < after && begun.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let sent = bench.program("kill", &[signal, &run.id().to_string()]);
    let begun = Instant::now();
    sent.expect_code(0);
    let code = run.wait().expect("it ends").code();
    (code, begun.elapsed())
}

/// Ctrl-C took as long as the question did, seven seconds, and the report called it the solver's time.
#[test]
fn an_interrupt_does_not_wait_for_the_solver() {
    let bench = Bench::new(&[("hard.c", HARD)]);
    // By then it is at the question.
    let (code, took) = signalled(&bench, &["--tests", "tests"], Duration::from_secs(4), "-INT");
    let report = report(&bench, "out");
    let reasons = report["reasons"].to_string();
    assert!(reasons.contains("the run was interrupted"), "{report:#}");
    // The division by zero was found before, and is shown natively afterwards: that is compiled in between.
    assert_eq!((code, report["verdict"].as_str()), (Some(1), Some("violated")), "{report:#}");
    assert!(took < Duration::from_secs(12), "{took:?}");
    let tests = fs::read_dir(bench.path().join("tests")).expect("tests").count();
    assert!(tests > 0, "{report:#}");
}

/// `timeout -k 1` killed the run before it had said anything: real arithmetic's process was waited for.
#[test]
fn a_termination_ends_a_run_with_its_report() {
    let bench = Bench::new(&[("hard.c", &HARD.replace("n != 77", "n < 0 || n >= 0"))]);
    let (code, took) = signalled(&bench, &[], Duration::from_secs(3), "-TERM");
    assert_eq!((code, report(&bench, "out")["verdict"].as_str()), (Some(3), Some("unknown")));
    // A second on a machine of its own.
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn a_limit_on_time_holds_inside_a_question() {
    let bench = Bench::new(&[("hard.c", HARD)]);
    let run = bench.labrys(&["verify", "hard.c", "--time", "5s", "--format", "json"]);
    let report = run.json();
    let timing = |name: &str| report["timing"][name].as_f64().unwrap_or(0.0);
    assert!(timing("wall_s") - timing("waited_for_processors_s") < 6.0, "{}", report["timing"]);
}

/// A question's circuits took twice the memory that the run had.
#[test]
fn a_limit_on_memory_holds_inside_a_question() {
    let bench = Bench::new(&[("large.c", LARGE)]);
    let mut run = Command::new(env!("CARGO_BIN_EXE_labrys"))
        .args(["verify", "large.c", "--time", "15s", "--memory", "300"])
        .current_dir(bench.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("labrys runs");
    let mut most = 0;
    while run.try_wait().expect("it can be waited for").is_none() {
        most = most.max(peak(run.id()));
        std::thread::sleep(Duration::from_millis(20));
    }
    // The program itself takes more than 100 before it asks anything, and without a limit it is 900.
    assert!((100..=330).contains(&most), "{most} MiB");
}

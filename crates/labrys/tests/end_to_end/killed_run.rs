//! A run that is killed at any moment, again and again, comes to what an undisturbed one comes to: of a library, and of a whole program.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::harness::Bench;

const SOURCE: &str = "\
    static double half(double x) { return x / 2; }\n\
    double middle(double x, double y) { return half(x + y); }\n\
    double quotient(double x, double y) { return x / y; }\n\
    double square(double x) { return x * x; }\n\
    double sum(double x) { double s = 0; for (int i = 0; i < 4; i++) s += x; return s; }\n";
const ARGUMENTS: [&str; 9] = ["-p", ".", "--max-work", "1500", "--function-time", "60s", "--format", "json", "-o"];

fn bench() -> Bench {
    let bench = Bench::new(&[("lib.c", SOURCE)]);
    let command = serde_json::json!([{
        "directory": bench.path(),
        "file": "lib.c",
        "arguments": ["clang-22", "-c", "lib.c"],
    }]);
    std::fs::write(bench.path().join("compile_commands.json"), command.to_string()).expect("writable");
    bench
}

/// The report without what may differ between two runs.
fn finished(bench: &Bench, analysis: &str) -> Value {
    let run = bench.labrys(&[&[analysis], &ARGUMENTS[..], &["out"]].concat());
    run.expect_code(1);
    let mut report = run.json();
    if let Some(members) = report.as_object_mut() {
        members.remove("timing");
    }
    // Whether a query came to the end of its time hangs on what else the machine does.
    if let Some(notes) = report["notes"].as_array_mut() {
        notes.retain(|note| !note.as_str().is_some_and(|note| note.contains("a limit on time ended some queries")));
    }
    report
}

/// Kills a run so often, each time later, and compares what the last one comes to.
fn killed(analysis: &str, kills: u64, parts: &[&str]) {
    let undisturbed = finished(&bench(), analysis);
    assert_eq!(undisturbed["functions"].as_array().map(Vec::len), Some(5), "{undisturbed:#}");
    let bench = bench();
    for round in 0..kills {
        let mut child = Command::new(env!("CARGO_BIN_EXE_labrys"))
            .arg(analysis)
            .args(ARGUMENTS)
            .arg("out")
            .current_dir(bench.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("labrys runs");
        std::thread::sleep(Duration::from_millis(50 + round * 389 % 800));
        // It may have ended already: then there is only less to go on from.
        let _ = child.kill();
        child.wait().expect("it ends");
    }
    let found = finished(&bench, analysis);
    for part in parts {
        assert_eq!(found[part], undisturbed[part], "{part}");
    }
    assert_eq!(found, undisturbed);
}

#[test]
fn nothing_is_lost_and_nothing_is_there_twice() {
    killed("exceptions", 20, &["functions", "sites", "findings", "counts", "notes"]);
}

#[test]
fn nothing_is_lost_of_a_comparison_of_libraries() {
    killed("diff", 8, &["functions", "findings", "counts", "notes"]);
}

/// Each assertion takes the solver some tenths of a second, and can be answered in one way only.
const PROGRAM: &str = "\
#include <klee/klee.h>
#include <assert.h>
static unsigned any(const char *name, unsigned below) {
  unsigned x;
  klee_make_symbolic(&x, sizeof x, name);
  klee_assume(x < below);
  return x;
}
static float between(const char *name) {
  return 1 + any(name, 1u << 7) / 128.0f;
}
int main(void) {
  unsigned a = any(\"a\", 1u << 7), b = any(\"b\", 1u << 7);
  assert((a + b) * (a + b) == a * a + 2 * a * b + b * b);
  unsigned c = any(\"c\", 1u << 8), d = any(\"d\", 1u << 7);
  assert((c - d) * (c + d) == c * c - d * d);
  float x = between(\"x\"), y = between(\"y\");
  assert(x * y <= 4 && x * y >= 1);
  assert((x + y) * (x + y) <= 16.5f);
  unsigned e = any(\"e\", 1u << 9);
  assert(e * e % 4 < 2);
  int n = 0;
  klee_make_symbolic(&n, sizeof n, \"n\");
  if (n == 41) return 10 / (n - 41);
  assert((e * e + 7) * (e * e + 7) == e * e * e * e + 14 * e * e + 49);
  return 0;
}
";

const FUNCTION: &str = "\
int square(unsigned char a, unsigned char b, float x) {
  if ((a + b) * (a + b) != a * a + 2 * a * b + b * b) return 1;
  if (x > 1 && x < 2 && x * x > 4) return 2;
  if (a * b == 221 && a > 2 && a < b) return 3;
  return 0;
}
";

/// The arguments of a run that writes into a folder.
type Arguments<'a> = &'a [&'a str];

/// What an undisturbed run comes to, and one that was killed so often, each time later, comes to in the end.
fn disturbed(arguments: Arguments<'_>, kills: u64) -> (Value, Value) {
    let finished = |bench: &Bench| -> Value {
        let run = bench.labrys(arguments);
        let mut report = run.json();
        report.as_object_mut().map(|members| members.remove("timing"));
        report
    };
    let undisturbed = finished(&Bench::new(&[("p.c", PROGRAM), ("f.c", FUNCTION)]));
    let bench = Bench::new(&[("p.c", PROGRAM), ("f.c", FUNCTION)]);
    for round in 0..kills {
        let mut child = Command::new(env!("CARGO_BIN_EXE_labrys"))
            .args(arguments)
            .current_dir(bench.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("labrys runs");
        std::thread::sleep(Duration::from_millis(300 + round * 700));
        let _ = child.kill();
        child.wait().expect("it ends");
    }
    (undisturbed, finished(&bench))
}

#[test]
fn a_verification_goes_on_where_it_was() {
    let arguments = ["verify", "p.c", "--time", "120s", "--format", "json", "-o", "out"];
    let (undisturbed, found) = disturbed(&arguments, 6);
    assert_eq!(undisturbed["verdict"], "violated", "{undisturbed:#}");
    assert_eq!(undisturbed["reasons"].as_array().map(Vec::len), Some(0), "{undisturbed:#}");
    assert_eq!(found, undisturbed);
}

#[test]
fn the_search_for_tests_goes_on_where_it_was() {
    let arguments = ["cover", "f.c", "-f", "square", "--time", "120s", "--format", "json", "-o", "out"];
    let (undisturbed, found) = disturbed(&arguments, 4);
    assert_eq!(found["coverage"]["totals"], undisturbed["coverage"]["totals"]);
    assert_eq!(found, undisturbed);
}

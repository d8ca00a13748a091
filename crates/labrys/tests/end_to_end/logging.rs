//! `LABRYS_LOG` tells on stderr what goes on inside, and changes nothing else.

use serde_json::Value;

use crate::harness::{Bench, Run};

const SOURCE: &str = "double f(double x, double y) { return x > 1 ? x / (x - y) : x * y; }\n";

fn exceptions(log: Option<&str>) -> Run {
    let mut bench = Bench::new(&[("f.c", SOURCE)]);
    if let Some(log) = log {
        bench = bench.with_env("LABRYS_LOG", log);
    }
    let run = bench.labrys(&["exceptions", "f.c", "--max-work", "3000", "--format", "json"]);
    run.expect_code(1);
    run
}

fn without_timing(run: &Run) -> Value {
    let mut report = run.json();
    report.as_object_mut().map(|report| report.remove("timing"));
    report
}

#[test]
fn the_log_is_on_stderr_and_the_report_is_the_same() {
    let (silent, told) = (exceptions(None), exceptions(Some("trace")));
    assert!(silent.stderr.is_empty(), "{}", silent.stderr);
    assert_eq!(without_timing(&silent), without_timing(&told));
    for words in [
        // Stages with their shares; a path's end; a query; what abstract interpretation found; a worker; a compiler.
        "INFO analysis: bounding values: ",
        "TRACE symex: returned",
        "DEBUG solver: ",
        "DEBUG ranges: complete",
        "DEBUG native: a worker has loaded it",
        "DEBUG program: ",
    ] {
        assert!(told.stderr.contains(words), "no `{words}` in\n{}", told.stderr);
    }
}

#[test]
fn one_crate_can_be_asked_alone() {
    let told = exceptions(Some("symex=debug"));
    assert!(told.stderr.contains(" symex: explored"), "{}", told.stderr);
    assert!(told.stderr.lines().all(|line| line.contains("DEBUG symex: ")), "{}", told.stderr);
}

#[test]
fn a_wrong_wish_is_a_line_and_no_failure() {
    for (wish, named) in [("solvr=debug", "there is no `solvr`"), ("solver=loud", "`solver=loud` is not")] {
        let told = exceptions(Some(wish));
        assert_eq!(told.stderr.lines().count(), 1, "{}", told.stderr);
        assert!(
            told.stderr.starts_with("labrys: LABRYS_LOG is ignored: ") && told.stderr.contains(named),
            "{}",
            told.stderr
        );
    }
}

/// `solve` works in a child in whose stderr last words are looked for.
#[test]
fn solve_tells_of_its_queries() {
    let script = "(declare-const x (_ BitVec 8))\n(assert (= (bvmul x #x03) #x07))\n(check-sat)\n";
    let bench = Bench::new(&[("q.smt2", script)]).with_env("LABRYS_LOG", "solver=debug");
    let run = bench.labrys(&["solve", "q.smt2"]);
    run.expect_code(10);
    assert_eq!(run.stdout, "sat\n");
    assert!(run.stderr.contains("DEBUG solver: sat") && run.stderr.contains("phases=prepare"), "{}", run.stderr);
}

//! Whatever happens to the solver, the run ends with what the search finds, and says what was lost.

use std::os::unix::fs::PermissionsExt;

use crate::harness::{Bench, Run};

const SOURCE: &str = "double f(double x, double y) { return x / y * y; }\n";

/// Runs diff with a solver that is this script.
fn with_solver(script: &str, options: &[&str]) -> Run {
    let bench = Bench::new(&[("f.c", SOURCE), ("solver", script)]);
    let solver = bench.path().join("solver");
    std::fs::set_permissions(&solver, std::fs::Permissions::from_mode(0o755)).expect("our own file");
    let bench = bench.with_env("LABRYS_Z3", &solver.display().to_string());
    let mut arguments = vec!["diff", "f.c", "--format", "json", "--max-work", "3000"];
    arguments.extend_from_slice(options);
    bench.labrys(&arguments)
}

/// Findings from the search, no condition decided by the solver, and a note that says why.
fn expect_search_alone(run: &Run, why: &str) {
    run.expect_code(1);
    let report = run.json();
    let counts = &report["counts"];
    if counts["unique_inputs"] != 0 || counts["unknown"].as_u64() == Some(0) {
        run.fail("the solver cannot have decided anything");
    }
    let notes = report["notes"].to_string();
    if !notes.contains(why) {
        run.fail(&format!("no note says `{why}`"));
    }
}

#[test]
fn a_solver_that_is_missing() {
    let bench = Bench::new(&[("f.c", SOURCE)]).with_env("LABRYS_Z3", "/nonexistent/z3");
    let run = bench.labrys(&["diff", "f.c", "--format", "json", "--max-work", "3000"]);
    expect_search_alone(&run, "no solver");
}

#[test]
fn a_solver_that_dies() {
    expect_search_alone(&with_solver("#!/bin/sh\nkill -9 $$\n", &[]), "the solver died");
}

#[test]
fn a_solver_that_answers_nonsense() {
    let run =
        with_solver("#!/bin/sh\nwhile read -r line; do echo 'segmentation fault, maybe'; done\n", &["--time", "60s"]);
    run.expect_code(1);
    assert_eq!(run.json()["counts"]["unique_inputs"], 0);
}

#[test]
fn a_solver_that_hangs_costs_time_but_not_the_run() {
    let run = with_solver("#!/bin/sh\nexec sleep 1000\n", &["--time", "8s"]);
    // The limit is on everything: what is found by then is reported, nothing at all is the other honest end.
    if !matches!(run.code, 1 | 3) {
        run.fail("expected findings or a run cut short");
    }
    assert_eq!(run.json()["counts"]["unique_inputs"], 0);
    assert!(run.json()["timing"]["wall_s"].as_f64() < Some(20.0));
}

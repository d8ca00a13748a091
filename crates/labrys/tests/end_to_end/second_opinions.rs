//! Proofs are asked again: confirmed where z3 agrees, by one where it does not answer, withdrawn where it contradicts.

use std::os::unix::fs::PermissionsExt;

use labrys_analysis::exceptions::{Request, exceptions};
use labrys_analysis::{BuildRequest, CampaignOptions, OpinionChoice, RunOptions, ScheduleOptions, Silent, Subject};
use labrys_float::Flags;
use labrys_fuzz::InputClass;
use labrys_report::{Report, Sources, Style, Verdict, terminal};
use serde_json::Value;

use crate::harness::{Bench, Run};

/// Ranges do not know that a sum is the same in either order, so that the second quotient's divisor is never 0.
const GUARDED: &str = "double f(double x, double y) {\n\
    if (!(x >= 1 && x <= 2 && y >= 1 && y <= 2)) return 0;\n\
    double s = x + y, t = y + x;\n\
    return 1 / (s - t + 0.5 * x) + 1 / (s - t - 1);\n}\n";

fn run(bench: &Bench, options: &[&str]) -> Run {
    let mut arguments = vec!["exceptions", "f.c", "--format", "json", "--max-work", "3000"];
    arguments.extend_from_slice(options);
    bench.labrys(&arguments)
}

/// The opinions of proofs by the solver or its intervals.
fn opinions(report: &Value) -> Vec<String> {
    let sites = report["sites"].as_array().cloned().unwrap_or_default();
    let by_solver = sites.iter().filter(|site| site["engine"].as_str().is_some_and(|engine| engine != "ranges"));
    by_solver.map(|site| site["opinion"].as_str().unwrap_or_default().to_owned()).collect()
}

/// Every proof by the solver stands by itself, and says why.
fn expect_by_one(run: &Run, why: &str) {
    let report = run.json();
    let found = opinions(&report);
    if found.is_empty() || !found.iter().all(|opinion| opinion.starts_with("by one: ") && opinion.contains(why)) {
        run.fail(&format!("expected proofs by one because of `{why}`: {found:?}"));
    }
    if !report["contradictions"].is_null() || run.code == 4 {
        run.fail("nothing is contradicted");
    }
}

fn with_solver(script: &str) -> Bench {
    let bench = Bench::new(&[("f.c", GUARDED), ("solver", script)]);
    let solver = bench.path().join("solver");
    std::fs::set_permissions(&solver, std::fs::Permissions::from_mode(0o755)).expect("our own file");
    bench.with_env("LABRYS_Z3", &solver.display().to_string())
}

#[test]
fn z3_confirms_what_the_solver_proves() {
    let bench = Bench::new(&[("f.c", GUARDED)]);
    let first = run(&bench, &["--second-opinion", "z3"]);
    let found = opinions(&first.json());
    if found.is_empty() || !found.iter().any(|opinion| opinion.starts_with("confirmed by two (z3 ")) {
        first.fail(&format!("no proof is confirmed: {found:?}"));
    }
    // Which proofs are asked and what is answered is a matter of work, not of time.
    let again = run(&bench, &["--second-opinion", "z3"]);
    assert_eq!(found, opinions(&again.json()));
    let text = bench.labrys(&["exceptions", "f.c", "--max-work", "3000"]);
    if !text.stdout.contains("by the solver, of which ") {
        text.fail("the summary does not count confirmed proofs");
    }
}

#[test]
fn branch_and_prune_confirms_without_z3() {
    let bench = Bench::new(&[("f.c", GUARDED)]).with_env("LABRYS_Z3", "/nonexistent/z3");
    let run = run(&bench, &[]);
    let found = opinions(&run.json());
    if found.is_empty() || !found.iter().all(|opinion| opinion == "confirmed by two (branch and prune)") {
        run.fail(&format!("no proof is confirmed: {found:?}"));
    }
}

#[test]
fn nobody_is_asked_where_that_is_off() {
    let bench = Bench::new(&[("f.c", GUARDED)]);
    expect_by_one(&run(&bench, &["--second-opinion", "off"]), "second opinions are off");
}

#[test]
fn whatever_happens_to_z3_the_run_ends_with_proofs_by_one() {
    let bench = Bench::new(&[("f.c", GUARDED)]).with_env("LABRYS_Z3", "/nonexistent/z3");
    let z3 = ["--second-opinion", "z3"];
    expect_by_one(&run(&bench, &z3), "no solver");
    expect_by_one(&run(&with_solver("#!/bin/sh\nkill -9 $$\n"), &z3), "the solver died");
    let nonsense = "#!/bin/sh\nwhile read -r line; do echo 'segmentation fault, maybe'; done\n";
    expect_by_one(&run(&with_solver(nonsense), &["--second-opinion", "z3", "--time", "60s"]), "");
    let hanging = run(&with_solver("#!/bin/sh\nexec sleep 1000\n"), &["--second-opinion", "z3", "--time", "60s"]);
    expect_by_one(&hanging, "");
    assert!(hanging.json()["timing"]["wall_s"].as_f64() < Some(90.0));
}

#[test]
fn queries_are_written_for_bitwuzla_or_asked_of_it() {
    let bench = Bench::new(&[("f.c", GUARDED)]);
    expect_by_one(&run(&bench, &["--second-opinion", "bitwuzla-file:queries/"]), "written into queries");
    let names = || std::fs::read_dir(bench.path().join("queries")).expect("a folder").flatten();
    assert!(names().any(|entry| entry.file_name().to_string_lossy().starts_with("proof-")));
    // A program that takes --lang smt2 FILE and says unsat.
    let script = "#!/bin/sh\n[ \"$1 $2\" = '--lang smt2' ] && [ -f \"$3\" ] && echo unsat && echo checked\n";
    let bench = with_solver(script);
    let asked = run(&bench, &["--second-opinion", "bitwuzla-file:./solver"]);
    let found = opinions(&asked.json());
    if found.is_empty() || !found.iter().all(|opinion| opinion == "confirmed by two (bitwuzla)") {
        asked.fail(&format!("{found:?}"));
    }
}

#[test]
fn whom_to_ask_is_checked_before_any_work() {
    let bench = Bench::new(&[("f.c", GUARDED)]);
    for wrong in ["cvc5", "bitwuzla-file:", "off,z3", "bitwuzla-file:f.c"] {
        let run = run(&bench, &["--second-opinion", wrong]);
        run.expect_code(2);
        if !run.stdout.is_empty() || run.stderr.lines().count() != 1 {
            run.fail("expected one line on stderr");
        }
    }
}

#[test]
fn a_proof_of_diff_has_a_second_opinion() {
    let bench = Bench::new(&[
        ("old.c", "double g(double x) { return x * 0.5; }\n"),
        ("new.c", "double g(double x) { return 0.5 * x; }\n"),
    ]);
    let run = bench.labrys(&["diff", "old.c", "new.c", "--format", "json", "--max-work", "3000"]);
    let notes = run.json()["notes"].to_string();
    if !notes.contains("proved over the IR") || !notes.contains("confirmed by two (z3 ") {
        run.fail("no confirmed proof");
    }
}

/// Reachable, but by inputs that no search finds.
const HIDDEN: &str = "double f(double x, double y) {\n\
    if (x + 0.3 == 1.7 && y - x == 0.375) return 1 / (x - x);\n\
    return 0;\n}\n";

/// What the command line would make of `exceptions f.c`, with a solver that says that nothing has a model.
fn with_wrong_solver(bench: &Bench, output: bool) -> Request {
    let run = RunOptions {
        command: vec!["labrys".to_owned(), "exceptions".to_owned()],
        inputs: InputClass::Finite,
        // A tenth of it is more than the work takes on a busy machine.
        time: Some(std::time::Duration::from_secs(600)),
        max_work: 3000,
        output: output.then(|| bench.path().join("out")),
        plants_wrong_proofs: true,
        worker: vec![env!("CARGO_BIN_EXE_labrys").into(), "__worker".into()],
        ..RunOptions::default()
    };
    let subject = Subject::Source(bench.path().join("f.c"));
    let build = BuildRequest { subject, flags: None, init: None };
    let schedule = ScheduleOptions { function_time: None, jobs: 1, campaign: CampaignOptions::default() };
    Request { build, run, schedule, libm_ulps: 4, whole_space: 0, split: None }
}

/// That the file of a contradiction is there to be written, and that z3 says so too.
fn expect_query(report: &Report, artifacts: &[labrys_analysis::Artifact], prefix: &str) {
    for contradiction in &report.contradictions {
        let name = contradiction.file.rsplit('/').next().unwrap_or_default();
        assert!(name.starts_with(prefix), "{name}");
        let artifact = artifacts.iter().find(|artifact| artifact.name == name).expect("a file");
        let text = String::from_utf8_lossy(&artifact.contents).into_owned();
        assert!(text.contains("; portfolio: unsat\n; z3 ") && text.contains("(check-sat)"), "{text}");
        assert!(text.contains(": sat, whose model satisfies the query"), "{text}");
    }
}

#[test]
fn a_wrong_proof_is_contradicted_and_its_input_is_found() {
    let bench = Bench::new(&[("f.c", HIDDEN)]);
    let done = exceptions(&with_wrong_solver(&bench, false), &Silent).expect("runs").report().expect("a report");
    let report = &done.report;
    assert_eq!(report.exit_code(), 4, "{:?} {:?}", report.sites, report.notes);
    let divided = report.contradictions.iter().find(|of| of.claim.starts_with("divbyzero of fdiv at "));
    let contradiction = divided.unwrap_or_else(|| panic!("{:?}", report.contradictions));
    assert!(contradiction.by.starts_with("z3 ") && contradiction.doubt.is_none(), "{contradiction:?}");
    assert_eq!(contradiction.inputs.len(), 2);
    expect_query(report, &done.artifacts, "labrys-contradiction-");
    // Its model was run: the exception that was proved impossible is a finding.
    let record = report.sites.iter().find(|site| site.site.operator == "fdiv" && site.exception == Flags::DIVBYZERO);
    assert!(matches!(record.map(|record| &record.verdict), Some(Verdict::Reachable { .. })), "{record:?}");
    let text = terminal(report, &Style::default(), &Sources::default());
    assert!(text.starts_with("contradicted: "), "{text}");
    // With a folder the file belongs there.
    let done = exceptions(&with_wrong_solver(&bench, true), &Silent).expect("runs").report().expect("a report");
    assert_eq!(done.report.exit_code(), 4);
    expect_query(&done.report, &done.artifacts, "contradiction-");
}

#[test]
fn without_a_second_opinion_nobody_notices() {
    let bench = Bench::new(&[("f.c", HIDDEN)]);
    let mut request = with_wrong_solver(&bench, false);
    request.run.second_opinion = OpinionChoice::off();
    let done = exceptions(&request, &Silent).expect("runs").report().expect("a report");
    assert!(done.report.contradictions.is_empty() && done.report.exit_code() != 4);
}

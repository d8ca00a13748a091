//! What `exceptions` writes beside its report: pages, reproducers, baselines.

use crate::harness::{Bench, Run, commands_of, page_data};

const SOURCE: &str =
    "static double scaled(double x) { return x * 4; }\n\ndouble f(double x, double y) { return scaled(x) / y; }\n";

fn exceptions(bench: &Bench, options: &[&str]) -> Run {
    let mut arguments = vec!["exceptions", "f.c", "--max-work", "4000", "--time", "60s"];
    arguments.extend_from_slice(options);
    bench.labrys(&arguments)
}

#[test]
fn reproducers_raise_the_exception_without_labrys() {
    let bench = Bench::new(&[("f.c", SOURCE)]);
    let run = exceptions(&bench, &["-f", "scaled", "--format", "json", "-o", "out"]);
    run.expect_code(1);
    let finding = run.finding("the product overflows", |finding| finding["exception"]["exception"] == "overflow");
    let id = finding["id"].as_str().expect("an id");
    let text = std::fs::read_to_string(bench.path().join(format!("out/{id}.c"))).expect("a reproducer");
    let script = format!("cd out && {}", commands_of(&text).join(" && "));
    let shown = bench.program("sh", &["-c", &script]);
    shown.expect_code(1);
    if !shown.stdout.contains("overflow is raised") || !shown.stdout.contains("inf") {
        shown.fail("the reproducer shows the overflow");
    }
    let page = std::fs::read_to_string(bench.path().join("out/report.html")).expect("report.html");
    let data = page_data(&page);
    assert!(data.contains(id) && data.contains("return x * 4;"), "{data}");
}

#[test]
fn only_new_findings_fail_a_run() {
    let bench = Bench::new(&[("f.c", SOURCE)]);
    exceptions(&bench, &["-f", "f", "--write-baseline", "known.json"]).expect_code(1);
    // Lines move, and the known findings stay known.
    std::fs::write(bench.path().join("f.c"), format!("/* A comment. */\n\n{SOURCE}")).expect("writable");
    let known = exceptions(&bench, &["-f", "f", "--baseline", "known.json"]);
    known.expect_code(0);
    if !known.stdout.contains("0 new, ") {
        known.fail("the summary counts known findings");
    }
    let changed = SOURCE.replace("/ y", "/ y / x");
    std::fs::write(bench.path().join("f.c"), changed).expect("writable");
    let new = exceptions(&bench, &["-f", "f", "--baseline", "known.json", "--format", "sarif"]);
    new.expect_code(1);
    let results = new.json()["runs"][0]["results"].as_array().cloned().unwrap_or_default();
    let count = |state: &str| results.iter().filter(|result| result["baselineState"] == state).count();
    if count("new") == 0 || count("unchanged") == 0 {
        new.fail("some findings are new, some are not");
    }
    exceptions(&bench, &["-f", "f", "--baseline", "f.c"]).expect_code(2);
    exceptions(&bench, &["-f", "f", "--baseline", "missing.json"]).expect_code(2);
}

#[test]
fn all_shows_what_does_not_matter() {
    let bench = Bench::new(&[("f.c", "double f(double x) { return x * x; }\n")]);
    // An overflow that the true result explains is a reason for the exit code: it is shown where nothing else is.
    let alone = exceptions(&bench, &["--only", "overflow"]);
    alone.expect_code(1);
    if !alone.stdout.contains("honest[") {
        alone.fail("the only finding is not shown");
    }
    let bench = Bench::new(&[("f.c", "double f(double x) { return (x + x) / 2 + 1 / (x * x); }\n")]);
    let short = exceptions(&bench, &[]);
    short.expect_code(1);
    if !short.stdout.contains("lost[") || short.stdout.contains("honest[") || !short.stdout.contains("--all shows") {
        short.fail("what the true result explains is only counted beside what it does not");
    }
    let all = exceptions(&bench, &["--all"]);
    if !all.stdout.contains("honest[") {
        all.fail("it is shown on request");
    }
}

//! What a run writes: the same report for the same seed, reproducers that reproduce, replay.

use crate::harness::{Bench, commands_of, page_data};
use serde_json::Value;

const TURBINE1: &str = include_str!("../../../../examples/turbine1.c");

fn without_timing(mut report: Value) -> String {
    if let Some(report) = report.as_object_mut() {
        report.remove("timing");
    }
    report.to_string()
}

#[test]
fn the_same_seed_and_work_give_the_same_report() {
    let bench = Bench::new(&[("turbine1.c", TURBINE1)]);
    let arguments =
        ["diff", "turbine1.c", "--seed", "7", "--max-work", "20000", "--format", "json", "--compare-random"];
    let (first, second) = (bench.labrys(&arguments), bench.labrys(&arguments));
    first.expect_code(1);
    // Byte for byte up to `timing`, which is the last member.
    let head = |text: &str| text.split("\"timing\"").next().map(str::to_owned);
    assert_eq!(head(&first.stdout), head(&second.stdout));
    assert_eq!(without_timing(first.json()), without_timing(second.json()));
    assert!(first.stderr.is_empty(), "stderr away from a terminal: {}", first.stderr);
}

#[test]
fn every_finding_is_shown_by_its_own_reproducer_and_by_replay() {
    let bench = Bench::new(&[("turbine1.c", TURBINE1)]);
    let run = bench.labrys(&["diff", "turbine1.c", "--max-work", "20000", "--format", "json", "-o", "out"]);
    run.expect_code(1);
    let findings = run.json()["findings"].as_array().cloned().unwrap_or_default();
    assert!(!findings.is_empty());
    for finding in &findings {
        let id = finding["id"].as_str().expect("an id");
        let reproducer = std::fs::read_to_string(bench.path().join(format!("out/{id}.c"))).expect("a reproducer");
        let commands = commands_of(&reproducer);
        assert!(commands.len() >= 3, "commands in the first comment of {id}.c: {commands:?}");
        let script = format!("cd out && {}", commands.join(" && "));
        let shown = bench.program("sh", &["-c", &script]);
        if shown.code != 1 {
            shown.fail(&format!("the reproducer of {id} shows no difference: {finding:#}"));
        }
    }
    let id = findings[0]["id"].as_str().expect("an id");
    bench.labrys(&["replay", &format!("out/{id}.json")]).expect_code(1);
}

#[test]
fn a_finding_that_no_longer_holds_is_told_by_replay() {
    let bench = Bench::new(&[("f.c", "double f(double x) { return x / x; }\n")]);
    bench.labrys(&["diff", "f.c", "--max-work", "2000", "-o", "out"]).expect_code(1);
    std::fs::write(bench.path().join("f.c"), "double f(double x) { return x + 1; }\n").expect("the source is writable");
    bench.labrys(&["replay", "out/report.json"]).expect_code(0);
    std::fs::remove_file(bench.path().join("f.c")).expect("the source is there");
    bench.labrys(&["replay", "out/report.json"]).expect_code(2);
}

#[test]
fn the_output_folder_holds_report_sarif_and_findings() {
    let bench = Bench::new(&[("f.c", "double f(double x) { return x / x; }\n")]);
    let run = bench.labrys(&["diff", "f.c", "--max-work", "2000", "--format", "json", "-o", "out"]);
    run.expect_code(1);
    let written = std::fs::read_to_string(bench.path().join("out/report.json")).expect("report.json");
    assert_eq!(written, run.stdout);
    let sarif: Value =
        serde_json::from_str(&std::fs::read_to_string(bench.path().join("out/report.sarif")).expect("report.sarif"))
            .expect("SARIF is JSON");
    assert_eq!(sarif["version"], "2.1.0");
    let page = std::fs::read_to_string(bench.path().join("out/report.html")).expect("report.html");
    assert!(page.starts_with("<!doctype html>") && page_data(&page).contains("return x / x;"), "{page}");
    let results = sarif["runs"][0]["results"].as_array().map_or(0, Vec::len);
    assert_eq!(Some(results), run.json()["findings"].as_array().map(Vec::len));
}

/// Ids hung on how the path of a source was written, and with that on the folder that the run was started in.
#[test]
fn ids_are_the_same_in_every_folder() {
    let bench = Bench::new(&[("sub/f.c", "double f(double a, double b) { return ((a + b) - a) / b; }\n")]);
    let program = env!("CARGO_BIN_EXE_labrys");
    for analysis in ["exceptions", "diff"] {
        let ids = |folder: &str, file: &str| -> Vec<String> {
            let words =
                format!("cd '{folder}' && '{program}' {analysis} '{file}' --max-work 2000 --seed 1 --format json");
            let run = bench.program("sh", &["-c", &words]);
            let found = run.json()["findings"].as_array().cloned().unwrap_or_default();
            found.iter().filter_map(|finding| finding["id"].as_str().map(str::to_owned)).collect()
        };
        let own = ids("sub", "f.c");
        let whole = bench.path().join("sub/f.c");
        assert!(!own.is_empty());
        assert_eq!(own, ids(".", "sub/f.c"), "{analysis}");
        assert_eq!(own, ids("/", &whole.display().to_string()), "{analysis}");
    }
}

//! What is an analysis' own stands where it always stood in reports, and what it never meant is read over.

use labrys_report::{Baseline, Report, ReportError, Sources, Style, html, read_report, sarif, terminal, write_json};
use serde_json::{Value, json};

use super::{library, samples};

fn document(report: &Report) -> Value {
    serde_json::from_str(&write_json(report).expect("serialises")).expect("JSON")
}

fn keys(finding: &Value) -> Vec<&str> {
    finding.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// A report of `exceptions` as they were when each finding had a divergence's members too.
fn old(report: &Report) -> String {
    let mut document = document(report);
    for finding in document["findings"].as_array_mut().expect("a list") {
        finding["between"] = json!(["baseline"]);
        finding["baseline_clean"] = json!(true);
        finding["in_control"] = json!(false);
    }
    document.to_string()
}

#[test]
fn each_analysis_has_its_own_members() {
    let differences = document(&samples::report());
    let exceptions = document(&library::report());
    let of_difference = ["between", "baseline_clean", "in_control", "difference"];
    for finding in differences["findings"].as_array().expect("a list") {
        let keys = keys(finding);
        assert!(of_difference.iter().all(|key| keys.contains(key)) && !keys.contains(&"exception"), "{keys:?}");
        let inner = finding["difference"].as_object().expect("an object");
        assert!(of_difference.iter().all(|key| !inner.contains_key(*key)), "{inner:?}");
    }
    for finding in exceptions["findings"].as_array().expect("a list") {
        let keys = keys(finding);
        assert!(of_difference.iter().all(|key| !keys.contains(key)) && keys.contains(&"exception"), "{keys:?}");
    }
}

#[test]
fn old_reports_of_exceptions_are_read() {
    let report = library::report();
    let text = old(&report);
    assert_ne!(text, document(&report).to_string());
    let read = read_report(&text).expect("reads");
    assert_eq!(read, report);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("old.json");
    std::fs::write(&path, &text).expect("writable");
    assert_eq!(Baseline::read(&path).expect("a report will do"), Baseline::of(&report));
    let sources = Sources::default();
    assert_eq!(html(&read, &sources).expect("a page"), html(&report, &sources).expect("a page"));
    assert_eq!(sarif(&read).expect("a log"), sarif(&report).expect("a log"));
    assert_eq!(terminal(&read, &Style::default(), &sources), terminal(&report, &Style::default(), &sources));
}

#[test]
fn differences_without_further_details_are_read() {
    let report = samples::report();
    let mut document = document(&report);
    for finding in document["findings"].as_array_mut().expect("a list") {
        finding.as_object_mut().expect("an object").remove("difference");
    }
    assert_eq!(read_report(&document.to_string()).expect("reads"), report);
}

#[test]
fn a_finding_of_no_analysis_or_of_two_is_refused() {
    let with = |change: &dyn Fn(&mut Value)| {
        let mut document = document(&samples::report());
        change(&mut document["findings"][0]);
        read_report(&document.to_string())
    };
    let exception = document(&library::report())["findings"][0]["exception"].clone();
    let without = with(&|finding| drop(finding.as_object_mut().expect("an object").remove("between")));
    assert!(matches!(without, Err(ReportError::Shape(_))));
    assert!(matches!(with(&|finding| finding["exception"] = exception.clone()), Err(ReportError::Shape(_))));
}

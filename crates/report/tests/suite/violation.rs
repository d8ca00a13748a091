//! Errors of whole programs: how control came there, in JSON and on the page.

use labrys_program::ScalarType;
use labrys_report::{
    Analysis, Details, Finding, FoundBy, ObjectRecord, PathStep, ProgramVerdict, Report, Severity, SourcePlace,
    Sources, StackEntry, Value, Verification, ViolationClass, ViolationDetails, html, read_report, write_json,
};

use super::devtools::Browser;

const SOURCE: &str = "\
int check(int x) {
  if (x > 3)
    if (x < 9)
      abort();
  return x;
}
int main(void) {
  return check(input());
}
";

fn place(line: u32, column: u32) -> SourcePlace {
    SourcePlace::new(Some("p.c".to_owned()), line, column)
}

fn report(decisions_left_out: u64) -> Report {
    let step = |line, outcome: &str| PathStep {
        function: "check".to_owned(),
        place: place(line, 9),
        outcome: outcome.to_owned(),
    };
    let entry = |function: &str, line, column| StackEntry { function: function.to_owned(), place: place(line, column) };
    let details = ViolationDetails {
        kind: ViolationClass::Abort,
        place: place(4, 7),
        stack: vec![entry("check", 4, 7), entry("main", 8, 10)],
        decisions: vec![step(2, "true"), step(3, "true"), step(3, "17")],
        decisions_left_out,
        replayed: true,
        observed: "the program aborts <b>".to_owned(),
        arguments: vec!["2d78".to_owned()],
        objects: vec![ObjectRecord { name: "x".to_owned(), bytes: "04000000".to_owned() }],
    };
    let int = ScalarType::Int { bits: 32, signed: true };
    let finding = Finding {
        id: "0123456789ab".to_owned(),
        severity: Severity::Violated,
        found_by: FoundBy::Solver,
        count: 1,
        summary: "the program aborts".to_owned(),
        inputs: vec![Value::scalar(Some("x".to_owned()), int, 4)],
        observations: Vec::new(),
        command: None,
        called_at: Vec::new(),
        details: Details::Violation(details),
        notes: Vec::new(),
    };
    Report {
        command: vec!["labrys".to_owned(), "verify".to_owned(), "p.c".to_owned()],
        analysis: Analysis::Verify,
        verification: Some(Verification { verdict: ProgramVerdict::Violated, ..Verification::default() }),
        findings: vec![finding],
        ..Report::default()
    }
}

#[test]
fn decisions_come_back_from_json() {
    for left_out in [0, 7] {
        let report = report(left_out);
        let text = write_json(&report).expect("JSON");
        assert_eq!(text.contains("decisions_left_out"), left_out > 0);
        assert_eq!(read_report(&text).expect("a report").findings, report.findings);
    }
}

#[test]
fn the_page_shows_the_way_to_an_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut sources = Sources::default();
    sources.insert("p.c", SOURCE.as_bytes().to_vec());
    let page = folder.path().join("page.html");
    std::fs::write(&page, html(&report(7), &sources).expect("renders")).expect("writable");
    let mut browser = Browser::start(&folder.path().join("profile"));
    for (width, scheme) in [(1200, "light"), (360, "dark")] {
        browser.open(&page, "finding=0123456789ab", width, scheme);
        browser.wait("document.querySelectorAll('ol.path li').length === 3");
        let text = browser.evaluate("document.querySelector('.finding .body').innerText");
        let text = text.as_str().unwrap_or_default().to_owned();
        for words in [
            "the program aborts <b>",
            "arguments: \"-x\"",
            "p.c:4:7 in check",
            "p.c:8:10 in main",
            "true p.c:2:9 in check",
            "if (x > 3)",
            "17 p.c:3:9 in check",
            "7 decisions in the midst left out",
        ] {
            assert!(text.contains(words), "{words} is not in {text}");
        }
        let overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(browser.evaluate(overflow), 0, "the page is wider than the window");
        assert_eq!(browser.complaints, Vec::<String>::new());
    }
}

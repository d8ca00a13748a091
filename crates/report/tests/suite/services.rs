//! What GitLab and Jenkins are told.

use labrys_report::{
    Cause, CauseKind, Details, FunctionSummary, Report, SourcePlace, Status, assign_ids, code_quality, junit,
};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde_json::Value;

use super::samples;

/// The attributes of each element of a name, in order.
fn elements(xml: &str, name: &str) -> Vec<Vec<(String, String)>> {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = true;
    let mut found = Vec::new();
    let attributes = |of: &BytesStart<'_>| {
        let pair = |attribute: quick_xml::events::attributes::Attribute<'_>| {
            let key = attribute.key.as_ref().to_owned();
            (key, attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).expect("well-formed").into_owned())
        };
        of.attributes().map(|attribute| pair(attribute.expect("well-formed"))).collect()
    };
    loop {
        match reader.read_event().expect("well-formed XML") {
            Event::Start(of) | Event::Empty(of) if of.name().as_ref() == name => found.push(attributes(&of)),
            Event::Eof => return found,
            _ => {}
        }
    }
}

fn attribute<'a>(of: &'a [(String, String)], name: &str) -> &'a str {
    of.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
}

/// The sums that JUnit's elements state are those of what is in them.
fn check_junit(report: &Report) -> String {
    let xml = junit(report).expect("XML");
    let (suites, tests) = (elements(&xml, "testsuite"), elements(&xml, "testcase"));
    let sum =
        |name: &str| suites.iter().map(|of| attribute(of, name).parse::<usize>().expect("a number")).sum::<usize>();
    assert_eq!(sum("tests"), tests.len());
    assert_eq!(sum("failures"), elements(&xml, "failure").len());
    assert_eq!(sum("skipped"), elements(&xml, "skipped").len());
    let root = &elements(&xml, "testsuites")[0];
    assert_eq!(attribute(root, "failures"), sum("failures").to_string());
    assert_eq!(report.exit_code() == 1, sum("failures") > 0, "{xml}");
    xml
}

#[test]
fn each_new_finding_is_a_test_that_failed() {
    let mut report = samples::report();
    let xml = check_junit(&report);
    assert_eq!(elements(&xml, "failure").len(), report.findings.len());
    let first = &elements(&xml, "failure")[0];
    assert_eq!(attribute(first, "message"), report.findings[0].summary);
    // What a baseline has does not fail.
    report.known = Some(report.findings.iter().map(|finding| finding.id.clone()).collect());
    assert!(elements(&check_junit(&report), "failure").is_empty());
    report.findings.clear();
    assert_eq!(elements(&check_junit(&report), "testcase").len(), 1);
}

/// A run that ended before it came to anything was green.
#[test]
fn what_was_cut_short_has_not_passed() {
    let mut report = samples::report();
    report.findings.clear();
    assert!(elements(&check_junit(&report), "skipped").is_empty());
    report.status = Status::Limit;
    assert_eq!(elements(&check_junit(&report), "skipped").len(), 1);
    report.functions.push(FunctionSummary::default());
    assert_eq!(elements(&check_junit(&report), "skipped").len(), 1);
}

/// Texts come from sources, which may hold anything.
#[test]
fn texts_are_escaped() {
    let mut report = samples::report();
    report.findings[0].summary = "a < b && \"c\" \u{1b}[31m".to_owned();
    let xml = check_junit(&report);
    let message = attribute(&elements(&xml, "failure")[0], "message").to_owned();
    assert!(message.starts_with("a < b && \"c\" ") && !message.contains('\u{1b}'), "{message}");
    assert!(!xml.contains('\u{1b}'));
}

/// A comment above, or blanks: the findings are the same to GitLab, and the baseline has them. Lines that are alike are told apart, others are others.
#[test]
fn fingerprints_do_not_hang_on_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("f.c");
    let known = |text: &str, lines: [u32; 2], column: u32| {
        std::fs::write(&file, text).expect("written");
        let mut report = samples::report();
        report.findings.truncate(1);
        report.findings.push(report.findings[0].clone());
        for (finding, line) in report.findings.iter_mut().zip(lines) {
            let Details::Difference(details) = &mut finding.details else { panic!("a difference") };
            details.is_grouped = true;
            let place = SourcePlace::new(Some(file.display().to_string()), line, column);
            details.cause = Some(Cause { kind: CauseKind::Operation, place, operator: "fmul".to_owned() });
        }
        assign_ids("f", &mut report.findings);
        let issues: Value = serde_json::from_str(&code_quality(&report).expect("JSON")).expect("JSON");
        let ids: Vec<String> = report.findings.iter().map(|finding| finding.id.clone()).collect();
        let all = issues.as_array().expect("an array").iter();
        (ids, all.map(|issue| issue["fingerprint"].as_str().expect("one").to_owned()).collect::<Vec<_>>())
    };
    let (ids, before) = known("a = b*c;\nd = e*c;\n", [1, 2], 6);
    let (others, after) = known("// new\n\n  a =  b * c;\n  d =  e*c; \n", [3, 4], 9);
    assert_eq!(before, after);
    assert!(before[0] != before[1] && ids != others);
    let (_, alike) = known("a = b*c;\na = b*c;\n", [1, 2], 6);
    assert_eq!((&alike[0], &alike[1]), (&before[0], &format!("{}-2", before[0])));
    let (_, other) = known("a = b*d;\nd = e*c;\n", [1, 2], 6);
    assert!(other[0] != before[0] && other[1] == before[1]);
}

/// The members that GitLab's documentation asks for ("Code Quality report format").
#[test]
fn issues_have_what_gitlab_reads() {
    let report = samples::report();
    let text = code_quality(&report).expect("JSON");
    let issues: Value = serde_json::from_str(&text).expect("JSON");
    let issues = issues.as_array().expect("an array");
    assert_eq!(issues.len(), report.findings.len());
    for (issue, finding) in issues.iter().zip(&report.findings) {
        assert_eq!(issue["fingerprint"].as_str().map(str::len), Some(12), "{issue}");
        assert!(issue["description"].as_str().is_some_and(|words| words.contains(&finding.summary)), "{issue}");
        assert!(issue["check_name"].as_str().is_some_and(|name| name.starts_with("labrys/diff/")), "{issue}");
        assert!(["info", "minor", "major", "critical"].contains(&issue["severity"].as_str().unwrap_or("")), "{issue}");
        assert!(issue["location"]["path"].as_str().is_some_and(|path| !path.is_empty()), "{issue}");
        assert!(issue["location"]["lines"]["begin"].as_u64().is_some_and(|line| line > 0), "{issue}");
    }
}

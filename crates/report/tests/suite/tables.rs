//! What a library's report says many times, once.

use labrys_report::{NotSeen, Report, ReportError, SCHEMA, Tables, Verdict, read_report, sarif, write_json};
use serde_json::Value as Json;

use super::{library, samples};

/// A library whose findings have everything that is shared.
fn report() -> Report {
    let mut report = library::with_traces(library::library(40), 48);
    for (index, finding) in report.findings.iter_mut().enumerate() {
        finding.notes = vec!["a remark".to_owned(), format!("remark {}", index % 3)];
        let details = finding.exception_mut().expect("an exception");
        let seen = |verdict| NotSeen { entry: "mean".to_owned(), chain: vec!["mean".to_owned()], verdict };
        let why = "no time was left".to_owned();
        details.not_seen_from = vec![seen(library::unreachable()), seen(Verdict::Unknown { why })];
        details.only_direct = (index % 2 == 0).then(library::unreachable);
    }
    report
}

#[test]
fn what_is_shared_comes_back() {
    let report = report();
    let text = write_json(&report).expect("serialises");
    assert_eq!(read_report(&text).expect("reads"), report);
    let inline = serde_json::to_string(&report).expect("serialises");
    assert!(text.len() * 2 < inline.len(), "{} and {} bytes", text.len(), inline.len());
    assert!(text.starts_with("{\"schema\":"));
    // Without tables as well, as earlier versions wrote it.
    assert_eq!(read_report(&inline.replace(SCHEMA, "labrys-report/1")).expect("reads"), report);

    let document: Json = serde_json::from_str(&text).expect("JSON");
    let tables: Tables = serde_json::from_value(document["tables"].clone()).expect("tables");
    let place = |value: &Json| value.as_u64().expect("a place") as usize;
    let (pair, record) = (&document["sites"][1], &report.sites[1]);
    assert_eq!(tables.sites[place(&pair["site"])], record.site);
    assert!(pair["file"].is_null() && pair["why"].is_null() && pair["verdict"] == record.verdict.name());
    let finding = &document["findings"][0];
    assert_eq!(tables.sites[place(&finding["exception"]["site"])], report.findings[0].exception().expect("one").site);
    assert_eq!(
        tables.events[place(&finding["observations"][0]["trace"][3])],
        report.findings[0].observations[0].trace[3]
    );
    assert_eq!(tables.notes[place(&finding["notes"][1])], report.findings[0].notes[1]);
    // 10 lines' events of callees and those of the findings themselves.
    assert!(tables.events.len() < 600 && tables.notes.len() == 4 && tables.grounds.len() < 6);
}

#[test]
fn one_findings_file_needs_no_tables() {
    let report = report();
    let id = &report.findings[0].id;
    let single = report.with_only(id).expect("there");
    let text = write_json(&single).expect("serialises");
    assert!(!text.contains("\"tables\"") && text.contains("\"callee_3\""));
    assert_eq!(read_report(&text).expect("reads"), single);
    assert!(!write_json(&samples::report()).expect("serialises").contains("\"tables\""));
}

#[test]
fn places_that_are_not_there_are_damage() {
    let text = write_json(&report()).expect("serialises");
    let document: Json = serde_json::from_str(&text).expect("JSON");
    for (pointer, words) in [
        ("/findings/0/observations/0/trace/3", "tables.events has no place 4000000"),
        ("/findings/1/exception/site", "tables.sites has no place 4000000"),
        ("/findings/1/exception/not_seen_from/0/grounds", "tables.grounds has no place 4000000"),
        ("/findings/2/notes/0", "tables.notes has no place 4000000"),
        ("/sites/7/site", "tables.sites has no place 4000000"),
    ] {
        let mut damaged = document.clone();
        *damaged.pointer_mut(pointer).expect("there") = 4_000_000.into();
        let error = read_report(&damaged.to_string()).expect_err("damaged");
        assert!(error.to_string().ends_with(words), "{pointer}: {error}");
    }
    let mut damaged = document.clone();
    damaged["sites"][0]["site"] = "here".into();
    assert!(matches!(read_report(&damaged.to_string()), Err(ReportError::Table(_))));
    for (member, value) in [("tables", Json::Null), ("findings", 3.into()), ("sites", "none".into())] {
        let mut damaged = document.clone();
        damaged[member] = value;
        assert!(read_report(&damaged.to_string()).is_err(), "{member}");
    }
}

/// SARIF of a library without what it says once.
#[test]
fn sarif_says_once_what_results_share() {
    let [small, large] = [1, 49].map(|events| library::with_traces(library::library(40), events));
    let bytes = |report: &Report| sarif(report).expect("serialises").len();
    let events: usize = large.findings.iter().map(|finding| finding.observations[0].trace.len()).sum();
    // Each further event is a place in a list, and one of ten functions' events once.
    assert!(bytes(&large) - bytes(&small) < events * 20 + 500 * 400, "{} and {}", bytes(&large), bytes(&small));
}

//! Baselines: only new findings count.

use labrys_float::Flags;
use labrys_report::{Baseline, Report, ReportError, Severity, SiteRecord, Verdict, assign_ids, write_json};

use super::{library, samples};

/// Moves everything in the source down by some lines.
fn moved(mut report: Report, lines: u32) -> Report {
    let sites = report.sites.iter_mut().map(|record| &mut record.site);
    let of_findings = report.findings.iter_mut().filter_map(|finding| finding.exception_mut());
    for site in sites.chain(of_findings.map(|details| &mut details.site)) {
        let place = &mut site.place;
        place.line = place.line.map(|line| line + lines);
        place.file = place.file.as_ref().map(|file| format!("/elsewhere/{file}"));
    }
    assign_ids("average", &mut report.findings);
    report
}

#[test]
fn known_findings_do_not_fail_a_run() {
    let report = library::report();
    let baseline = Baseline::of(&report);
    assert_eq!(baseline.len(), 2);
    let mut later = moved(report.clone(), 40);
    assert_ne!(later.findings[0].id, report.findings[0].id);
    assert_eq!((later.exit_code(), later.new_findings()), (1, 2));
    baseline.mark(&mut later);
    assert_eq!((later.exit_code(), later.new_findings()), (0, 0));
    assert!(later.is_known(&later.findings[1].id));

    let mut other = later.clone();
    let details = other.findings[0].exception_mut().expect("an exception");
    details.exception = Flags::INVALID;
    baseline.mark(&mut other);
    assert_eq!(other.new_findings(), 1);

    Baseline::default().mark(&mut later);
    assert_eq!((later.exit_code(), later.known.as_deref()), (1, Some(&[][..])));
}

#[test]
fn a_worse_effect_is_new_and_a_better_one_is_not() {
    let mut report = library::report();
    let baseline = Baseline::of(&report);
    report.findings[1].severity = Severity::Inaccurate;
    baseline.mark(&mut report);
    assert_eq!(report.known, Some(vec![report.findings[0].id.clone()]));
    report.findings[1].severity = Severity::Harmless;
    report.findings[0].severity = Severity::Honest;
    baseline.mark(&mut report);
    assert_eq!(report.new_findings(), 0);
}

#[test]
fn operators_of_one_kind_are_told_apart_by_their_order() {
    let mut report = library::report();
    let baseline = Baseline::of(&report);
    // Another sum before the known one: the known one is now the second.
    let earlier = SiteRecord {
        site: library::site("average", 2, 1, "fadd"),
        exception: Flags::OVERFLOW,
        verdict: Verdict::Unknown { why: "no time was left".to_owned() },
    };
    report.sites.push(earlier);
    baseline.mark(&mut report);
    assert_eq!(report.known.as_ref().map(Vec::len), Some(1));
}

#[test]
fn files_are_read_back_and_bad_ones_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("known.json");
    let read = |text: &str| {
        std::fs::write(&path, text).expect("writable");
        Baseline::read(&path)
    };
    for report in [library::library(30), samples::report(), Report::default()] {
        let baseline = Baseline::of(&report);
        baseline.write(&path).expect("writable");
        assert_eq!(Baseline::read(&path).expect("readable"), baseline);
        assert_eq!(read(&write_json(&report).expect("serialises")).expect("a report will do"), baseline);
        let mut marked = report.clone();
        baseline.mark(&mut marked);
        assert_eq!(marked.exit_code(), 0);
    }
    let error = |text: &str| read(text).expect_err("bad").to_string();
    for text in ["", "[]", "{}", "{\"schema\":\"labrys-baseline/2\"}", "{\"schema\":\"labrys-baseline/1\"}"] {
        let message = error(text);
        assert!(message.contains("known.json") && message.lines().count() == 1, "{message}");
    }
    assert!(error("{\"schema\":\"labrys-baseline/2\"}").contains("labrys-baseline/1"));
    assert!(matches!(Baseline::read("/no/such/file".as_ref()), Err(ReportError::Read { .. })));
}

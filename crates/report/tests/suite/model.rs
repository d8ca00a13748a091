//! The data model: its JSON, order, ids and exit codes.

use super::samples;
use labrys_report::{
    Cause, CauseKind, FoundBy, ReportError, SCHEMA, Severity, SourcePlace, Status, read_report, read_report_file,
    stable_id, write_json,
};

#[test]
fn a_report_survives_a_round_trip() {
    let report = samples::report();
    let text = write_json(&report).expect("serialises");
    assert_eq!(read_report(&text).expect("reads"), report);
    assert_eq!(write_json(&read_report(&text).expect("reads")).expect("serialises"), text);
}

#[test]
fn members_stand_in_the_order_of_the_schema() {
    let text = write_json(&samples::report()).expect("serialises");
    let top: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("  \"")?.split('"').next()).collect();
    let wanted = "schema command version seed analysis status notes target counts findings processor timing";
    assert_eq!(top.join(" "), wanted);
    let in_order = |names: &str| {
        let mut rest = text.as_str();
        for name in names.split(' ') {
            let at =
                rest.find(&format!("\"{name}\":")).unwrap_or_else(|| panic!("{name} in its place of {names}: {text}"));
            rest = &rest[at + 1..];
        }
    };
    in_order("target file function parameters name type builds role source compiler flags startup");
    in_order(
        "counts conditions conditions_baseline conditions_variant sat unsat unknown unique_inputs diverging_inputs inputs_tested",
    );
    in_order(
        "findings id severity between baseline_clean in_control found_by count summary inputs observations command difference",
    );
    in_order(
        "observations role flags result type decimal hex bits outputs outcome trace_complete trace exceptions file line column function operator",
    );
    assert!(text.contains("\"build_s\": 0.5"), "further timings stand beside wall_s");
}

#[test]
fn other_documents_are_told_apart() {
    assert!(matches!(read_report("{"), Err(ReportError::NotJson(_))));
    assert!(matches!(read_report("[1]"), Err(ReportError::NotAReport)));
    assert!(matches!(read_report(r#"{"version":"2.1.0"}"#), Err(ReportError::NotAReport)));
    let newer = write_json(&samples::report()).expect("serialises").replace(SCHEMA, "labrys-report/3");
    let message = read_report(&newer).expect_err("another version").to_string();
    assert!(message.contains("labrys-report/3") && message.contains(SCHEMA), "{message}");
    let damaged = write_json(&samples::report()).expect("serialises").replace("\"masked\"", "\"odd\"");
    assert!(matches!(read_report(&damaged), Err(ReportError::Shape(_))));
    assert!(matches!(read_report_file("/no/such/report.json".as_ref()), Err(ReportError::Read { .. })));
}

#[test]
fn unknown_members_are_additions() {
    let text = write_json(&samples::report()).expect("serialises").replacen('{', "{\n  \"novelty\": [1, 2],", 1);
    assert_eq!(read_report(&text).expect("reads"), samples::report());
}

#[test]
fn worst_first_and_outside_the_contract_last() {
    let mut report = samples::report();
    let mut ulps = samples::introduced();
    ulps.severity = Severity::Ulps;
    let mut in_control = samples::introduced();
    samples::of_difference(&mut in_control).in_control = true;
    report.findings = vec![samples::masked(), ulps.clone(), in_control.clone(), samples::introduced()];
    report.sort_findings();
    let order: Vec<_> = report
        .findings
        .iter_mut()
        .map(|finding| (finding.severity, samples::of_difference(finding)))
        .map(|(severity, details)| (severity, details.in_control, details.baseline_clean))
        .collect();
    let wanted = [
        (Severity::Introduced, false, true),
        (Severity::Introduced, true, true),
        (Severity::Ulps, false, true),
        (Severity::Masked, false, false),
    ];
    assert_eq!(order, wanted);
}

#[test]
fn exit_codes_follow_findings_then_limits() {
    let mut report = samples::report();
    assert_eq!(report.exit_code(), 1);
    report.status = Status::Limit;
    assert_eq!(report.exit_code(), 1);
    report.findings.clear();
    assert_eq!(report.exit_code(), 3);
    report.status = Status::Complete;
    assert_eq!(report.exit_code(), 0);
}

/// Whether flags have been looked for must not make another finding of it.
#[test]
fn ids_do_not_depend_on_what_flags_are_blamed() {
    let mut finding = samples::introduced();
    let place = SourcePlace { file: Some("f.c".to_owned()), line: Some(3), column: Some(9) };
    let cause = |kind| Cause { kind, place: place.clone(), operator: "fadd".to_owned() };
    let details = samples::of_difference(&mut finding);
    (details.is_grouped, details.cause) = (true, Some(Cause::licence("-ffast-math")));
    let id = stable_id("f", &finding);
    samples::of_difference(&mut finding).set_cause(Some(cause(CauseKind::Operation)));
    assert_eq!(stable_id("f", &finding), id);
    samples::of_difference(&mut finding).set_cause(None);
    assert_eq!(stable_id("f", &finding), id);
    samples::of_difference(&mut finding).set_cause(Some(Cause::licence("-ffast-math")));
    assert_eq!((stable_id("f", &finding), samples::of_difference(&mut finding).grouped_by.clone()), (id, None));
}

#[test]
fn ids_depend_on_the_divergence_only() {
    let finding = samples::introduced();
    let id = stable_id("f", &finding);
    assert!(id.len() == 12 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");

    let mut same = finding.clone();
    same.count = 99;
    same.found_by = FoundBy::Random;
    same.inputs[0] = labrys_report::Value::float("x", &labrys_float::Float::from_f64(3e250));
    let events = same.observations[1].trace.clone();
    same.observations[1].trace.extend(events);
    assert_eq!(stable_id("f", &same), id, "witness, counts and repeated events do not matter");

    let mut other_site = finding.clone();
    other_site.observations[1].trace[0].place.column = Some(14);
    let mut other_severity = finding.clone();
    other_severity.severity = Severity::Masked;
    let mut other_builds = finding.clone();
    samples::of_difference(&mut other_builds).between[1] = "variant2".to_owned();
    let others = [
        stable_id("g", &finding),
        stable_id("f", &other_site),
        stable_id("f", &other_severity),
        stable_id("f", &other_builds),
    ];
    assert!(others.iter().all(|other| *other != id), "{id}: {others:?}");
}

#[test]
fn equal_ids_get_suffixes() {
    let mut findings = vec![samples::masked(), samples::masked(), samples::introduced()];
    labrys_report::assign_ids("f", &mut findings);
    assert_eq!(findings[1].id, format!("{}-2", findings[0].id));
    assert_ne!(findings[2].id, findings[0].id);
}

#[test]
fn a_findings_file_is_a_report_with_one_finding() {
    let report = samples::report();
    let id = report.findings[1].id.clone();
    let single = report.with_only(&id).expect("there is such a finding");
    assert_eq!((single.findings.len(), &single.findings[0].id, &single.target), (1, &id, &report.target));
    assert!(report.with_only("none").is_none());
}

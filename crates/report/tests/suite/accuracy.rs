//! A hand-made report of `accuracy`: the terminal's words and the page's.

use labrys_report::{
    AccuracyDetails, Analysis, Details, ErrorCause, ErrorMeasures, ErrorOperations, JointBackwardError, Report,
    Severity, SourcePlace, Sources, Style, read_report, terminal, write_json,
};

use super::samples;

fn cause(column: u32, operator: &str, share: f64) -> ErrorCause {
    let place = SourcePlace::new(Some("f.c".to_owned()), 3, column);
    ErrorCause { place, operator: operator.to_owned(), share, cancelled_bits: 52, ..ErrorCause::default() }
}

/// One finding, and ten operations of which it has the worst.
pub fn report() -> Report {
    let mut report = samples::report();
    report.analysis = Analysis::Accuracy;
    report.findings.truncate(1);
    let finding = &mut report.findings[0];
    finding.severity = Severity::Unstable;
    finding.observations.truncate(1);
    let measures = |bits| ErrorMeasures {
        bits: Some(bits),
        ulps: Some(bits.exp2()),
        absolute: Some(1.0),
        ..ErrorMeasures::default()
    };
    finding.details = Details::Accuracy(AccuracyDetails {
        output: "out[1]".to_owned(),
        result: "2.0".to_owned(),
        truth: "1.0".to_owned(),
        error: measures(40.0),
        backward_error: Some(1e-16),
        joint_backward_error: Some(JointBackwardError { outputs: 4, change: None }),
        causes: vec![cause(18, "fmul", 0.75), cause(14, "fdiv", 0.25)],
        ..AccuracyDetails::default()
    });
    let mut operations = ErrorOperations::default();
    operations.add(40.0, &[cause(18, "fmul", 0.75), cause(14, "fdiv", 0.25)]);
    for column in 20..40 {
        operations.add(f64::from(column) / 10.0, &[cause(column, "fadd", 1.0)]);
    }
    operations.add(64.0, &[]);
    report.operations = Some(operations.ranked(ErrorOperations::TOLD));
    report
}

/// The same with an error whose fault is not known.
pub fn unclassified() -> Report {
    let mut report = report();
    let finding = &mut report.findings[0];
    finding.severity = Severity::Unclassified;
    if let Details::Accuracy(details) = &mut finding.details {
        details.fault_unknown = Some("there was no time for its derivatives".to_owned());
    }
    report
}

#[test]
fn what_made_most_of_all_errors_is_told_worst_first() {
    let text = terminal(&report(), &Style { colour: false, width: 120, all: true }, &Sources::default());
    assert!(text.contains("most of 21 errors that are certain was made by\n     30 %  fmul at f.c:3:18, in 1 error, cancels up to 52 bits\n"), "{text}");
    assert_eq!(text.matches(" %  f").count(), 10, "{text}");
    assert!(text.contains("and in 1 other error no operation's rounding alone has a part"), "{text}");
    assert!(
        text.contains("of 4 outputs") && text.contains("infinite: no change of the inputs makes all exact"),
        "{text}"
    );
}

/// Such a finding said nothing of which of its reasons it was.
#[test]
fn errors_whose_fault_is_not_known_say_why() {
    let style = Style { colour: false, width: 160, all: true };
    let report = unclassified();
    let text = terminal(&report, &style, &Sources::default());
    assert!(text.contains("whose fault it is is not known: there was no time for its derivatives"), "{text}");
    let text = terminal(&self::report(), &style, &Sources::default());
    assert!(!text.contains("whose fault"), "{text}");
}

/// A limit of a second took 2.6 seconds on a busy machine, and nothing said why.
#[test]
fn waiting_for_processors_is_told() {
    let mut report = report();
    report.timing.wall_s = 2.6;
    let line = |report: &Report| {
        terminal(report, &Style { colour: false, width: 120, all: true }, &Sources::default())
            .lines()
            .find(|line| line.contains(" inputs in 2.6 s"))
            .map(str::to_owned)
    };
    assert!(line(&report).is_some_and(|line| !line.contains("waiting")));
    report.timing.more.insert("waited_for_processors_s".to_owned(), 1.6);
    assert!(line(&report).is_some_and(|line| line.contains("in 2.6 s, 1.6 s of them waiting for processors")));
    report.timing.more.insert("waited_for_processors_s".to_owned(), 0.1);
    assert!(line(&report).is_some_and(|line| !line.contains("waiting")));
}

#[test]
fn it_is_read_as_it_was_written() {
    for report in [report(), unclassified()] {
        let json = write_json(&report).expect("serialises");
        let again = read_report(&json).expect("is read");
        assert_eq!(again, report);
    }
}

//! Hand-made reports.

use labrys_float::{Flags, Float};
use labrys_report::{
    BuildInfo, Details, DifferenceDetails, Finding, FoundBy, ObservationRecord, OutcomeKind, ParameterInfo, Report,
    Severity, SourcePlace, Startup, Target, TraceEvent, Value, assign_ids,
};

/// `f.c` of the sample reports.
pub const SOURCE: &str = "// A quotient and a product.\ndouble f(double x, double y) {\n    return x / x * y;\n}\n";

/// A double without a name: a result.
pub fn result(value: f64) -> Value {
    Value { name: None, ..Value::float("", &Float::from_f64(value)) }
}

/// An event in `f.c`.
pub fn event(exceptions: Flags, line: u32, column: u32, operator: &str) -> TraceEvent {
    TraceEvent {
        exceptions,
        place: SourcePlace::new(Some("f.c".to_owned()), line, column),
        function: Some("f".to_owned()),
        operator: operator.to_owned(),
        ..TraceEvent::default()
    }
}

/// What a build returned.
pub fn observation(role: &str, value: f64, trace: Vec<TraceEvent>) -> ObservationRecord {
    let flags = trace.iter().fold(Flags::empty(), |flags, event| flags | event.exceptions);
    ObservationRecord {
        role: role.to_owned(),
        flags,
        result: Some(result(value)),
        outcome: OutcomeKind::Returned,
        trace_complete: true,
        trace,
        ..ObservationRecord::default()
    }
}

/// A build with clang.
pub fn build(role: &str, flags: &[&str]) -> BuildInfo {
    BuildInfo {
        role: role.to_owned(),
        source: "f.c".to_owned(),
        compiler: "clang 22.1.8".to_owned(),
        flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
        startup: Startup::Default,
        executable: Some("clang-22".to_owned()),
        link: Vec::new(),
    }
}

/// A difference between the baseline and the variant.
fn difference(baseline_clean: bool) -> Details {
    let between = vec!["baseline".to_owned(), "variant".to_owned()];
    Details::Difference(DifferenceDetails { between, baseline_clean, ..DifferenceDetails::default() })
}

/// The details of a difference.
pub fn of_difference(finding: &mut Finding) -> &mut DifferenceDetails {
    finding.difference_mut().expect("a difference")
}

/// x/x folded: the baseline raises invalid at 0/0, the variant returns y.
pub fn masked() -> Finding {
    Finding {
        id: String::new(),
        severity: Severity::Masked,
        found_by: FoundBy::Solver,
        count: 12,
        summary: "baseline raises invalid and returns nan, variant returns 1".to_owned(),
        inputs: vec![Value::float("x", &Float::from_f64(0.0)), Value::float("y", &Float::from_f64(1.0))],
        observations: vec![
            observation("baseline", f64::NAN, vec![event(Flags::INVALID, 3, 14, "fdiv")]),
            observation("variant", 1.0, Vec::new()),
            observation("control", f64::NAN, vec![event(Flags::INVALID, 3, 14, "fdiv")]),
        ],
        command: Some("labrys replay out/ID.json".to_owned()),
        called_at: Vec::new(),
        details: difference(false),
        notes: Vec::new(),
    }
}

/// An overflow in the variant only.
pub fn introduced() -> Finding {
    let event = event(Flags::OVERFLOW, 3, 18, "fmul");
    Finding {
        severity: Severity::Introduced,
        details: difference(true),
        found_by: FoundBy::Neighbourhood,
        count: 3,
        summary: "variant raises overflow and returns inf, baseline is clean and returns 1e+300".to_owned(),
        inputs: vec![Value::float("x", &Float::from_f64(1e200)), Value::float("y", &Float::from_f64(1e300))],
        observations: vec![
            observation("baseline", 1e300, Vec::new()),
            observation("variant", f64::INFINITY, vec![event]),
        ],
        ..masked()
    }
}

/// A report with both, in order.
pub fn report() -> Report {
    let parameter = |name: &str| ParameterInfo { name: name.to_owned(), type_name: "double".to_owned() };
    let mut report = Report {
        command: ["labrys", "diff", "f.c"].map(str::to_owned).to_vec(),
        target: Target {
            file: "f.c".to_owned(),
            function: "f".to_owned(),
            line: Some(2),
            parameters: vec![parameter("x"), parameter("y")],
            builds: vec![
                build("baseline", &["-O0"]),
                build("variant", &["-O3", "-ffast-math"]),
                build("control", &["-O3", "-ffp-contract=off"]),
            ],
        },
        findings: vec![masked(), introduced()],
        processor: Some("a processor".to_owned()),
        ..Report::default()
    };
    report.counts.inputs_tested = 123_456;
    report.counts.diverging_inputs = 15;
    report.timing.wall_s = 1.25;
    report.timing.more.insert("build_s".to_owned(), 0.5);
    assign_ids("f", &mut report.findings);
    report.sort_findings();
    report
}

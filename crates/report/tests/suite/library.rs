//! Hand-made reports of `exceptions`: of one function, and of a library of any size.

use labrys_float::{Flags, Float};
use labrys_report::{
    Analysis, Details, ExceptionDetails, Finding, FoundBy, FunctionSummary, Opinion, ParameterInfo, Report, Route,
    Severity, SiteKey, SiteRecord, SourcePlace, Sources, Status, Target, Value, Verdict, VerdictCounts, assign_ids,
};

use super::samples;

/// `average.c` of these reports.
pub const SOURCE: &str = "/* The average of two numbers. */\ndouble average(double x, double y) {\n    double sum = x + y;\n    return sum / 2;\n}\n";

/// A site of `average.c`.
pub fn site(function: &str, line: u32, column: u32, operator: &str) -> SiteKey {
    SiteKey {
        place: SourcePlace::new(Some("average.c".to_owned()), line, column),
        function: function.to_owned(),
        operator: operator.to_owned(),
    }
}

/// An exception that a function raises at a site.
pub fn finding(site: SiteKey, exception: Flags, severity: Severity, result: f64) -> Finding {
    let event = labrys_report::TraceEvent {
        place: site.place.clone(),
        function: Some(site.function.clone()),
        ..samples::event(exception, 0, 0, &site.operator)
    };
    let name = exception.names()[0];
    Finding {
        id: String::new(),
        severity,
        found_by: FoundBy::Guided,
        count: 2,
        summary: format!("{name} in {}; the result is {result}", site.operator),
        inputs: vec![Value::float("x", &Float::from_f64(1.5e308)), Value::float("y", &Float::from_f64(1e308))],
        observations: vec![samples::observation("baseline", result, vec![event])],
        command: Some("labrys replay out/ID.json".to_owned()),
        called_at: Vec::new(),
        details: Details::Exception(ExceptionDetails {
            site,
            exception,
            output: None,
            error_ulps: None,
            true_result: Some("1.25e308".to_owned()),
            avoidable: Some(true),
            reachable_from: Vec::new(),
            not_seen_from: Vec::new(),
            only_direct: None,
        }),
        notes: Vec::new(),
    }
}

/// A proof.
pub fn unreachable() -> Verdict {
    Verdict::Unreachable {
        engine: "ranges".to_owned(),
        scope: "ir".to_owned(),
        assumptions: vec!["the IR is read strictly".to_owned(), "libm is within 4 ulps".to_owned()],
        opinion: None,
    }
}

/// The verdicts of one function's two sites.
fn sites(function: &str, line: u32, found: &str, unknown: &str) -> Vec<SiteRecord> {
    let record = |site: SiteKey, exception, verdict| SiteRecord { site, exception, verdict };
    let (sum, quotient) = (site(function, line, 20, "fadd"), site(function, line + 1, 16, "fdiv"));
    vec![
        record(sum.clone(), Flags::INVALID, unreachable()),
        record(sum, Flags::OVERFLOW, Verdict::Reachable { finding: found.to_owned() }),
        record(quotient.clone(), Flags::INVALID, unreachable()),
        record(
            quotient.clone(),
            Flags::OVERFLOW,
            Verdict::UnreachableWithinBound {
                engine: "portfolio".to_owned(),
                scope: "ir".to_owned(),
                assumptions: vec!["the IR is read strictly".to_owned()],
                opinion: Some(Opinion::Confirmed { by: "z3 5.4.0".to_owned() }),
                loop_bound: 8,
            },
        ),
        record(quotient, Flags::UNDERFLOW, Verdict::Unknown { why: unknown.to_owned() }),
    ]
}

/// The report of `average`: a lost overflow, and a harmless underflow.
pub fn report() -> Report {
    let parameter = |name: &str| ParameterInfo { name: name.to_owned(), type_name: "double".to_owned() };
    let lost = finding(site("average", 3, 20, "fadd"), Flags::OVERFLOW, Severity::Lost, f64::INFINITY);
    let mut harmless = finding(site("average", 4, 16, "fdiv"), Flags::UNDERFLOW, Severity::Harmless, 0.0);
    harmless.exception_mut().expect("an exception").error_ulps = Some(0.5);
    let mut report = Report {
        command: ["labrys", "exceptions", "average.c"].map(str::to_owned).to_vec(),
        analysis: Analysis::Exceptions,
        target: Target {
            file: "average.c".to_owned(),
            function: "average".to_owned(),
            line: None,
            parameters: vec![parameter("x"), parameter("y")],
            builds: vec![samples::build("baseline", &["-O0"])],
        },
        findings: vec![harmless, lost],
        processor: Some("a processor".to_owned()),
        ..Report::default()
    };
    assign_ids("average", &mut report.findings);
    report.sort_findings();
    report.sites = sites("average", 3, &report.findings[0].id, "no time was left");
    report.counts.inputs_tested = 4_000;
    report.timing.wall_s = 2.5;
    report
}

/// A source for [`library`].
pub fn library_sources(functions: usize) -> Sources {
    let text: String = (0..functions).map(|index| SOURCE.replace("average", &format!("average_{index}"))).collect();
    let mut sources = Sources::default();
    sources.insert("average.c", text.into_bytes());
    sources
}

/// A library of as many functions, with a finding of each kind in turn: every fourth is static, every seventh failed.
pub fn library(functions: usize) -> Report {
    let mut report = Report { findings: Vec::new(), sites: Vec::new(), ..report() };
    (report.target.file, report.target.function) = ("build".to_owned(), String::new());
    for index in 0..functions {
        let (name, line) = (format!("average_{index}"), 5 * index as u32 + 3);
        let failure = (index % 7 == 6).then(|| "parameter f: a function pointer cannot be made up".to_owned());
        let mut findings = Vec::new();
        let mut own = Vec::new();
        if failure.is_none() {
            let severity = Severity::EFFECTS[index % 5];
            let exception = [Flags::OVERFLOW, Flags::UNDERFLOW, Flags::INVALID, Flags::DIVBYZERO][index % 4];
            let mut found = finding(site(&name, line, 20, "fadd"), exception, severity, f64::INFINITY);
            let details = found.exception_mut().expect("an exception");
            if index % 3 == 0 {
                let inputs = vec![Value::float("a", &Float::from_f64(2.0))];
                let (entry, chain) = ("mean".to_owned(), vec!["mean".to_owned(), name.clone()]);
                details.reachable_from = vec![Route { entry, chain, inputs }];
            }
            findings = vec![found];
            assign_ids(&name, &mut findings);
            own = sites(&name, line, &findings[0].id, if index % 2 == 0 { "no time was left" } else { "a call" });
        }
        report.functions.push(FunctionSummary {
            function: name,
            file: Some("average.c".to_owned()),
            line: Some(line - 1),
            is_public: index % 4 != 3,
            parameters: report.target.parameters.clone(),
            status: if index % 11 == 10 { Status::Limit } else { Status::Complete },
            all_paths: index % 2 == 0,
            failure,
            sites: VerdictCounts::of(&own),
            findings: findings.iter().map(|finding| finding.id.clone()).collect(),
        });
        report.findings.extend(findings);
        report.sites.extend(own);
    }
    report.sort_findings();
    report
}

/// A library's report in which each finding's trace has as many events before its own: those of its callees, the same for
/// every tenth function.
pub fn with_traces(mut report: Report, events: u32) -> Report {
    for (index, finding) in report.findings.iter_mut().enumerate() {
        let trace = &mut finding.observations[0].trace;
        let own = trace.len();
        trace.extend((0..events).map(|event| labrys_report::TraceEvent {
            place: SourcePlace::new(Some("average.c".to_owned()), 10 * (index as u32 % 10) + event, 3),
            function: Some(format!("callee_{event}")),
            ..samples::event(Flags::UNDERFLOW, 0, 0, "fmul")
        }));
        trace.rotate_left(own);
    }
    report
}

/// A library of one function with as many findings, each at a site of its own.
pub fn crowded(findings: u32) -> Report {
    let mut report = library(5);
    let record = |line| SiteRecord {
        site: site("average_0", line, 20, "fadd"),
        exception: Flags::OVERFLOW,
        verdict: Verdict::Unknown { why: "no time was left".to_owned() },
    };
    report.sites = (1..=findings).map(record).collect();
    let found = |line| finding(site("average_0", line, 20, "fadd"), Flags::OVERFLOW, Severity::Lost, f64::INFINITY);
    report.findings = (1..=findings).map(found).collect();
    assign_ids("average_0", &mut report.findings);
    report.functions.truncate(1);
    report.functions[0].findings = report.findings.iter().map(|finding| finding.id.clone()).collect();
    report.sort_findings();
    report
}

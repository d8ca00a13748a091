//! JUnit's XML, as Jenkins reads it (`jenkins-junit.xsd` of its xUnit plugin).
//!
//! A function of a library, or a report's target, is a suite; each finding that makes the run fail is a test of it that failed. A suite without
//! any has one test, that passed, or was skipped where the function could not be analysed, or a limit ended the run.

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use crate::subject::Subjects;
use crate::visible::visible;
use crate::{Finding, FunctionSummary, Report, ReportError, Severity, SourcePlace, Status, Value};

/// The report as a file of test suites.
///
/// # Errors
///
/// Where it cannot be written.
pub fn junit(report: &Report) -> Result<String, ReportError> {
    let mut xml = Writer::new_with_indent(Vec::new(), b' ', 2);
    write(&mut xml, report).map_err(ReportError::Xml)?;
    let mut text = String::from_utf8_lossy(&xml.into_inner()).into_owned();
    text.push('\n');
    Ok(text)
}

/// A test: its name and what became of it.
struct Test<'a> {
    name: String,
    state: State<'a>,
}

enum State<'a> {
    Passed,
    Skipped(&'a str),
    Failed(&'a Finding),
}

/// The tests of a function.
struct Suite<'a> {
    function: &'a str,
    file: &'a str,
    tests: Vec<Test<'a>>,
}

impl Suite<'_> {
    fn count(&self, wanted: impl Fn(&State<'_>) -> bool) -> usize {
        self.tests.iter().filter(|test| wanted(&test.state)).count()
    }

    fn failures(&self) -> usize {
        self.count(|state| matches!(state, State::Failed(_)))
    }

    fn skipped(&self) -> usize {
        self.count(|state| matches!(state, State::Skipped(_)))
    }
}

fn write(xml: &mut Writer<Vec<u8>>, report: &Report) -> std::io::Result<()> {
    let suites = suites(report);
    let sum = |of: fn(&Suite<'_>) -> usize| suites.iter().map(of).sum::<usize>().to_string();
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let mut root = BytesStart::new("testsuites");
    root.push_attribute(("name", format!("labrys {}", report.analysis.name()).as_str()));
    root.push_attribute(("tests", sum(|suite| suite.tests.len()).as_str()));
    root.push_attribute(("failures", sum(|suite| suite.failures()).as_str()));
    xml.write_event(Event::Start(root))?;
    for suite in &suites {
        write_suite(xml, suite)?;
    }
    xml.write_event(Event::End(BytesEnd::new("testsuites")))
}

/// A suite for each function, in the report's order.
fn suites(report: &Report) -> Vec<Suite<'_>> {
    let subjects = Subjects::new(report);
    let counts = |finding: &&Finding| finding.severity != Severity::Benign && !report.is_known(&finding.id);
    let failed = |finding| Test { name: test_name(finding), state: State::Failed(finding) };
    let passed = |state| Test { name: report.analysis.name().to_owned(), state };
    if report.functions.is_empty() {
        let mut tests: Vec<Test<'_>> = report.findings.iter().filter(counts).map(failed).collect();
        if tests.is_empty() {
            tests.push(passed(unfinished(report).map_or(State::Passed, State::Skipped)));
        }
        return vec![Suite { function: &report.target.function, file: &report.target.file, tests }];
    }
    let suite = |unit| {
        let subject = subjects.of_unit(unit);
        let FunctionSummary { findings, failure, .. } = unit;
        let of_unit = report.findings.iter().filter(|finding| findings.contains(&finding.id));
        let mut tests: Vec<Test<'_>> = of_unit.filter(counts).map(failed).collect();
        if tests.is_empty() {
            let cut = (unit.status == Status::Limit).then_some(CUT_SHORT);
            tests.push(passed(failure.as_deref().or(cut).map_or(State::Passed, State::Skipped)));
        }
        Suite { function: subject.function, file: subject.file, tests }
    };
    let mut suites: Vec<Suite<'_>> = report.functions.iter().map(suite).collect();
    // Of functions that were not come to there is no word.
    if report.status == Status::Limit && suites.iter().all(|suite| suite.skipped() == 0) {
        let tests = vec![passed(State::Skipped(CUT_SHORT))];
        suites.push(Suite { function: report.analysis.name(), file: &report.target.file, tests });
    }
    suites
}

/// Of a test that did not fail in a run that a limit ended.
const CUT_SHORT: &str = "a limit on time ended the run";

/// Why a run without findings has not passed, if it has not.
fn unfinished(report: &Report) -> Option<&str> {
    (report.exit_code() == 3).then(|| {
        let reasons =
            report.verification.as_ref().map(|of| &of.reasons).or(report.coverage.as_ref().map(|of| &of.reasons));
        reasons.and_then(|reasons| reasons.first()).map_or(CUT_SHORT, String::as_str)
    })
}

fn test_name(finding: &Finding) -> String {
    format!("{} {}", finding.severity.name(), finding.id)
}

fn write_suite(xml: &mut Writer<Vec<u8>>, suite: &Suite<'_>) -> std::io::Result<()> {
    let function = visible(suite.function);
    let mut start = BytesStart::new("testsuite");
    start.push_attribute(("name", &*function));
    start.push_attribute(("tests", suite.tests.len().to_string().as_str()));
    start.push_attribute(("failures", suite.failures().to_string().as_str()));
    start.push_attribute(("errors", "0"));
    start.push_attribute(("skipped", suite.skipped().to_string().as_str()));
    xml.write_event(Event::Start(start))?;
    for test in &suite.tests {
        let mut start = BytesStart::new("testcase");
        start.push_attribute(("classname", &*visible(&format!("{}.{}", suite.file, suite.function))));
        start.push_attribute(("name", test.name.as_str()));
        match test.state {
            State::Passed => xml.write_event(Event::Empty(start))?,
            State::Skipped(why) => {
                xml.write_event(Event::Start(start))?;
                let mut skipped = BytesStart::new("skipped");
                skipped.push_attribute(("message", &*visible(why)));
                xml.write_event(Event::Empty(skipped))?;
                xml.write_event(Event::End(BytesEnd::new("testcase")))?;
            }
            State::Failed(finding) => {
                xml.write_event(Event::Start(start))?;
                write_failure(xml, finding)?;
                xml.write_event(Event::End(BytesEnd::new("testcase")))?;
            }
        }
    }
    xml.write_event(Event::End(BytesEnd::new("testsuite")))
}

/// What a finding says, its witness and how to see it again.
fn write_failure(xml: &mut Writer<Vec<u8>>, finding: &Finding) -> std::io::Result<()> {
    let mut failure = BytesStart::new("failure");
    failure.push_attribute(("type", finding.severity.name()));
    failure.push_attribute(("message", &*visible(&finding.summary)));
    xml.write_event(Event::Start(failure))?;
    let mut lines = vec![finding.severity.meaning().to_owned()];
    lines.extend(finding.place().and_then(SourcePlace::words).map(|place| format!("at {place}")));
    let shown = |value: &Value| {
        let number = value.hex.as_deref().or(value.decimal.as_deref()).unwrap_or("?");
        format!("{} = {number}", value.name.as_deref().unwrap_or("?"))
    };
    lines.extend(finding.inputs.iter().flat_map(Value::scalars).map(shown));
    lines.extend(finding.command.iter().map(|command| format!("again: {command}")));
    let lines: Vec<String> = lines.iter().map(|line| visible(line).into_owned()).collect();
    xml.write_event(Event::Text(BytesText::new(&lines.join("\n"))))?;
    xml.write_event(Event::End(BytesEnd::new("failure")))
}

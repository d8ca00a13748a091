//! What tests cover: as text, as JSON, on the page.

use labrys_program::ScalarType;
use labrys_report::{
    Analysis, Coverage, CoverageGoal, Criterion, FileCounts, GoalCounts, GoalStatus, LineCount, PathNumbers, Report,
    SourcePlace, Sources, Style, TestRecord, Value, html, terminal, write_json,
};

use super::devtools::Browser;

const SOURCE: &str = "int f(int x) {\n  if (x == 3)\n    return 1;\n  if (x * x < 0)\n    return 2;\n  return 3;\n}\n";

fn goal(line: u32, outcome: &str, status: GoalStatus) -> CoverageGoal {
    CoverageGoal {
        criterion: Criterion::Branches,
        function: "f".to_owned(),
        place: SourcePlace::new(Some("f.c".to_owned()), line, 7),
        outcome: outcome.to_owned(),
        status,
    }
}

fn report() -> Report {
    let unknown = GoalStatus::Unknown { why: "the run had no time left <b>".to_owned() };
    let number = |name: &str, value: u8| {
        Value::scalar(Some(name.to_owned()), ScalarType::Int { bits: 32, signed: true }, value.into())
    };
    let test = |index: u8| TestRecord {
        name: format!("test{index:06}"),
        inputs: vec![number("x", index)],
        ending: "the program ends with exit code 0".to_owned(),
        outputs: if index == 1 { vec![number("result", 3)] } else { Vec::new() },
    };
    let lines = [(1, 2), (2, 2), (3, 1), (4, 1), (5, 0), (6, 1), (7, 2)];
    Report {
        command: vec!["labrys".to_owned(), "cover".to_owned(), "f.c".to_owned()],
        analysis: Analysis::Cover,
        coverage: Some(Coverage {
            criterion: Criterion::Branches,
            totals: vec![
                GoalCounts { criterion: Criterion::Lines, total: 7, covered: 6, infeasible: 0 },
                GoalCounts { criterion: Criterion::Branches, total: 4, covered: 2, infeasible: 1 },
            ],
            goals: vec![
                goal(2, "true", GoalStatus::Covered),
                goal(2, "false", GoalStatus::Covered),
                goal(4, "true", GoalStatus::Infeasible),
                goal(4, "false", unknown),
            ],
            tests: (1..=20).map(test).collect(),
            assumptions: vec!["one thread".to_owned()],
            reasons: vec!["the run had no time left <b>".to_owned()],
            contradicted: Vec::new(),
            paths: PathNumbers { completed: 3, violated: 0, given_up: 1, waiting: 2 },
            instructions: 12_345,
            files: vec![FileCounts {
                file: "f.c".to_owned(),
                lines: lines.map(|(line, count)| LineCount { line, count }).to_vec(),
            }],
        }),
        ..Report::default()
    }
}

fn sources() -> Sources {
    let mut sources = Sources::default();
    sources.insert("f.c", SOURCE.as_bytes().to_vec());
    sources
}

#[test]
fn text_has_tests_what_is_left_and_counts() {
    let text = |all: bool| terminal(&report(), &Style { all, ..Style::default() }, &sources());
    for words in [
        "test000001  x=1",
        "result=3",
        "the program ends with exit code 0",
        "and 8 more (--all)",
        "f.c:4:7 true",
        "infeasible, in f",
        "unknown: the run had no time left <b>, in f",
        "one thread",
        "branches: 2 of 4 covered (50.0 %), 1 infeasible, 1 unknown",
        // Of what was not asked for only what is covered.
        "lines: 6 of 7 covered (85.7 %)\n",
        "20 tests; 3 paths completed, 1 given up, 2 waiting; 12,345 instructions",
    ] {
        assert!(text(false).contains(words), "{words} is not in\n{}", text(false));
    }
    assert!(text(true).contains("test000020") && !text(false).contains("test000020"));
}

#[test]
fn exit_codes_say_what_is_known() {
    let mut report = report();
    assert_eq!(report.exit_code(), 3);
    let coverage = report.coverage.as_mut().expect("it");
    coverage.goals.pop();
    coverage.reasons.clear();
    assert_eq!(report.exit_code(), 0);
    report.coverage.as_mut().expect("it").contradicted.push("f.c:4:7".to_owned());
    assert_eq!(report.exit_code(), 4);
    assert!(terminal(&report, &Style::default(), &sources()).contains("please report this"));
}

#[test]
fn reports_come_back() {
    let text = write_json(&report()).expect("writes");
    let read: Report = serde_json::from_str(&text).expect("reads");
    assert_eq!(read, report());
    let value: serde_json::Value = serde_json::from_str(&text).expect("reads");
    let goal = &value["coverage"]["goals"][3];
    assert_eq!((goal["line"].as_u64(), goal["status"].as_str()), (Some(4), Some("unknown")), "{goal:#}");
    assert_eq!(goal["file"], "f.c");
}

#[test]
fn the_page_has_the_source_with_its_counts() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("page.html");
    std::fs::write(&path, html(&report(), &sources()).expect("renders")).expect("writable");
    let mut browser = Browser::start(&folder.path().join("profile"));
    for (width, scheme) in [(1200, "light"), (360, "dark")] {
        browser.open(&path, "", width, scheme);
        browser.wait("document.querySelectorAll('pre.covered .line').length === 7");
        let mut text = |expression: &str| browser.evaluate(expression).as_str().unwrap_or_default().to_owned();
        let line = |number: u32| format!("document.querySelectorAll('pre.covered .line')[{}].textContent", number - 1);
        assert!(text(&line(3)).contains("return 1;"));
        assert!(text(&line(4)).contains("true: infeasible, proved") && text(&line(4)).contains("false: unknown"));
        let kinds = "[...document.querySelectorAll('pre.covered .line')].map((of) => of.classList[1] ?? '').join(' ')";
        assert_eq!(text(kinds), "hit hit hit partly missed hit hit");
        assert!(text("document.body.textContent").contains("branches: 2 of 4 (50.0 %)"));
        assert!(text("document.body.textContent").contains("the run had no time left <b>"));
        let overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(browser.evaluate(overflow).as_u64(), Some(0), "the page is wider than the window");
        assert_eq!(browser.complaints, Vec::<String>::new());
    }
}

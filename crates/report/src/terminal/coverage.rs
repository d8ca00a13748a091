//! What tests cover, and what they leave.

use super::style::Style;
use super::summary::{grouped, listed, notes, plural, seconds};
use super::table::{Row, columns};
use crate::{Coverage, CoverageGoal, Criterion, GoalCounts, GoalStatus, Report, TestRecord, Value};

/// More tests than these are counted only, unless everything is to be shown.
const TESTS_SHOWN: usize = 12;
/// The same of goals that are not covered.
const GOALS_SHOWN: usize = 24;
/// Characters of a value beyond which it is cut.
const VALUE: usize = 40;

/// The tests, what they leave uncovered, and the counts.
pub(super) fn summary(report: &Report, style: &Style) -> String {
    let Some(coverage) = &report.coverage else { return notes(report, style) };
    let mut text = tests(coverage, style);
    text.push_str(&left_over(coverage, style));
    let mut list = |head: &str, items: &[String]| text.push_str(&listed(head, items, style));
    if coverage.goals.iter().any(|goal| goal.status == GoalStatus::Infeasible) {
        list("infeasible assuming", &coverage.assumptions);
    }
    list("not known because", &coverage.reasons);
    if !coverage.contradicted.is_empty() {
        let places = coverage.contradicted.join(", ");
        let words = format!("native runs did what was proved to be impossible, at {places}: please report this");
        text.push_str(&format!("{}\n", style.marked(&words)));
    }
    text.push_str(&totals(coverage, style));
    let paths = coverage.paths;
    text.push_str(&format!(
        "  {}; {} completed, {} given up, {} waiting; {} instructions in {}\n",
        plural(coverage.tests.len() as u64, "test", "tests"),
        plural(paths.completed, "path", "paths"),
        grouped(paths.given_up),
        grouped(paths.waiting),
        grouped(coverage.instructions),
        seconds(report),
    ));
    text.push_str(&notes(report, style));
    text
}

fn tests(coverage: &Coverage, style: &Style) -> String {
    let shown = if style.all { coverage.tests.len() } else { TESTS_SHOWN };
    let mut rows: Vec<Row> = Vec::new();
    for test in coverage.tests.iter().take(shown) {
        let inputs: Vec<String> = test.inputs.iter().map(named).collect();
        rows.push(Row { name: test.name.clone(), cells: vec![inputs.join("  "), did(test)], marked: false });
    }
    if rows.is_empty() {
        return String::new();
    }
    let head = Row { name: String::new(), cells: vec!["inputs".to_owned(), "natively".to_owned()], marked: false };
    rows.insert(0, head);
    let mut text = columns(&rows, style.columns(), |cell| style.faint(cell), str::to_owned);
    if coverage.tests.len() > shown {
        text.push_str(&format!("  and {} more (--all)\n", coverage.tests.len() - shown));
    }
    text.push('\n');
    text
}

fn named(value: &Value) -> String {
    let name = value.name.as_deref().unwrap_or_default();
    let text = value.decimal.as_deref().unwrap_or_default();
    let cut: String = text.chars().take(VALUE).collect();
    let more = if text.chars().count() > VALUE { "…" } else { "" };
    format!("{name}={cut}{more}")
}

/// What a test computed, or how it ended.
fn did(test: &TestRecord) -> String {
    match test.outputs.as_slice() {
        [] => test.ending.clone(),
        outputs => outputs.iter().take(3).map(named).collect::<Vec<_>>().join("  "),
    }
}

/// Goals that no test covers.
fn left_over(coverage: &Coverage, style: &Style) -> String {
    let left: Vec<&CoverageGoal> = coverage.goals.iter().filter(|goal| goal.status != GoalStatus::Covered).collect();
    let shown = if style.all { left.len() } else { GOALS_SHOWN };
    let row = |goal: &&CoverageGoal| {
        let place = goal.place.words_or_unknown();
        let (status, is_unknown) = match &goal.status {
            GoalStatus::Infeasible => ("infeasible".to_owned(), false),
            GoalStatus::Unknown { why } => (format!("unknown: {why}"), true),
            GoalStatus::Covered => ("covered".to_owned(), false),
        };
        let outcome = if goal.outcome.is_empty() { "line".to_owned() } else { goal.outcome.clone() };
        Row {
            name: format!("{place} {outcome}"),
            cells: vec![format!("{status}, in {}", goal.function)],
            marked: is_unknown,
        }
    };
    let mut rows: Vec<Row> = left.iter().take(shown).map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    rows.insert(0, Row { name: "not covered".to_owned(), cells: vec![String::new()], marked: false });
    let mut text = columns(&rows, style.columns(), |cell| style.faint(cell), |cell| style.marked(cell));
    if left.len() > shown {
        text.push_str(&format!("  and {} more (--all)\n", left.len() - shown));
    }
    text.push('\n');
    text
}

/// A line for each criterion. Of those that were not asked for only what tests cover: others that cover more were left out.
fn totals(coverage: &Coverage, style: &Style) -> String {
    let line = |counts: &GoalCounts| {
        if counts.criterion == Criterion::Paths && coverage.goals.is_empty() {
            let word = if coverage.reasons.is_empty() { "all of them" } else { "there may be more" };
            return format!("{}: {} with a test, {word}\n", style.bold("paths"), grouped(counts.covered));
        }
        let percent = if counts.total == 0 { 100.0 } else { 100.0 * counts.covered as f64 / counts.total as f64 };
        let mut parts =
            vec![format!("{} of {} covered ({percent:.1} %)", grouped(counts.covered), grouped(counts.total))];
        let is_asked = counts.criterion == coverage.criterion;
        if is_asked && counts.infeasible > 0 {
            parts.push(format!("{} infeasible", grouped(counts.infeasible)));
        }
        if is_asked && counts.unknown() > 0 {
            parts.push(format!("{} unknown", grouped(counts.unknown())));
        }
        let name = counts.criterion.name();
        let name = if is_asked { style.bold(name) } else { name.to_owned() };
        format!("{name}: {}\n", parts.join(", "))
    };
    coverage.totals.iter().map(line).collect()
}

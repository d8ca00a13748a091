//! The end of the report: divergences by severity, work done, remarks.

use super::style::Style;
use super::table::wrap;
use crate::{DifferenceDetails, Finding, Report, Severity, Status};

/// 1234567 as 1,234,567.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub(super) fn plural(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// The table, the work, the remarks.
pub(super) fn render(report: &Report, style: &Style) -> String {
    let mut text = String::new();
    if !report.findings.is_empty() {
        text.push_str(&by_severity(report, style));
        text.push_str(&by_making(report, style));
        text.push('\n');
    }
    text.push_str(&work(report, style));
    text.push_str(&notes(report, style));
    text
}

/// Waiting for processors that others use is told from this part of a run's time on.
const WAITED: f64 = 0.2;

/// How long it took by the clock on the wall. Limits are of the time that a run had for itself.
pub(super) fn seconds(report: &Report) -> String {
    let wall = report.timing.wall_s;
    let waited = report.timing.more.get("waited_for_processors_s").filter(|waited| **waited > WAITED * wall);
    let waited = waited.map_or_else(String::new, |waited| format!(", {waited:.1} s of them waiting for processors"));
    format!("{wall:.1} s{waited}")
}

/// The report's remarks.
pub(super) fn notes(report: &Report, style: &Style) -> String {
    let note = |note: &String| {
        let lines = wrap(&format!("note: {note}"), style.columns());
        format!("{}\n", lines.join("\n      "))
    };
    report.notes.iter().map(note).collect()
}

/// Sentences under a head, not more than a dozen; nothing where there are none.
pub(super) fn listed(head: &str, items: &[String], style: &Style) -> String {
    const SHOWN: usize = 12;
    if items.is_empty() {
        return String::new();
    }
    let mut text = format!("  {head}\n");
    for item in items.iter().take(SHOWN) {
        let lines = wrap(item, style.columns().saturating_sub(6).max(20));
        text.push_str(&format!("    - {}\n", lines.join("\n      ")));
    }
    if items.len() > SHOWN {
        text.push_str(&format!("    and {} more\n", items.len() - SHOWN));
    }
    text
}

/// A row for each severity that was found. An input on which several variants differ is one of each.
fn by_severity(report: &Report, style: &Style) -> String {
    const HEADS: [&str; 5] = ["severity", "divergences", "in control", "outside contract", "inputs"];
    const OF_SEVERAL: [&str; 5] =
        ["severity", "divergences", "in control", "outside contract", "inputs of all variants"];
    let findings = &report.findings;
    let variants = report.target.builds.iter().filter(|build| build.role.starts_with("variant")).count();
    let heads = if variants > 1 { OF_SEVERAL } else { HEADS };
    let line = |cells: [String; 5]| {
        let mut text = format!("  {:<12}", cells[0]);
        for (cell, head) in cells[1..].iter().zip(&heads[1..]) {
            text.push_str(&format!("{cell:>0$}", head.len() + 3));
        }
        text
    };
    let mut text = format!("{}\n", style.bold(&line(heads.map(str::to_owned))));
    for severity in Severity::DIVERGENCES {
        let of: Vec<&Finding> = findings.iter().filter(|finding| finding.severity == severity).collect();
        if of.is_empty() {
            continue;
        }
        let counted = |wanted: &dyn Fn(&DifferenceDetails) -> bool| {
            of.iter().filter(|finding| finding.difference().is_some_and(wanted)).count().to_string()
        };
        let cells = [
            severity.name().to_owned(),
            of.len().to_string(),
            counted(&|details| details.in_control),
            counted(&|details| !details.baseline_clean),
            grouped(of.iter().map(|finding| finding.count).sum()),
        ];
        text.push_str(&format!("{}\n", line(cells)));
    }
    text
}

/// A row for each set of flags that makes findings, the most frequent first; nothing where there are not several findings with one.
fn by_making(report: &Report, style: &Style) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for blame in report.findings.iter().filter_map(|finding| finding.difference()?.blame.as_ref()) {
        let words = blame.flags_in_words();
        match counts.iter_mut().find(|(known, _)| *known == words) {
            Some((_, count)) => *count += 1,
            None => counts.push((words, 1)),
        }
    }
    let known: usize = counts.iter().map(|(_, count)| count).sum();
    if known < 2 {
        return String::new();
    }
    counts.sort_by(|(a, of_a), (b, of_b)| (std::cmp::Reverse(of_a), a).cmp(&(std::cmp::Reverse(of_b), b)));
    let unknown = report.findings.len() - known;
    if unknown > 0 {
        counts.push(("not known".to_owned(), unknown));
    }
    let mut text = format!("{}\n", style.bold("  causes   made by"));
    for (words, count) in counts {
        let lines = wrap(&words, style.columns().saturating_sub(11).max(20));
        text.push_str(&format!("  {:>6}   {}\n", grouped(count as u64), lines.join("\n           ")));
    }
    text
}

/// What was done, and what follows from it.
fn work(report: &Report, style: &Style) -> String {
    let counts = &report.counts;
    let found = report.findings.len() as u64;
    let verdict = if found == 0 && report.status == Status::Failed {
        "nothing was compared".to_owned()
    } else if found == 0 {
        "no difference found".to_owned()
    } else {
        let inputs = plural(counts.diverging_inputs, "input", "inputs");
        let of_finding = |finding: &Finding| finding.difference().map_or(1, |details| details.divergences);
        let divergences = report.findings.iter().map(of_finding).sum();
        let of_causes = match divergences == found {
            true => String::new(),
            false => format!(" of {}", plural(found, "cause", "causes")),
        };
        let known = match report.findings.iter().filter(|finding| report.is_known(&finding.id)).count() as u64 {
            0 => String::new(),
            all if all == found => ", all known".to_owned(),
            some => format!(", {} known", grouped(some)),
        };
        format!("{}{of_causes} on {inputs}{known}", plural(divergences, "distinct divergence", "distinct divergences"))
    };
    let mut text = format!(
        "{}: {} tested in {}, seed {}\n",
        style.bold(&verdict),
        plural(counts.inputs_tested, "input", "inputs"),
        seconds(report),
        report.seed
    );
    if counts.conditions > 0 {
        text.push_str(&format!(
            "{}: {} with a candidate, {} without, {} unknown; {} from the solver\n",
            plural(counts.conditions, "condition", "conditions"),
            grouped(counts.sat),
            grouped(counts.unsat),
            grouped(counts.unknown),
            plural(counts.unique_inputs, "input", "inputs"),
        ));
    }
    if let (Some(tested), Some(divergences)) = (counts.random_inputs_tested, counts.random_divergences) {
        text.push_str(&format!(
            "a plain sampler with {}: {} on {}\n",
            plural(tested, "input", "inputs"),
            plural(divergences, "divergence", "divergences"),
            plural(counts.random_diverging_inputs.unwrap_or(0), "input", "inputs"),
        ));
    }
    if report.status == Status::Limit {
        text.push_str(&format!(
            "{}\n",
            style.marked("cut short by a limit or an interrupt: not all planned work was done")
        ));
    } else if found == 0 && report.status != Status::Failed {
        text.push_str("this is a search, not a proof\n");
    }
    text
}

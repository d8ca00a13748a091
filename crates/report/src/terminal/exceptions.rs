//! The parts that only reports of exceptions have: which findings are shown, and what is known of every site.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::style::Style;
use super::summary::{grouped, notes, plural, seconds};
use super::table::wrap;
use crate::exceptions::{CLASSES, class};
use crate::{Finding, ProofCounts, Report, Severity, SiteRecord, Status, Verdict, VerdictCounts};

/// More findings than these are counted only, unless all are asked for.
const FINDINGS_SHOWN: usize = 20;
/// As many are shown of those that are honest or harmless, where there are no others.
const OTHERS_SHOWN: usize = 3;
/// More reasons than these are counted only.
const REASONS_SHOWN: usize = 8;

/// The findings that are shown of those that are ranked: all, or the first that matter and that the baseline does not have. Where none
/// matters, the first few: whoever reads why a run failed sees a place and an input.
pub(super) fn shown<'a>(report: &Report, ranked: Vec<&'a Finding>, style: &Style) -> Vec<&'a Finding> {
    if style.all {
        return ranked;
    }
    let known: HashSet<&str> = report.known.iter().flatten().map(String::as_str).collect();
    let (mut wanted, others): (Vec<_>, Vec<_>) = ranked
        .into_iter()
        .filter(|finding| !known.contains(finding.id.as_str()))
        .partition(|finding| finding.severity.matters());
    wanted.truncate(FINDINGS_SHOWN);
    if wanted.is_empty() {
        wanted.extend(others.into_iter().take(OTHERS_SHOWN));
    }
    wanted
}

/// Tables, work, remarks.
pub(super) fn summary(report: &Report, shown: usize, style: &Style) -> String {
    let mut text = String::new();
    if !report.findings.is_empty() {
        text.push_str(&effects(report, style));
        text.push('\n');
    }
    if !report.sites.is_empty() {
        text.push_str(&sites(&report.sites, style));
        text.push('\n');
    }
    text.push_str(&reasons("unknown because", unknowns(&report.sites), style));
    text.push_str(&reasons("not analysed because", failures(report), style));
    text.push_str(&functions(report));
    text.push_str(&work(report, shown, style));
    text.push_str(&proofs(report));
    text.push_str(&assumptions(&report.sites, style));
    text.push_str(&notes(report, style));
    text
}

/// A table's line: the first cell to the left, the others to the right under their heads.
fn line(heads: &[&str], cells: &[String]) -> String {
    let mut text = format!("  {:<14}", cells.first().map(String::as_str).unwrap_or_default());
    for (cell, head) in cells.iter().zip(heads).skip(1) {
        text.push_str(&format!("{cell:>0$}", head.chars().count().max(6) + 3));
    }
    text
}

/// Findings by effect and exception.
fn effects(report: &Report, style: &Style) -> String {
    let details = |finding: &Finding| finding.exception().map(|details| class(details.exception));
    let classes: BTreeSet<usize> =
        report.findings.iter().filter_map(details).filter(|of| *of < CLASSES.len()).collect();
    let has_routes = !report.functions.is_empty();
    let mut heads = vec!["effect"];
    heads.extend(classes.iter().filter_map(|class| CLASSES[*class].names().first().copied()));
    heads.extend(["all", "avoidable"]);
    heads.extend(has_routes.then_some("from public functions"));
    let owned: Vec<String> = heads.iter().map(|head| (*head).to_owned()).collect();
    let mut text = format!("{}\n", style.bold(&line(&heads, &owned)));
    for severity in Severity::EFFECTS {
        let of: Vec<&Finding> = report.findings.iter().filter(|finding| finding.severity == severity).collect();
        if of.is_empty() {
            continue;
        }
        let count = |wanted: &dyn Fn(&Finding) -> bool| grouped(of.iter().filter(|of| wanted(of)).count() as u64);
        let mut cells = vec![severity.name().to_owned()];
        cells.extend(classes.iter().map(|class| count(&|of| details(of) == Some(*class))));
        cells.push(grouped(of.len() as u64));
        cells.push(count(&|of| of.exception().is_some_and(|details| details.avoidable == Some(true))));
        if has_routes {
            cells.push(count(&|of| of.exception().is_some_and(|details| !details.reachable_from.is_empty())));
        }
        text.push_str(&format!("{}\n", line(&heads, &cells)));
    }
    text
}

/// Pairs of site and exception by verdict.
fn sites(records: &[SiteRecord], style: &Style) -> String {
    const HEADS: [&str; 5] = ["exception", "reachable", "unreachable", "within the bound", "unknown"];
    let row = |name: &str, counts: VerdictCounts| {
        let numbers = [counts.reachable, counts.unreachable, counts.unreachable_within_bound, counts.unknown];
        let cells: Vec<String> = std::iter::once(name.to_owned()).chain(numbers.map(grouped)).collect();
        format!("{}\n", line(&HEADS, &cells))
    };
    let mut text = format!("{}\n", style.bold(&line(&HEADS, &HEADS.map(str::to_owned))));
    for exception in CLASSES {
        let of: Vec<&SiteRecord> = records.iter().filter(|record| record.exception == exception).collect();
        if !of.is_empty() {
            text.push_str(&row(exception.names().first().copied().unwrap_or_default(), VerdictCounts::of(of)));
        }
    }
    let all = VerdictCounts::of(records);
    text.push_str(&row("all", all));
    text.push_str(&format!(
        "  {} of {} of site and exception decided: {:.1} %\n",
        grouped(all.decided()),
        plural(all.total(), "pair", "pairs"),
        100.0 * all.decided_share()
    ));
    text
}

/// How often each reason stands for an unknown verdict.
fn unknowns(records: &[SiteRecord]) -> BTreeMap<&str, u64> {
    let mut counts = BTreeMap::new();
    for record in records {
        if let Verdict::Unknown { why } = &record.verdict {
            *counts.entry(why.as_str()).or_insert(0) += 1;
        }
    }
    counts
}

/// How often each reason stands for a function that was not analysed.
pub(super) fn failures(report: &Report) -> BTreeMap<&str, u64> {
    let mut counts = BTreeMap::new();
    for failure in report.functions.iter().filter_map(|of| of.failure.as_deref()) {
        *counts.entry(failure).or_insert(0) += 1;
    }
    counts
}

/// Reasons with their counts, most frequent first.
pub(super) fn reasons(title: &str, counts: BTreeMap<&str, u64>, style: &Style) -> String {
    if counts.is_empty() {
        return String::new();
    }
    let mut ordered: Vec<(&str, u64)> = counts.into_iter().collect();
    ordered.sort_by_key(|(reason, count)| (std::cmp::Reverse(*count), *reason));
    let mut text = format!("  {}\n", style.bold(title));
    for (reason, count) in ordered.iter().take(REASONS_SHOWN) {
        let lines = wrap(reason, style.columns() - 12);
        text.push_str(&format!("  {:>6}  {}\n", grouped(*count), lines.join("\n          ")));
    }
    if let Some(rest) = ordered.get(REASONS_SHOWN..).filter(|rest| !rest.is_empty()) {
        let count: u64 = rest.iter().map(|(_, count)| count).sum();
        let reasons = plural(rest.len() as u64, "other reason", "other reasons");
        text.push_str(&format!("  {:>6}  for {reasons}\n", grouped(count)));
    }
    text.push('\n');
    text
}

/// How far a library was analysed.
fn functions(report: &Report) -> String {
    if report.functions.is_empty() {
        return String::new();
    }
    let count = |wanted: &dyn Fn(&crate::FunctionSummary) -> bool| {
        grouped(report.functions.iter().filter(|of| wanted(of)).count() as u64)
    };
    format!(
        "{}: {} to their end ({} on every path), {} cut short, {} not analysed\n",
        plural(report.functions.len() as u64, "function", "functions"),
        count(&|of| of.failure.is_none() && of.status == Status::Complete),
        count(&|of| of.failure.is_none() && of.all_paths),
        count(&|of| of.failure.is_none() && of.status == Status::Limit),
        count(&|of| of.failure.is_some()),
    )
}

/// What was proved, where all pairs are unreachable. Proofs over the IR say nothing of instructions that code generation adds: gcc's
/// ordered comparisons are invalid for quiet NaNs, and so are choices by minima.
fn impossible(report: &Report) -> String {
    let records = &report.sites;
    let what = only(&report.command).unwrap_or("exception");
    let is_native = |record: &&SiteRecord| matches!(&record.verdict, Verdict::Unreachable { scope, .. } if scope.starts_with("native"));
    match records.iter().filter(is_native).count() {
        count if count == records.len() => format!("no {what} can occur: proved by running all inputs"),
        _ if what == "exception" => "no operation of the IR can raise an exception: proved".to_owned(),
        _ => format!("no operation of the IR can raise {what}: proved"),
    }
}

/// The exceptions that a command asked for, where it did not ask for all.
fn only(command: &[String]) -> Option<&str> {
    let value = |at: usize| match command[at].strip_prefix("--only") {
        Some("") => command.get(at + 1).map(String::as_str),
        Some(rest) => rest.strip_prefix('='),
        None => None,
    };
    (0..command.len()).find_map(value)
}

/// What was found and done, and what follows from it.
fn work(report: &Report, shown: usize, style: &Style) -> String {
    let found = report.findings.len();
    let counts = VerdictCounts::of(&report.sites);
    let verdict = if found > 0 {
        plural(found as u64, "exception can occur", "exceptions can occur")
    } else if counts.total() > 0 && counts.unreachable == counts.total() {
        impossible(report)
    } else {
        "no exception found".to_owned()
    };
    let mut text = format!(
        "{}: {} tested in {}, seed {}\n",
        style.bold(&verdict),
        plural(report.counts.inputs_tested, "input", "inputs"),
        seconds(report),
        report.seed
    );
    let hidden = report.findings.len() - shown;
    if hidden > 0 {
        text.push_str(&format!(
            "{} not shown: --all shows them\n",
            plural(hidden as u64, "of these is", "of these are")
        ));
    }
    if report.known.is_some() {
        let new = report.new_findings();
        let known = grouped((found - new) as u64);
        text.push_str(&format!("{} new, {known} in the baseline\n", grouped(new as u64)));
    }
    if report.status == Status::Limit {
        text.push_str(&format!(
            "{}\n",
            style.marked("cut short by a limit or an interrupt: not all planned work was done")
        ));
    }
    text
}

/// How the proofs were found, and how many of them somebody else confirmed.
fn proofs(report: &Report) -> String {
    let counts = ProofCounts::of(&report.sites);
    if counts.by_ranges + counts.by_solver == 0 {
        return String::new();
    }
    let confirmed = |confirmed: u64| match confirmed {
        0 => String::new(),
        count => format!(", of which {} confirmed by a second opinion", grouped(count)),
    };
    format!(
        "proofs: {} by ranges{}, {} by the solver{}\n",
        grouped(counts.by_ranges),
        confirmed(counts.by_ranges_confirmed),
        grouped(counts.by_solver),
        confirmed(counts.by_solver_confirmed)
    )
}

/// What the proofs rest on, each sentence once.
fn assumptions(records: &[SiteRecord], style: &Style) -> String {
    let of = |record: &SiteRecord| match &record.verdict {
        Verdict::Unreachable { assumptions, .. } | Verdict::UnreachableWithinBound { assumptions, .. } => {
            assumptions.clone()
        }
        _ => Vec::new(),
    };
    let distinct: BTreeSet<String> = records.iter().flat_map(of).collect();
    let sentence = |assumption: &String| {
        let lines = wrap(&format!("proofs assume: {assumption}"), style.columns());
        format!("{}\n", lines.join("\n               "))
    };
    distinct.iter().map(sentence).collect()
}

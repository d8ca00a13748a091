//! Divergences that are not shown in full: a line each.

use super::style::Style;
use super::summary::plural;
use crate::licence::licence;
use crate::{Finding, Report};

/// More divergences than these are not shown in full, unless all are asked for.
const IN_FULL: usize = 20;
/// Of one list, more divergences than these are counted only.
const LINES: usize = 15;

/// The divergences of a report, sorted by how they are shown.
pub(super) struct Shares<'a> {
    /// Those with a diagnostic of their own.
    pub(super) full: Vec<&'a Finding>,
    /// Those for which there are too many.
    beyond: Vec<&'a Finding>,
    /// Those that were known before.
    known: Vec<&'a Finding>,
    /// Those that the variant's flags allow, with the flag.
    licensed: Vec<(&'a Finding, &'a str)>,
}

/// Sorts divergences, which are ranked, by how they are shown.
pub(super) fn shares<'a>(report: &'a Report, ranked: Vec<&'a Finding>, style: &Style) -> Shares<'a> {
    let mut shares = Shares { full: Vec::new(), beyond: Vec::new(), known: Vec::new(), licensed: Vec::new() };
    for finding in ranked {
        if !style.all && report.is_known(&finding.id) {
            shares.known.push(finding);
            continue;
        }
        match licence(report, finding).filter(|_| !style.all) {
            Some(flag) => shares.licensed.push((finding, flag)),
            None if style.all || shares.full.len() < IN_FULL => shares.full.push(finding),
            None => shares.beyond.push(finding),
        }
    }
    shares
}

/// The lists of those without a diagnostic; empty where there are none.
pub(super) fn lists(shares: &Shares<'_>, style: &Style) -> String {
    let mut text = String::new();
    if !shares.beyond.is_empty() {
        let count = plural(shares.beyond.len() as u64, "more divergence", "more divergences");
        text.push_str(&list(&format!("{count}; --all shows them in full"), &shares.beyond, style));
    }
    if !shares.known.is_empty() {
        let count = plural(shares.known.len() as u64, "known divergence", "known divergences");
        let title = format!("{count}, for which no run fails; --all shows them in full");
        text.push_str(&list(&title, &shares.known, style));
    }
    if !shares.licensed.is_empty() {
        let mut flags: Vec<&str> = Vec::new();
        for (_, flag) in &shares.licensed {
            if !flags.contains(flag) {
                flags.push(flag);
            }
        }
        let count = plural(shares.licensed.len() as u64, "divergence", "divergences");
        let title = format!(
            "{count} that {} openly allows: an input, or the baseline's arithmetic, is not finite; --all shows them in full",
            flags.join(" or ")
        );
        let findings: Vec<&Finding> = shares.licensed.iter().map(|(finding, _)| *finding).collect();
        text.push_str(&list(&title, &findings, style));
    }
    text
}

fn list(title: &str, findings: &[&Finding], style: &Style) -> String {
    let mut text = String::from("\n");
    for line in super::table::wrap(title, style.columns()) {
        text.push_str(&style.bold(&line));
        text.push('\n');
    }
    let severities = findings.iter().map(|finding| finding.severity.name().len()).max().unwrap_or(0);
    for finding in findings.iter().take(LINES) {
        let line = format!("  {:<severities$}  {}  {}", finding.severity.name(), finding.id, finding.summary);
        text.push_str(&cut(&line, style.columns()));
        text.push('\n');
    }
    if findings.len() > LINES {
        text.push_str(&format!("  and {} more\n", findings.len() - LINES));
    }
    text
}

/// A text's beginning, with a mark where it was longer.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut beginning: String = text.chars().take(width - 1).collect();
    beginning.truncate(beginning.trim_end().len());
    beginning.push('…');
    beginning
}

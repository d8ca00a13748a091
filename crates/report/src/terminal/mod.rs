//! The report for people: a compiler-style diagnostic for each distinct finding, worst first, and a summary.

mod accuracy;
mod brief;
mod build;
mod callers;
mod coverage;
mod diagnostic;
mod divergence;
mod effect;
mod exceptions;
mod observed;
mod safe_flags;
mod sites;
mod sources;
mod style;
mod summary;
mod table;
mod violation;
mod witness;

use std::borrow::Cow;

use crate::visible::{visible, visible_lines, visible_report};
use crate::{Analysis, Finding, Report};
use build::build_words;

pub use divergence::because;
pub use sources::Sources;
pub use style::Style;
pub use summary::grouped;

/// The report as text, with source lines where `sources` has them. Nothing in it but colours speaks to the terminal.
pub fn terminal(report: &Report, style: &Style, sources: &Sources) -> String {
    match visible_report(report) {
        Ok(Cow::Borrowed(report)) => render(report, style, sources),
        Ok(Cow::Owned(shown)) => render(&shown, style, &sources.renamed(|name| visible(name).into_owned())),
        // No report of ours is such: without colours its text is as good.
        Err(_) => visible_lines(&render(report, &Style { colour: false, ..*style }, sources)).into_owned(),
    }
}

fn render(report: &Report, style: &Style, sources: &Sources) -> String {
    let mut text = contradictions(report, style);
    text.push_str(&header(report, style));
    let mut findings: Vec<&Finding> = report.findings.iter().collect();
    findings.sort_by_cached_key(|finding| finding.rank());
    let mut diagnostics = |findings: &[&Finding]| {
        for finding in findings {
            text.push('\n');
            text.push_str(&diagnostic::render(report, finding, style, sources));
        }
    };
    let end = match report.analysis {
        Analysis::Diff => {
            let shares = brief::shares(report, findings, style);
            diagnostics(&shares.full);
            text.push_str(&brief::lists(&shares, style));
            format!("{}{}", summary::render(report, style), safe_flags::render(report, style))
        }
        Analysis::Accuracy => {
            diagnostics(&findings);
            accuracy::summary(report, style)
        }
        Analysis::Verify => {
            diagnostics(&findings);
            violation::summary(report, style)
        }
        Analysis::Cover => coverage::summary(report, style),
        Analysis::Exceptions => {
            let findings = exceptions::shown(report, findings, style);
            diagnostics(&findings);
            exceptions::summary(report, findings.len(), style)
        }
    };
    text.push('\n');
    text.push_str(&end);
    text
}

/// Proofs that were contradicted: they come before everything else.
fn contradictions(report: &Report, style: &Style) -> String {
    let sentence = |words: String| {
        let lines = table::wrap(&words, style.columns());
        format!("{}\n\n", lines.iter().map(|line| style.marked(line)).collect::<Vec<_>>().join("\n"))
    };
    report.contradictions.iter().map(|contradiction| sentence(contradiction.words())).collect()
}

/// What was compared.
fn header(report: &Report, style: &Style) -> String {
    let target = &report.target;
    if target.function.is_empty() {
        return format!("{}\n{}", style.bold(&target.file), builds(report));
    }
    let parameters: Vec<String> =
        target.parameters.iter().map(|parameter| format!("{} {}", parameter.type_name, parameter.name)).collect();
    let function = style.bold(&target.function);
    format!("{function}({}) in {}\n{}", parameters.join(", "), target.file, builds(report))
}

/// A line for each build.
fn builds(report: &Report) -> String {
    let builds = &report.target.builds;
    let widest = builds.iter().map(|build| build.role.chars().count()).max().unwrap_or(0);
    builds.iter().map(|build| format!("  {:<widest$}  {}\n", build.role, build_words(build))).collect()
}

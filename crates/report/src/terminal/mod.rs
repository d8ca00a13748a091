//! The report for people: a compiler-style diagnostic for each distinct finding, worst first, and a summary.

mod brief;
mod diagnostic;
mod effect;
mod exceptions;
mod sites;
mod sources;
mod summary;
mod table;

use std::borrow::Cow;

use anstyle::{AnsiColor, Style as Ansi};

use crate::visible::{visible, visible_lines, visible_report};
use crate::{BuildInfo, Finding, Report};

pub use sources::Sources;
pub use summary::grouped;

/// How text is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether ANSI colours are used; whether they are wanted is for the caller to find out.
    pub colour: bool,
    /// Columns of the terminal; text is wrapped to it, but for source lines, which are cut, and words that do not fit.
    pub width: usize,
    /// Whether every finding is shown in full; else divergences that the variant's flags allow are a line each, and
    /// exceptions that don't matter ([`crate::Severity::matters`]) are only counted.
    pub all: bool,
}

impl Default for Style {
    fn default() -> Style {
        Style { colour: false, width: 110, all: false }
    }
}

/// Fewer columns than these are taken as these.
const NARROWEST: usize = 60;

impl Style {
    pub(crate) fn columns(&self) -> usize {
        self.width.max(NARROWEST)
    }

    /// A text in a style, where colour is wanted.
    fn paint(&self, style: Ansi, text: &str) -> String {
        if self.colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    fn bold(&self, text: &str) -> String {
        self.paint(Ansi::new().bold(), text)
    }

    /// For what differs.
    fn marked(&self, text: &str) -> String {
        self.paint(AnsiColor::BrightRed.on_default().bold(), text)
    }

    fn faint(&self, text: &str) -> String {
        self.paint(Ansi::new().dimmed(), text)
    }
}

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
    let end = if report.analysis == "exceptions" {
        let findings = exceptions::shown(report, findings, style);
        diagnostics(&findings);
        exceptions::summary(report, findings.len(), style)
    } else {
        let shares = brief::shares(report, findings, style);
        diagnostics(&shares.full);
        text.push_str(&brief::lists(&shares, style));
        summary::render(report, style)
    };
    text.push('\n');
    text.push_str(&end);
    text
}

/// Names, flags and start-up of a build in one line: `clang 22.1.8 -O3 -ffast-math (flush-to-zero)`.
fn build_words(build: &BuildInfo) -> String {
    let mut words = Vec::new();
    if build.compiler.is_empty() {
        words.push(build.source.clone());
    } else {
        words.push(build.compiler.clone());
    }
    words.extend(build.flags.iter().cloned());
    if build.startup == crate::Startup::Ftz {
        words.push("(starts with flush-to-zero)".to_owned());
    }
    words.join(" ")
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

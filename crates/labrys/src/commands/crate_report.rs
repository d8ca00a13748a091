//! The one report of a run over functions of a crate, made of the reports of its functions.
//!
//! Nothing is analysed here. A site of a function that several functions call is in the report of each: it is listed once, reachable if any of them reaches it,
//! and proved only as far as all of them prove it, the weakest word of all.

use std::time::Duration;

use indexmap::IndexMap;
use labrys_report::{Analysis, FunctionSummary, Report, SiteKey, SiteRecord, Status, Target, Verdict, VerdictCounts};

/// What a proof of a function's callers alone rests on.
const CALLERS: &str = "sites are reached through the functions that were analysed, not from elsewhere";

/// A run over functions of a crate.
pub struct CrateReports {
    /// The command of the whole run.
    pub command: Vec<String>,
    /// Which analysis.
    pub analysis: Analysis,
    /// What was asked for: a pattern, or the crate.
    pub subject: String,
    /// How long it took.
    pub took: Duration,
    /// The reports of the functions that were analysed, by their paths.
    pub reports: Vec<(String, Report)>,
    /// Those that were not, and why.
    pub refused: Vec<(String, String)>,
    /// Whether it was interrupted, so that functions are missing.
    pub is_cut_short: bool,
}

impl CrateReports {
    /// All of them as one.
    pub fn together(self) -> Report {
        let CrateReports { command, analysis, subject, took, reports, refused, is_cut_short } = self;
        let mut all = Report { command, analysis, ..Report::default() };
        all.target = Target { file: subject, ..Target::default() };
        if let Some((_, first)) = reports.first() {
            all.seed = first.seed;
            all.version.clone_from(&first.version);
            all.target.builds.clone_from(&first.target.builds);
            all.reference.clone_from(&first.reference);
            all.processor.clone_from(&first.processor);
        }
        let mut notes: IndexMap<String, Vec<String>> = IndexMap::new();
        let mut sites: IndexMap<(SiteKey, labrys_float::Flags), Vec<Verdict>> = IndexMap::new();
        let is_limited = |(_, report): &(String, Report)| report.status == Status::Limit;
        let limited = is_cut_short || reports.iter().any(is_limited);
        for (path, mut report) in reports {
            all.functions.push(summary(&path, &report));
            all.counts.add(&report.counts);
            report.notes.drain(..).for_each(|note| notes.entry(note).or_default().push(path.clone()));
            for SiteRecord { site, exception, verdict } in report.sites.drain(..) {
                sites.entry((site, exception)).or_default().push(verdict);
            }
            all.findings.append(&mut report.findings);
            all.bounds.append(&mut report.bounds);
            all.contradictions.append(&mut report.contradictions);
            if let Some(operations) = report.operations.take() {
                all.operations.get_or_insert_default().merge(operations);
            }
            if let Some(known) = report.known.take() {
                all.known.get_or_insert_default().extend(known);
            }
        }
        all.sites = sites
            .into_iter()
            .map(|((site, exception), said)| SiteRecord { site, exception, verdict: weakest(said) })
            .collect();
        all.notes = notes.into_iter().map(|(note, paths)| worded(note, &paths)).collect();
        all.notes.extend(refused.iter().map(|(path, why)| format!("{path}: {why}")));
        all.functions.extend(refused.into_iter().map(|(function, why)| FunctionSummary {
            function,
            is_public: true,
            failure: Some(why),
            status: Status::Failed,
            ..FunctionSummary::default()
        }));
        all.status = if limited { Status::Limit } else { Status::Complete };
        all.timing.wall_s = took.as_secs_f64();
        all.sort_findings();
        all
    }
}

/// A function's line in the list.
fn summary(path: &str, report: &Report) -> FunctionSummary {
    FunctionSummary {
        function: path.to_owned(),
        file: Some(report.target.file.clone()),
        line: report.target.line,
        is_public: true,
        parameters: report.target.parameters.clone(),
        status: report.status,
        all_paths: false,
        failure: None,
        sites: VerdictCounts::of(&report.sites),
        findings: report.findings.iter().map(|finding| finding.id.clone()).collect(),
    }
}

/// What several functions' analyses say of one site.
fn weakest(said: Vec<Verdict>) -> Verdict {
    let is_shared = said.len() > 1;
    let strength = |verdict: &Verdict| match verdict {
        Verdict::Reachable { .. } => 3,
        Verdict::Unknown { .. } => 2,
        Verdict::UnreachableWithinBound { .. } => 1,
        Verdict::Unreachable { .. } => 0,
    };
    // Of equals the first.
    let weakest = said.into_iter().rev().max_by_key(strength);
    let mut verdict = weakest.unwrap_or(Verdict::Unknown { why: "not analysed".to_owned() });
    if let Verdict::Unreachable { assumptions, .. } | Verdict::UnreachableWithinBound { assumptions, .. } = &mut verdict
        && is_shared
    {
        assumptions.push(CALLERS.to_owned());
    }
    verdict
}

fn worded(note: String, paths: &[String]) -> String {
    match paths {
        [path] => format!("{path}: {note}"),
        several => format!("in {} functions: {note}", several.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(function: &str, said: Verdict, note: &str) -> Report {
        let site = SiteKey { function: "shared".to_owned(), ..SiteKey::default() };
        let mut report = Report::default();
        report.target.function = function.to_owned();
        report.notes = vec![note.to_owned(), "of all".to_owned()];
        report.sites = vec![SiteRecord { site, exception: labrys_float::Flags::OVERFLOW, verdict: said }];
        report.counts.inputs_tested = 10;
        report
    }

    fn proved() -> Verdict {
        let (engine, scope) = ("ranges".to_owned(), "ir".to_owned());
        Verdict::Unreachable { engine, scope, assumptions: Vec::new(), opinion: None }
    }

    fn together(second: Verdict) -> Report {
        let of = |path: &str, report: Report| (path.to_owned(), report);
        let run = CrateReports {
            command: Vec::new(),
            analysis: Analysis::Exceptions,
            subject: "small".to_owned(),
            took: Duration::ZERO,
            reports: vec![
                of("small::f", report("small::f", proved(), "one")),
                of("small::g", report("small::g", second, "two")),
            ],
            refused: vec![of_text("small::h", "no"), of_text("small::i", "no")],
            is_cut_short: false,
        };
        run.together()
    }

    fn of_text(path: &str, why: &str) -> (String, String) {
        (path.to_owned(), why.to_owned())
    }

    #[test]
    fn a_site_that_functions_share_has_the_weakest_word() {
        let all = together(Verdict::Unknown { why: "time".to_owned() });
        let [record] = &all.sites[..] else { panic!("{:?}", all.sites) };
        assert_eq!(record.verdict, Verdict::Unknown { why: "time".to_owned() });
        let all = together(proved());
        let Verdict::Unreachable { assumptions, .. } = &all.sites[0].verdict else { panic!("{:?}", all.sites) };
        assert_eq!(assumptions, &[CALLERS]);
        assert_eq!(all.counts.inputs_tested, 20);
        let expected = ["small::f: one", "in 2 functions: of all", "small::g: two", "small::h: no", "small::i: no"];
        assert_eq!(all.notes, expected);
        let failures: Vec<bool> = all.functions.iter().map(|of| of.failure.is_some()).collect();
        assert_eq!(failures, [false, false, true, true]);
        assert_eq!((all.functions[0].sites.unreachable, all.exit_code()), (1, 0));
    }
}

//! Reports of `exceptions` for people, and what is the same in every analysis' report.

use labrys_float::Flags;
use labrys_report::{
    Contradiction, NotSeen, Report, Severity, SiteRecord, SourcePlace, Sources, StackEntry, Style, Verdict,
    code_quality, junit, read_report, sarif, terminal, write_json,
};

use super::library;

fn plain(report: &Report, style: &Style) -> String {
    let mut sources = Sources::default();
    sources.insert("average.c", library::SOURCE.into());
    terminal(report, style, &sources)
}

#[track_caller]
fn expect(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("`{part}` is missing, or not in this order:\n{text}"));
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn what_matters_is_shown_and_the_rest_counted() {
    let text = plain(&library::report(), &Style::default());
    let parts = [
        "average(double x, double y) in average.c\n",
        "lost[",
        "average.c:3:20",
        "^ overflow here (fadd)",
        "avoidable: the true result is a finite number",
        "x = 1.5e+308  0x1.ab",
        "exceptions   overflow\n",
        "result       inf",
        "true result  1.25e308\n",
        "trace        overflow at average.c:3:20 fadd\n",
        "2 inputs show this; found by guided search\n",
        "replay: labrys replay",
        "effect           overflow   underflow      all   avoidable\n",
        "lost                    1           0        1           1\n",
        "exception        reachable   unreachable   within the bound   unknown\n",
        "  invalid                  0             2                  0         0\n",
        "  all                      1             2                  1         1\n",
        "3 of 5 pairs of site and exception decided: 60.0 %",
        "unknown because\n       1  no time was left\n",
        "2 exceptions can occur: 4,000 inputs tested in 2.5 s, seed 0\n",
        "1 of these is not shown: --all shows them\n",
        "proofs: 2 by ranges, 1 by the solver, of which 1 confirmed by a second opinion\n",
        "proofs assume: libm is within 4 ulps\nproofs assume: the IR is read strictly\n",
    ];
    expect(&text, &parts);
    assert!(!text.contains("harmless["), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= Style::default().width && line.trim_end() == line),
        "{text}"
    );
    let all = plain(&library::report(), &Style { all: true, ..Style::default() });
    expect(&all, &["lost[", "harmless[", "(the result is off by 0.50 ulps)"]);
    assert!(!all.contains("--all"), "{all}");
}

#[test]
fn a_contradiction_stands_first_and_decides_the_exit_code() {
    let mut report = library::report();
    assert_eq!(report.exit_code(), 1);
    report.contradictions.push(Contradiction {
        claim: "overflow of fdiv at average.c:4:16 in average".to_owned(),
        engine: "portfolio".to_owned(),
        by: "z3 5.4.0".to_owned(),
        doubt: None,
        inputs: Vec::new(),
        file: "out/contradiction-1.smt2".to_owned(),
        query: "(check-sat)\n".to_owned(),
    });
    assert_eq!(report.exit_code(), 4);
    let text = plain(&report, &Style::default());
    // It is wrapped like everything else.
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.starts_with("contradicted: overflow of fdiv at average.c:4:16 in average was proved impossible"),
        "{text}"
    );
    let parts = ["z3 5.4.0", "the verdict is withdrawn", "out/contradiction-1.smt2", "average(double x, double y)"];
    expect(&words, &parts);
    let json = write_json(&report).expect("serialises");
    assert_eq!(read_report(&json).expect("reads").contradictions, report.contradictions);
}

#[test]
fn an_output_beside_others_is_named() {
    let mut report = library::report();
    for finding in &mut report.findings {
        finding.exception_mut().expect("an exception").output = Some("r.val".to_owned());
    }
    let text = plain(&report, &Style { all: true, ..Style::default() });
    let parts = [
        "avoidable: the true r.val is a finite number",
        "true r.val  1.25e308\n",
        "true r.val  1.25e308 (r.val is off by 0.50 ulps)",
    ];
    expect(&text, &parts);
    assert!(!text.contains("true result"), "{text}");
}

#[test]
fn a_library_names_functions_and_routes() {
    let text = terminal(&library::library(60), &Style::default(), &library::library_sources(60));
    assert!(text.starts_with("build\n  baseline  clang 22.1.8 -O0\n\n"), "{text}");
    let parts = [
        "lost[",
        "reachable from mean → average_",
        "witness for average_",
        "from public functions\n",
        "not analysed because\n       8  parameter f",
        "60 functions: 47 to their end (26 on every path), 5 cut short, 8 not analysed\n",
        "52 exceptions can occur",
        "not shown: --all",
    ];
    expect(&text, &parts);
    let shown = text.lines().filter(|line| line.starts_with("lost[") || line.starts_with("inaccurate[")).count();
    assert_eq!(shown, 20, "{text}");
    assert!(text.contains("no public function is known to lead to it: seen only when called directly"), "{text}");
}

#[test]
fn of_callers_no_more_is_said_than_is_known() {
    let mut report = library::report();
    let details = report.findings[0].exception_mut().expect("an exception");
    let chain = |entry: &str| vec![entry.to_owned(), "average".to_owned()];
    let why = "the time limit".to_owned();
    details.not_seen_from = vec![
        NotSeen { entry: "mean".to_owned(), chain: chain("mean"), verdict: library::unreachable() },
        NotSeen { entry: "total".to_owned(), chain: chain("total"), verdict: Verdict::Unknown { why } },
    ];
    let text = plain(&report, &Style::default());
    expect(&text, &["proved impossible from mean → average (ranges)", "not seen from total → average: the time limit"]);
    assert!(!text.contains("only if called directly"), "{text}");
    assert_eq!(read_report(&write_json(&report).expect("serialises")).expect("reads"), report);
    let details = report.findings[0].exception_mut().expect("an exception");
    details.only_direct = Some(library::unreachable());
    let text = plain(&report, &Style::default());
    expect(&text, &["only if called directly: proved of every public function that leads to it (ranges)"]);
    assert_eq!(read_report(&write_json(&report).expect("serialises")).expect("reads"), report);
}

#[test]
fn proofs_are_claimed_only_where_all_is_proved() {
    let mut report = library::report();
    report.findings.clear();
    report.sites.retain(|record| matches!(record.verdict, Verdict::Unreachable { .. }));
    // Nothing is claimed of instructions that the IR does not have.
    let of_the_ir = "no operation of the IR can raise an exception: proved";
    expect(&plain(&report, &Style::default()), &[of_the_ir]);
    let native = |record: &mut SiteRecord| {
        if let Verdict::Unreachable { engine, scope, .. } = &mut record.verdict {
            (*engine, *scope) = ("enumeration".to_owned(), "native: all 65,536 inputs were run".to_owned());
        }
    };
    let mut looked_at = report.clone();
    looked_at.sites.iter_mut().for_each(native);
    expect(&plain(&looked_at, &Style::default()), &["no exception can occur: proved by running all inputs"]);
    looked_at.sites.extend(report.sites.clone());
    expect(&plain(&looked_at, &Style::default()), &[of_the_ir]);
    report.sites.extend(library::report().sites.into_iter().skip(3).take(1));
    let text = plain(&report, &Style::default());
    expect(&text, &["no exception found"]);
    assert!(!text.contains(": proved"), "{text}");
    report.sites.clear();
    assert!(!plain(&report, &Style::default()).contains("proved"));
}

#[test]
fn a_site_that_the_trace_lacks_is_shown() {
    let mut report = library::report();
    report.findings[0].observations[0].trace.clear();
    expect(&plain(&report, &Style::default()), &["average.c:3:20", "^ overflow here (fadd)"]);
    report.findings[0].observations[0].trace = vec![super::samples::event(Flags::INVALID, 4, 16, "fdiv")];
    report.findings[0].observations[0].trace[0].place.file = Some("average.c".to_owned());
    expect(&plain(&report, &Style::default()), &["^ overflow here (fadd)", "- invalid here (fdiv)"]);
}

#[test]
fn findings_are_ranked_by_effect_route_and_class() {
    let report = library::library(200);
    let ranks: Vec<_> = report
        .findings
        .iter()
        .map(|finding| {
            let details = finding.exception().expect("an exception");
            let classes = [Flags::INVALID, Flags::DIVBYZERO, Flags::OVERFLOW, Flags::UNDERFLOW];
            let class = classes.iter().position(|class| *class == details.exception);
            (finding.severity, details.reachable_from.is_empty(), class)
        })
        .collect();
    assert!(ranks.is_sorted(), "{ranks:?}");
    assert_eq!(ranks.first().map(|rank| rank.0), Some(Severity::Lost));
}

#[test]
fn a_finding_alone_takes_only_its_own_sites_and_function_along() {
    let report = library::library(50);
    let id = report.findings[7].id.clone();
    let single = report.with_only(&id).expect("it is there");
    assert_eq!((single.findings.len(), single.functions.len(), single.sites.len()), (1, 1, 1));
    let text = write_json(&single).expect("serialises");
    assert_eq!(read_report(&text).expect("reads"), single);
    assert_eq!(read_report(&write_json(&report).expect("serialises")).expect("reads"), report);
}

/// Findings in a language's library pointed into it alone, where users have nothing to look at.
#[test]
fn code_of_others_is_where_the_user_calls_it() {
    let mut report = library::report();
    let finding = report.findings.iter_mut().find(|finding| finding.severity == Severity::Lost).expect("a lost one");
    let there = SourcePlace::new(Some("/rustc/5980/library/core/src/ops/arith.rs".to_owned()), 105, 45);
    finding.observations[0].trace[0].place = there.clone();
    finding.exception_mut().expect("an exception").site.place = there;
    finding.called_at = vec![StackEntry {
        function: "average".to_owned(),
        place: SourcePlace::new(Some("average.c".to_owned()), 4, 12),
    }];
    let id = finding.id.clone();
    expect(
        &plain(&report, &Style::default()),
        &["average.c:4:12", "return sum / 2;", "^ overflow here (fadd at arith.rs:105:45)", "::: /rustc/5980/library"],
    );
    let log: serde_json::Value = serde_json::from_str(&sarif(&report).unwrap()).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let locations = results.iter().map(|result| &result["locations"][0]["physicalLocation"]);
    assert!(
        locations.into_iter().any(|at| at["region"]["startLine"] == 4 && at["region"]["startColumn"] == 12),
        "{log}"
    );
    let issues: serde_json::Value = serde_json::from_str(&code_quality(&report).unwrap()).unwrap();
    assert!(issues.as_array().unwrap().iter().any(|issue| issue["location"]["lines"]["begin"] == 4), "{issues}");
    assert!(junit(&report).unwrap().contains("at average.c:4:12"));
    let read = read_report(&write_json(&report).unwrap()).unwrap();
    let same = read.findings.iter().find(|finding| finding.id == id).unwrap();
    assert_eq!(same.place().and_then(SourcePlace::words).as_deref(), Some("average.c:4:12"));
}

//! Explorations for certain sites, and loops that are cut.

use std::sync::Arc;

use labrys_symex::{Exploration, OpenSites, Options, Site, SiteOperator, StopReason, static_sites};
use labrys_term::{Sort, Store};

use crate::support::{DOUBLE, INT, Subject, compile_text, doubles, run_with, subject, value};

const CODE: &str = "double deep(double x) { return x / 7; }
double f(double x, double y) {
    double s = 0;
    for (int i = 0; s < x; i++) s += y;
    if (y > 3) s = deep(s);
    for (int i = 0; s > y; i++) s *= x;
    return s;
}";

fn sites_of(subject: &Subject, operator: &SiteOperator) -> Vec<Site> {
    let sites = static_sites(&subject.program, subject.function);
    sites.into_iter().filter(|site| site.operator == *operator).collect()
}

fn explore(subject: &Subject, open: OpenSites, options: Options) -> Exploration {
    let options = Options { wanted: Some(Arc::new(open)), ..options };
    run_with(subject, &mut Store::new(), &options)
}

#[test]
fn the_way_to_an_open_site_is_taken_first_and_left_behind_it() {
    let subject = subject(compile_text(CODE, &["-O0"]), "f", doubles(&["x", "y"]), DOUBLE);
    let division = sites_of(&subject, &SiteOperator::Div);
    // Few paths: depth first, the loops alone would take more.
    let options = Options { max_paths: 6, ..Options::default() };
    let found = explore(&subject, OpenSites::new(division.clone()), options.clone());
    assert!(found.executions.iter().any(|execution| execution.site == division[0]), "{:?}", found.stops());
    // Behind the division nothing is open: the second loop is never entered.
    assert!(!found.executions.iter().any(|execution| execution.site.operator == SiteOperator::Mul));
    assert!(found.stops().iter().any(|(why, _)| *why == StopReason::NothingOpen), "{:?}", found.stops());
    // With nothing open nothing is executed.
    let closed = OpenSites::new(division.clone());
    closed.close(&division[0]);
    let found = explore(&subject, closed, options);
    assert!(found.executions.is_empty() && found.is_complete());
}

/// A condition that is the negation of another was taken for it, so that the way to the site seemed to lead away from it: the
/// path was left, and with no execution of the site on any path it counted as unreachable.
#[test]
fn negated_conditions_lead_where_they_lead() {
    for condition in ["n != 0", "!(n == 0)", "n - 1 != 2", "x != y", "!(x < y)", "n"] {
        let text = format!("double f(double x, double y, int n) {{ if ({condition}) return x * y; return 1; }}");
        let parameters = vec![value("x", DOUBLE), value("y", DOUBLE), value("n", INT)];
        let subject = subject(compile_text(&text, &["-O0"]), "f", parameters, DOUBLE);
        let product = sites_of(&subject, &SiteOperator::Mul);
        let found = explore(&subject, OpenSites::new(product), Options::default());
        assert_eq!(
            found.executions.iter().filter(|of| of.site.operator == SiteOperator::Mul).count(),
            1,
            "{condition}"
        );
    }
}

#[test]
fn loops_that_are_cut_are_named() {
    let text =
        "double f(double x, int n) {\n  double s = 0;\n  for (int i = 0; i < n; i++)\n    s += x;\n  return s;\n}";
    let subject = subject(compile_text(text, &["-O0"]), "f", vec![value("x", DOUBLE), value("n", INT)], DOUBLE);
    let found = run_with(&subject, &mut Store::new(), &Options { loop_bound: 5, ..Options::default() });
    assert!(!found.is_complete() && found.is_complete_within_bound());
    let [cut] = found.loop_cuts.as_slice() else { panic!("{:?}", found.loop_cuts) };
    assert_eq!((cut.function.as_str(), cut.paths), ("f", 1));
    let location = subject.program.locations[cut.location.unwrap().index()];
    assert_eq!(location.line, 3);
}

#[test]
fn what_is_cut_leaves_sites_before_it_complete() {
    let text = "static double inner(double x) { double s = 1 / x; for (double i = 0; i < x; i++) s *= x; return s; }
double f(double x, double y) {
    double a = x - y;
    if (y > 3) return a * y;
    double b = inner(x + y);
    return b / y;
}";
    let subject = subject(compile_text(text, &["-O0"]), "f", doubles(&["x", "y"]), DOUBLE);
    let found = run_with(&subject, &mut Store::new(), &Options { loop_bound: 4, ..Options::default() });
    assert!(found.is_complete_within_bound() && !found.is_complete());
    let complete = |function: &str, operator: SiteOperator| {
        let sites = sites_of(&subject, &operator).into_iter().filter(|site| site.function.ends_with(function));
        sites.map(|site| found.cuts_before(&site).next().is_none()).collect::<Vec<_>>()
    };
    // Before the loop, in this function and its caller, and on the other branch.
    assert_eq!(complete("f", SiteOperator::Sub), [true]);
    assert_eq!(complete("f", SiteOperator::Mul), [true]);
    // In the block of the call, before it and behind it.
    assert_eq!(complete("f", SiteOperator::Add), [true]);
    assert_eq!(complete("f", SiteOperator::Div), [false]);
    assert_eq!(complete("inner", SiteOperator::Div), [true]);
    assert_eq!(complete("inner", SiteOperator::Mul), [false]);
}

#[test]
fn a_limit_on_paths_cuts_what_waits() {
    let text = "double f(double x) {
    double a = x * 2;
    if (x > 1) a += 1;
    if (x > 2) a -= 1;
    return a / x;
}";
    let subject = subject(compile_text(text, &["-O0"]), "f", doubles(&["x"]), DOUBLE);
    let found = run_with(&subject, &mut Store::new(), &Options { max_paths: 1, ..Options::default() });
    assert!(!found.is_complete());
    let is_cut = |operator| {
        let sites = sites_of(&subject, &operator);
        sites.iter().map(|site| found.cuts_before(site).next().is_some()).collect::<Vec<_>>()
    };
    assert_eq!(is_cut(SiteOperator::Mul), [false]);
    assert_eq!(is_cut(SiteOperator::Div), [true]);
}

#[test]
fn a_path_ends_at_a_call_that_is_looked_for() {
    let text = "static double deep(double x, int n, double *p) { return x / n + *p; }
double f(double x, int n) { double y = x; if (x > 3) return deep(2 * x - 1000, n + 1, &y); return x; }";
    let parameters = vec![value("x", DOUBLE), value("n", INT)];
    let subject = subject(compile_text(text, &["-O0"]), "f", parameters, DOUBLE);
    let deep = subject.program.function("deep").unwrap();
    let mut store = Store::new();
    let found = run_with(&subject, &mut store, &Options { until: vec![deep], ..Options::default() });
    let [arrival] = &found.arrivals[..] else { panic!("{:?}", found.arrivals) };
    assert_eq!(arrival.function, deep);
    let kinds: Vec<Option<Sort>> = arrival.arguments.iter().map(|of| of.map(|term| store.sort(term).clone())).collect();
    assert_eq!(kinds, [Some(Sort::Float(labrys_float::Format::BINARY64)), Some(Sort::BitVec(32)), None]);
    assert!(found.stops().iter().any(|(why, count)| (why, *count) == (&StopReason::Arrived, 1)), "{:?}", found.stops());
    // Nothing of it is executed, and nobody takes that for a proof.
    let division = &sites_of(&subject, &SiteOperator::Div)[0];
    assert!(!found.executions.iter().any(|execution| execution.site == *division));
    assert!(found.cuts_before(division).next().is_some() && !found.is_complete());
}

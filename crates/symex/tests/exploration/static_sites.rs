//! The list of a program's sites against the sites that executions name.

use labrys_symex::{Options, Site, SiteOperator, static_sites};
use labrys_term::Store;

use crate::support::{DOUBLE, FLOAT, INT, compile_text, run, run_with, subject, value};

const CODE: &str = "#include <math.h>
static double helper(double x) { return log(x) / 3; }
static double unused(double x) { return x * 5; }
double (*pointer)(double) = helper;
double f(double x, double y, float s, int n) {
    float t = (float)(x * y);
    double r = sqrt(fabs(t)) + fmod(x, y) - floor(s) + fdim(x, y) + ldexp(x, n) + scalbn(y, 3);
    int e; r += frexp(x, &e) + rint(y) + fma(x, y, 1) + fmaxf(s, 2) + n + (unsigned)x + lround(y) + e;
    return x < y ? pointer(r) : (double)tanf(s);
}";

fn check(flags: &[&str]) -> Vec<Site> {
    let parameters = vec![value("x", DOUBLE), value("y", DOUBLE), value("s", FLOAT), value("n", INT)];
    let subject = subject(compile_text(CODE, flags), "f", parameters, DOUBLE);
    let sites = static_sites(&subject.program, subject.function);
    let mut store = Store::new();
    let found = run(&subject, &mut store);
    assert!(found.is_complete(), "{:?}", found.stops());
    for execution in &found.executions {
        assert!(sites.contains(&execution.site), "{flags:?} {:?}", execution.site);
    }
    for site in &sites {
        // Both branches are taken, and so every site is executed.
        assert!(found.executions.iter().any(|execution| execution.site == *site), "{flags:?} {site:?}");
    }
    sites
}

#[test]
fn every_site_is_listed_as_executions_name_it() {
    let sites = check(&["-O0"]);
    let names: Vec<String> = sites.iter().map(|site| site.operator.to_string()).collect();
    for name in ["log", "fdiv", "fsqrt", "frem", "ldexp", "fsub", "tan", "fma", "fround", "fconvert", "fcmp", "fmax"] {
        assert!(names.iter().any(|known| known == name), "{name} in {names:?}");
    }
    // What nobody calls, even through a pointer, is not.
    assert_eq!(sites.iter().filter(|site| site.function == "unused").count(), 0);
    assert!(sites.iter().any(|site| site.function == "helper"));
}

#[test]
fn vector_lanes_and_intrinsics_are_listed() {
    check(&["-O2", "-fno-math-errno"]);
    check(&["-O3", "-march=haswell", "-fno-math-errno"]);
}

#[test]
fn pairs_that_no_operand_can_raise_are_not_possible() {
    use labrys_float::{Flags, Format};
    let library = |name: &str| SiteOperator::Library(name.into()).possible();
    assert!(!SiteOperator::Add.possible().contains(Flags::UNDERFLOW));
    assert_eq!(library("exp"), Flags::OVERFLOW | Flags::UNDERFLOW);
    assert_eq!(library("pow"), Flags::NOTABLE);
    let convert = |bits, to| SiteOperator::IntToFloat { bits, signed: true, to }.possible();
    assert_eq!(convert(64, Format::BINARY64), Flags::empty());
    assert_eq!(convert(32, Format::BINARY16), Flags::OVERFLOW);
    assert_eq!(convert(16, Format::BINARY16), Flags::empty());
}

#[test]
fn what_runs_before_changes_memory_and_is_no_execution() {
    let text = "static double factor = 2; void prepare(void) { factor = factor / 0.5; }
                double f(double x) { return factor == 4 ? x : x / x; }";
    let subject = subject(compile_text(text, &["-O0"]), "f", vec![value("x", DOUBLE)], DOUBLE);
    let mut store = Store::new();
    let options = Options { init: subject.program.function("prepare"), ..Options::default() };
    let found = run_with(&subject, &mut store, &options);
    assert_eq!(found.paths.len(), 1);
    let names: Vec<String> = found.executions.iter().map(|execution| execution.site.operator.to_string()).collect();
    assert_eq!(names, ["fcmp"]);
}

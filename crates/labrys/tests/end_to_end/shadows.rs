//! What the shadow does for `labrys accuracy`: errors of a few roundings, found because inputs cost little; and what becomes of functions without one.

use serde_json::Value;

use crate::harness::{Bench, Run};

/// What a report says where the twin judged every input.
const ALONE: &str = "arbitrary precision alone";

fn accuracy(bench: &Bench, arguments: &[&str]) -> Run {
    bench.labrys(&[&["accuracy", "f.c", "--format", "json"], arguments].concat())
}

fn has_shadow(report: &Value) -> bool {
    !report["notes"].to_string().contains(ALONE)
}

/// The largest error by a measure, over all findings.
fn largest(report: &Value, measure: &str) -> f64 {
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    let details = findings.iter().map(|finding| &finding["accuracy"]);
    let errors =
        details.flat_map(|details| [details["error"][measure].as_f64(), details["worst"]["error"][measure].as_f64()]);
    errors.flatten().fold(0.0, f64::max)
}

/// The supremum of a 2-norm's error is 2.5 u, where each sum is off by nearly as much as it can be and the root, too.
#[test]
fn errors_of_a_few_roundings_come_close_to_their_supremum() {
    let source = "\
#include <math.h>
double norm(const double x[4]) { double s = 0; for (int i = 0; i < 4; i++) s += x[i] * x[i]; return sqrt(s); }
";
    let bench = Bench::new(&[("f.c", source)]);
    for seed in ["0", "1", "2"] {
        let arguments = ["--length", "x=4", "--range", "x=-100..100", "--grid", "binary32", "--metric", "relative"];
        let run = accuracy(&bench, &[&arguments[..], &["--max-work", "150000", "--seed", seed]].concat());
        let report = run.json();
        let error = largest(&report, "relative");
        if !has_shadow(&report) || !(2.748e-16..=2.7756e-16).contains(&error) {
            run.fail(&format!("{error:e}"));
        }
    }
}

/// Inputs are counted whatever they cost, and no clock has a say in what is found.
#[test]
fn the_same_work_gives_the_same_report() {
    let source = "\
double f(double x, float y, int n) { double s = 0; for (int i = 0; i < n; i++) { s += x * y; x = x / 3 - s; } return s > 1 ? s - x : s; }
";
    let bench = Bench::new(&[("f.c", source)]);
    let report = || {
        let run = accuracy(&bench, &["--range", "n=0..9", "--range", "x=-8..8", "--max-work", "30000", "--seed", "5"]);
        let mut report = run.json();
        assert!(has_shadow(&report), "{}", run.stdout);
        assert_eq!(report["counts"]["inputs_tested"], 30000);
        report["timing"] = Value::Null;
        report.to_string()
    };
    assert_eq!(report(), report());
}

/// Results behind pointers, structs, single precision, integers, an initialiser: what is found is found by shadows there, too.
#[test]
fn functions_of_all_kinds_have_shadows() {
    let source = "\
struct pair { double re, im; };
double scale;
void setup(void) { scale = 0.1; }
void turn(const double *x, int n, double *out) { for (int i = 0; i < n; i++) out[i] = (x[i] + scale) - scale; }
struct pair product(struct pair a, struct pair b) { struct pair p = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; return p; }
float mean(float x, float y, float z) { return (x + y + z) / 3; }
long double wide(long double x, double y) { return (x + y) - x; }
";
    let bench = Bench::new(&[("f.c", source)]);
    let runs: [(&str, &[&str]); 4] = [
        ("turn", &["--init", "setup", "--length", "x=n", "--length", "out=n", "--range", "n=1..4"]),
        ("product", &[]),
        ("mean", &[]),
        ("wide", &[]),
    ];
    for (function, more) in runs {
        let run = accuracy(&bench, &[&["-f", function, "--max-work", "20000"], more].concat());
        let report = run.json();
        if !has_shadow(&report) || largest(&report, "bits") < 20.0 {
            run.fail(&format!("{function}: {}", largest(&report, "bits")));
        }
    }
}

/// Double words are too short for what cancels twice: what they make of it must not be reported, and what is reported is certain.
#[test]
fn weak_truths_are_not_gamed() {
    let source = "\
double twice(double x, double y) { double a = (x + 0x1p140) - 0x1p140; double b = (y + a * 0x1p-90) - y; return b * 0x1p90 - x; }
double same(double x) { return (x + 1e60) - 1e60 - x; }
";
    let bench = Bench::new(&[("f.c", source)]);
    let run = accuracy(&bench, &["-f", "twice", "--range", "x=0.5..1", "--range", "y=0.5..1", "--max-work", "20000"]);
    let report = run.json();
    assert!(has_shadow(&report), "{}", run.stdout);
    // Without rounding it is zero, whatever the inputs are.
    assert_eq!(report["findings"].as_array().map(Vec::len), Some(0), "{}", run.stdout);
    let run = accuracy(&bench, &["-f", "same", "--range", "x=0.5..1", "--max-work", "20000"]);
    assert_eq!(run.json()["findings"].as_array().map(Vec::len), Some(0), "{}", run.stdout);
}

/// Where the shadow has nothing to say every input is judged by the twin, and the report says why it was slow.
#[test]
fn functions_without_a_shadow_are_searched_all_the_same() {
    let source = "\
#include <fenv.h>
double f(double x, double y) { if (x > 1e300) fesetround(FE_TONEAREST); return (x + y) - x; }
";
    let bench = Bench::new(&[("f.c", source)]);
    let run = accuracy(&bench, &["--range", "x=-1e9..1e9", "--range", "y=-1..1", "--max-work", "2000"]);
    let report = run.json();
    if has_shadow(&report) || largest(&report, "bits") < 20.0 {
        run.fail(&format!("{}", largest(&report, "bits")));
    }
    // A reference is another truth than the function's own.
    let source = "#include <math.h>\ndouble f(double x) { return x - x * x * x / 6; }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let run = accuracy(&bench, &["--reference", "mpfr:sin", "--range", "x=0..1", "--max-work", "2000"]);
    run.finding("a series that is cut off", |finding| finding["severity"] == "wrong-algorithm");
}

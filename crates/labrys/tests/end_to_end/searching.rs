//! What `labrys diff` finds first and how it tells it: ordinary inputs, distances, causes.

use serde_json::Value;

use crate::harness::Bench;

const HIMMELBLAU: &str = "\
    double himmelblau(double x, double y) {\n\
        return (x*x + y - 11.0)*(x*x + y - 11.0) + (x + y*y - 7.0)*(x + y*y - 7.0);\n\
    }\n";
const INVERSE: &str = "\
    void inverse3(const double a[9], double r[9]) {\n\
        double d = a[0]*(a[4]*a[8]-a[5]*a[7]) - a[1]*(a[3]*a[8]-a[5]*a[6]) + a[2]*(a[3]*a[7]-a[4]*a[6]);\n\
        double k = 1.0/d;\n\
        r[0] = (a[4]*a[8]-a[5]*a[7])*k; r[1] = (a[2]*a[7]-a[1]*a[8])*k; r[2] = (a[1]*a[5]-a[2]*a[4])*k;\n\
        r[3] = (a[5]*a[6]-a[3]*a[8])*k; r[4] = (a[0]*a[8]-a[2]*a[6])*k; r[5] = (a[2]*a[3]-a[0]*a[5])*k;\n\
        r[6] = (a[3]*a[7]-a[4]*a[6])*k; r[7] = (a[1]*a[6]-a[0]*a[7])*k; r[8] = (a[0]*a[4]-a[1]*a[3])*k;\n\
    }\n";

/// LAPACK's ddot as C calls it: a stride leaves the arrays.
const DDOT: &str = "\
    double ddot(const int *n, const double *x, const int *incx, const double *y, const int *incy) {\n\
        double s = 0;\n\
        for (int i = 0; i < *n; i++) s += x[i * *incx] * y[i * *incy];\n\
        return s;\n\
    }\n";

fn ulps(finding: &Value) -> f64 {
    finding["difference"]["ulps"].as_f64().unwrap_or(0.0)
}

/// Sampling of magnitudes alone found no difference between the builds at all.
#[test]
fn differences_are_climbed_whatever_the_seed() {
    let bench = Bench::new(&[("f.c", HIMMELBLAU)]);
    for seed in ["0", "1", "2"] {
        let arguments = ["diff", "f.c", "--max-work", "40000", "--max-paths", "1", "--seed", seed, "--format", "json"];
        let run = bench.labrys(&arguments);
        run.expect_code(1);
        let finding =
            run.finding("of hundreds of ulps", |finding| finding["severity"] == "ulps" && ulps(finding) >= 300.0);
        assert_eq!(finding["difference"]["cause"]["line"], 2, "{finding:#}");
        assert!(finding["summary"].as_str().is_some_and(|text| text.contains("ulps apart")), "{finding:#}");
    }
}

#[test]
fn one_cause_is_one_finding_and_all_are_told_if_asked_for() {
    let bench = Bench::new(&[("f.c", INVERSE)]);
    let found = |more: &[&str]| {
        let arguments = ["diff", "f.c", "--max-work", "12000", "--max-paths", "1", "--format", "json"];
        let report = bench.labrys(&[&arguments, more].concat()).json();
        report["findings"].as_array().cloned().unwrap_or_default()
    };
    let (causes, every) = (found(&[]), found(&["--all"]));
    assert!((1..=10).contains(&causes.len()), "{} causes", causes.len());
    assert!(every.len() > 2 * causes.len(), "{} of {}", causes.len(), every.len());
    let stands_for = |finding: &Value| finding["difference"]["divergences"].as_u64().unwrap_or(1);
    assert!(causes.iter().map(stands_for).sum::<u64>() > causes.len() as u64);
    assert!(causes.iter().all(|finding| finding["difference"]["cause"]["kind"].is_string()), "{causes:#?}");
    let ids: std::collections::BTreeSet<&str> = causes.iter().filter_map(|finding| finding["id"].as_str()).collect();
    assert!(ids.len() == causes.len() && ids.iter().all(|id| id.len() == 12), "{ids:?}");
    let text = bench.labrys(&["diff", "f.c", "--max-work", "12000", "--max-paths", "1"]).stdout;
    assert!(text.contains("because: ") && text.contains("this cause; --all tells each"), "{text}");
}

/// Two lines that each give another number were one finding, whose cause was one of them and whose count was of both.
#[test]
fn other_numbers_of_several_causes_are_told_apart() {
    let source = "double f(double a, double b, double c) {\n  if (c > 0) return ((a + b) - a) == b ? 5 : 6;\n  \
                  return (a / 3.0 + b / 3.0) * 3.0 == a + b ? 7 : 8;\n}\n";
    let bench = Bench::new(&[("f.c", source)]);
    let ranges = ["--range", "a=1..100", "--range", "b=1..100", "--range", "c=-5..5"];
    for all in [&["--all"][..], &[]] {
        let asked = [&["diff", "f.c", "--max-work", "5000", "--format", "json"], &ranges[..], all].concat();
        let findings = bench.labrys(&asked).json()["findings"].as_array().cloned().unwrap_or_default();
        let mut lines: Vec<Option<u64>> =
            findings.iter().map(|finding| finding["difference"]["cause"]["line"].as_u64()).collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines, [Some(2), Some(3)], "{findings:#?}");
        let results = |build: usize| -> Vec<Value> {
            let result = |finding: &Value| finding["observations"][build]["result"]["decimal"].clone();
            findings.iter().map(result).collect()
        };
        assert!(results(0).iter().zip(results(1)).all(|(ours, theirs)| *ours != theirs), "{findings:#?}");
    }
}

/// Which kind of number it is was one divergence, of the infinities, and what becomes of NaN was not told. Known are either by the ids that are shown, too.
#[test]
fn small_integers_are_told_apart() {
    let source = "int f(double x) { return __builtin_isnan(x) ? 3 : __builtin_isinf(x) ? 1 : 2; }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let asked = ["diff", "f.c", "--max-work", "3000", "--variant", "-O3 -ffast-math"];
    let found = |more: &[&str]| bench.labrys(&[&asked, more].concat());
    let report = found(&["--all", "--format", "json"]).json();
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    let changes: Vec<&str> = findings.iter().filter_map(|finding| finding["summary"].as_str()).collect();
    for change in ["2 instead of 3", "2 instead of 1"] {
        assert!(changes.iter().any(|summary| summary.contains(change)), "{changes:?}");
    }
    let entry = |finding: &Value| serde_json::json!({"id": finding["id"], "effect": finding["severity"]});
    let known: Vec<Value> = findings.iter().map(entry).collect();
    let document = serde_json::json!({"schema": "labrys-baseline/1", "findings": known});
    std::fs::write(bench.path().join("known.json"), document.to_string()).expect("a file");
    found(&["--all", "--known", "known.json"]).expect_code(0);
}

/// The first inputs that differ read behind the arrays. They spoke for all others, did not confirm, and nothing was found.
#[test]
fn inputs_that_leave_their_arrays_do_not_hide_others() {
    let bench = Bench::new(&[("ddot.c", DDOT)]);
    let lengths = ["--length", "x=8", "--length", "y=8", "--range", "n=0..8"];
    let arguments = ["diff", "ddot.c", "--max-work", "12000", "--max-paths", "1", "--format", "json"];
    let run = bench.labrys(&[&arguments[..], &lengths].concat());
    run.expect_code(1);
    let report = run.json();
    for finding in report["findings"].as_array().into_iter().flatten() {
        let decimal = |name: &str| -> i64 {
            let inputs = finding["inputs"].as_array().into_iter().flatten();
            let of = inputs.flat_map(|input| {
                let elements = input["elements"].as_array().cloned();
                elements.unwrap_or_else(|| vec![input.clone()])
            });
            let named = of.into_iter().find(|value| value["name"] == name || value["name"] == format!("{name}[0]"));
            named.and_then(|value| value["decimal"].as_str()?.parse().ok()).unwrap_or(0)
        };
        let last = |stride: &str| (decimal("n") - 1) * decimal(stride);
        assert!((0..8).contains(&last("incx")) && (0..8).contains(&last("incy")), "{finding:#}");
    }
}

/// Each operation that met a NaN was a cause, though a flag says that there are none; and what overflows was another one for each thing that came of it.
#[test]
fn what_a_flag_promises_away_is_one_cause() {
    let source = "double f(double a, double b, double c) {\n\
        double x = a / b / c;\n\
        double y = b * c * a + b * a;\n\
        double z = x * x * c - x * y;\n\
        return z > a ? z - a : z + y * c;\n}\n";
    let bench = Bench::new(&[("f.c", source)]);
    let run = bench.labrys(&["diff", "f.c", "--max-work", "6000", "--max-paths", "1", "--format", "json"]);
    run.expect_code(1);
    let report = run.json();
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    let (inside, outside): (Vec<&Value>, Vec<&Value>) =
        findings.iter().partition(|finding| finding["baseline_clean"] == true);
    assert!(!inside.is_empty() && !outside.is_empty(), "{findings:#?}");
    // What the control does, too, is no flag's doing: one of these stands beside; or the divisions, which are the first to
    // raise anything, raise something else where they are one; or what makes a difference within the promise makes one beyond it.
    let place = |finding: &Value| {
        let cause = &finding["difference"]["cause"];
        (cause["line"].as_u64(), cause["column"].as_u64())
    };
    let is_explained = |finding: &&Value| {
        let cause = &finding["difference"]["cause"];
        if inside.iter().any(|of| place(of) == place(finding)) {
            return true;
        }
        let is_first = cause["kind"] == "exception" && cause["line"] == 2;
        finding["in_control"] == true || cause["kind"] == "licence" || is_first
    };
    assert!(outside.len() <= 2 && outside.iter().all(is_explained), "{outside:#?}");
    let not_finite = |finding: &Value| {
        let difference = &finding["difference"];
        let is_finite = !matches!(difference["change"].as_str(), Some("nan" | "infinity"));
        // They are one by what differs first; where the flags are needed may be one place for several.
        let own = if difference["grouped_by"].is_null() { &difference["cause"] } else { &difference["grouped_by"] };
        (!is_finite).then(|| own.to_string())
    };
    let places: Vec<String> = inside.iter().filter_map(|finding| not_finite(finding)).collect();
    let distinct: std::collections::BTreeSet<&String> = places.iter().collect();
    assert!(!places.is_empty() && distinct.len() == places.len(), "{places:?}");
}

/// Both builds hang wherever this goes on for long: "no difference found" said nothing of it.
#[test]
fn inputs_that_do_not_return_are_told() {
    let source = "double f(double x) { for (volatile double y = 0; y != x; ) { } return x; }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let options = ["--max-work", "40", "--call-timeout", "20ms", "--max-paths", "1", "--no-blame"];
    let run = bench.labrys(&[&["diff", "f.c", "--format", "json"], &options[..]].concat());
    let notes = run.json()["notes"].to_string();
    assert!(notes.contains(" inputs did not return in the baseline: a crash, a time-out"), "{notes}");
}

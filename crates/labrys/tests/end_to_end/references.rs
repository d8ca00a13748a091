//! `labrys accuracy --reference` as a user meets it: whose values are the truth, and what it is to blame.

use std::fs;

use serde_json::Value;

use crate::harness::Bench;

/// A series that is cut off, a sum that loses what a reference keeps, and a call that needs no more than rounding.
const SOURCE: &str = "\
#include <math.h>
double series(double x) { return 1.0 + x * (1.0 + x * (0.5 + x * (1.0 / 6.0 + x / 24.0))); }
double lost(double x) { return (1.0 + x) - 1.0; }
double kept(double x) { return x; }
double bessel(double x) { return j1(x); }
double many(const double *x, int n) { return n > 0 ? x[0] : 0.0; }
double indexed(int n, double x) { return jn(n, x); }
void twice(double x, double out[2]) { out[0] = x; out[1] = x; }
";

fn run(bench: &Bench, function: &str, reference: &str, range: &str) -> Value {
    let common = ["accuracy", "f.c", "-f", function, "--reference", reference, "--range", range];
    bench.labrys(&[&common[..], &["--max-work", "4000", "--format", "json"]].concat()).json()
}

fn findings(report: &Value) -> Vec<Value> {
    report["findings"].as_array().cloned().unwrap_or_default()
}

/// Without rounding the series is as far off as with it: that is no matter of rounding.
#[test]
fn a_series_that_is_cut_off_is_told_from_rounding() {
    let bench = Bench::new(&[("f.c", SOURCE)]);
    let report = run(&bench, "series", "mpfr:exp", "x=0.25..1");
    assert_eq!(report["reference"], "mpfr:exp");
    let found = findings(&report);
    let [finding] = &found[..] else { panic!("{report:#}") };
    assert_eq!(finding["severity"], "wrong-algorithm", "{finding:#}");
    let details = &finding["accuracy"];
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{details:#}"));
    let (reference, error) = (&details["reference"], number(&details["error"]["absolute"]));
    assert_eq!(reference["name"], "mpfr:exp");
    let truncation = number(&reference["truncation_error"]);
    assert!((truncation / error - 1.0).abs() < 1e-6 && number(&reference["rounding_error"]) < 1e-15, "{details:#}");
    assert!(details["confirmed_precision"].as_u64() > details["precision"].as_u64(), "{details:#}");
    // The slope of the exponential is the value: its condition number is x.
    assert!((0.25..=1.0).contains(&number(&details["condition"])), "{details:#}");
    let text =
        bench.labrys(&["accuracy", "f.c", "-f", "series", "--reference", "mpfr:exp", "--max-work", "3000"]).stdout;
    for words in ["wrong-algorithm[", "without rounding", "mpfr:exp"] {
        assert!(text.contains(words), "{words} is not in\n{text}");
    }
}

#[test]
fn another_function_is_a_reference_in_the_same_file_and_in_another_one() {
    let bench = Bench::new(&[("f.c", SOURCE), ("slow.c", "double slow(double y) { return y; }\n")]);
    for reference in ["f.c:kept", "slow.c:slow"] {
        let found = findings(&run(&bench, "lost", reference, "x=1e-18..1e-3"));
        let unstable = found.iter().find(|finding| finding["severity"] == "unstable").expect("an unstable sum");
        let details = &unstable["accuracy"];
        assert_eq!(details["reference"]["name"], reference);
        assert_eq!(details["reference"]["truncation_error"], 0.0, "{details:#}");
        // Rounding is to blame, so that operations are.
        assert_eq!(details["causes"][0]["operator"], "fadd", "{details:#}");
    }
}

#[test]
fn arguments_are_constants_and_inputs() {
    let bench = Bench::new(&[("f.c", SOURCE)]);
    let is_quiet = |report: &Value| findings(report).iter().all(|finding| finding["severity"] == "benign");
    assert!(is_quiet(&run(&bench, "bessel", "mpfr:jn(1,x)", "x=0.1..3")));
    assert!(is_quiet(&run(&bench, "bessel", "mpfr:j1", "x=0.1..3")));
    let wrong = run(&bench, "bessel", "mpfr:jn(2,x)", "x=0.1..3");
    assert!(findings(&wrong).iter().any(|finding| finding["severity"] == "wrong-algorithm"), "{wrong:#}");
    let indexed = ["--range", "n=0..3", "--range", "x=0.5..2", "--max-work", "3000", "--format", "json"];
    let run = bench.labrys(&[&["accuracy", "f.c", "-f", "indexed", "--reference", "mpfr:jn"], &indexed[..]].concat());
    assert!(is_quiet(&run.json()), "{}", run.stdout);
}

#[test]
fn references_of_another_type_are_one_line() {
    let bench = Bench::new(&[("f.c", SOURCE), ("slow.c", "float slow(float x) { return x; }\n")]);
    let wrong: [(&str, &str, &str); 14] = [
        ("kept", "mpfr:pow", "mpfr_pow takes 2 arguments, kept has 1 input"),
        ("kept", "mpfr:jn(1)", "takes 2 arguments, not 1"),
        ("kept", "mpfr:jn(x,x)", "takes an integer"),
        ("kept", "mpfr:jn(0.5,x)", "`0.5` is no input of kept and no integer"),
        ("kept", "mpfr:erf(y)", "`y` is no input of kept and no number"),
        ("kept", "mpfr:erfcx", "there is no mpfr_erfcx"),
        ("kept", "erf", "expected mpfr:NAME"),
        ("many", "mpfr:erf", "takes 1 argument"),
        ("twice", "mpfr:erf", "gives one number, twice 2"),
        ("kept", "f.c:missing", "missing"),
        ("kept", "f.c:indexed", "of another type than kept: 1 parameters and 2"),
        ("kept", "slow.c:slow", "of another type than kept: parameter x"),
        ("kept", "absent.c:slow", "absent.c"),
        ("kept", "lost=mpfr:erf", "there is no function lost"),
    ];
    for (function, reference, expected) in wrong {
        let arguments = ["accuracy", "f.c", "-f", function, "--reference", reference, "--max-work", "100"];
        let lengths = if function == "many" { &["--length", "x=4"][..] } else { &[] };
        let run = bench.labrys(&[&arguments[..], lengths].concat());
        run.expect_code(2);
        if run.stderr.trim_end().lines().count() != 1 || !run.stderr.contains(expected) || !run.stdout.is_empty() {
            run.fail(expected);
        }
    }
    let bound = bench.labrys(&["accuracy", "f.c", "-f", "kept", "--reference", "mpfr:erf", "--bound"]);
    bound.expect_code(2);
}

#[test]
fn findings_against_a_reference_are_replayed() {
    let bench = Bench::new(&[("f.c", SOURCE)]);
    let common = ["accuracy", "f.c", "-f", "series", "--reference", "mpfr:exp", "--range", "x=0.5..1", "-o", "out"];
    let run = bench.labrys(&[&common[..], &["--max-work", "2000", "--format", "json"]].concat());
    run.expect_code(1);
    let id = findings(&run.json())[0]["id"].as_str().expect("an id").to_owned();
    let replay = || bench.labrys(&["replay", &format!("out/{id}.json")]);
    replay().expect_code(1);
    // By its own formulas the mended function is not better; by the reference it is.
    let mended = SOURCE.replace("return 1.0 + x * (1.0 + x * (0.5", "return exp(x); return x * (1.0 + x * (0.5");
    fs::write(bench.path().join("f.c"), mended).expect("writable");
    replay().expect_code(0);
}

#[test]
fn functions_of_a_library_have_references_of_their_own() {
    let bench = Bench::new(&[("f.c", SOURCE)]);
    let here = bench.path().display().to_string();
    let unit = serde_json::json!({"directory": here, "file": "f.c", "arguments": ["clang", "-c", "f.c", "-o", "f.o"]});
    fs::write(bench.path().join("compile_commands.json"), serde_json::json!([unit]).to_string()).expect("writable");
    let common = ["accuracy", "-p", ".", "--entry", "series", "--entry", "bessel", "--range", "x=0.5..1"];
    let run = |references: &[&str]| {
        let references: Vec<&str> = references.iter().flat_map(|of| ["--reference", of]).collect();
        bench.labrys(&[&common[..], &references, &["--max-work", "2000", "--format", "json"]].concat())
    };
    let both = run(&["series=mpfr:exp", "bessel=mpfr:j1"]);
    both.expect_code(1);
    let found = findings(&both.json());
    let blamed: Vec<&Value> = found.iter().filter(|finding| finding["severity"] != "benign").collect();
    assert_eq!(blamed.len(), 1, "{found:#?}");
    assert_eq!(
        (&blamed[0]["severity"], &blamed[0]["accuracy"]["reference"]["name"]),
        (&"wrong-algorithm".into(), &"mpfr:exp".into())
    );
    for (references, expected) in [
        (&["mpfr:exp"][..], "it is of one function, and there are 2"),
        (&["kept=mpfr:exp"], "there is no function kept"),
        (&["series=mpfr:exp", "series=mpfr:erf"], "another reference"),
    ] {
        let run = run(references);
        run.expect_code(2);
        assert!(run.stderr.contains(expected) && run.stderr.trim_end().lines().count() == 1, "{}", run.stderr);
    }
}

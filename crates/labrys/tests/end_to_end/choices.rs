//! Options that choose what is searched and compared.

use crate::harness::{Bench, Run, raises};

fn diff(bench: &Bench, arguments: &[&str]) -> Run {
    let mut all = vec!["diff", "--format", "json", "--max-work", "3000"];
    all.extend_from_slice(arguments);
    bench.labrys(&all)
}

fn severities(run: &Run) -> Vec<String> {
    let findings = run.json()["findings"].as_array().cloned().unwrap_or_default();
    findings.iter().filter_map(|finding| finding["severity"].as_str().map(str::to_owned)).collect()
}

/// Both overflow, in another order: no caller can see it.
const OLD: &str = "void g(double x, double y, double *a, double *b) {\n  *a = x * 1e300;\n  *b = y * 1e300;\n}\n";
const NEW: &str = "void g(double x, double y, double *a, double *b) {\n\n  *b = y * 1e300; *a = x * 1e300;\n}\n";

#[test]
fn traces_are_compared_only_where_asked_for() {
    let bench = Bench::new(&[("old.c", OLD), ("new.c", NEW)]);
    diff(&bench, &["old.c", "new.c"]).expect_code(0);
    let run = diff(&bench, &["old.c", "new.c", "--compare", "trace"]);
    run.expect_code(1);
    let found = severities(&run);
    assert!(!found.is_empty() && found.iter().all(|severity| severity == "trace"), "{found:?}");
    // A build never differs from itself.
    diff(&bench, &["old.c", "old.c", "--compare", "trace"]).expect_code(0);
}

#[test]
fn a_trace_finding_is_replayed_as_one() {
    let bench = Bench::new(&[("old.c", OLD), ("new.c", NEW)]);
    let run = diff(&bench, &["old.c", "new.c", "--compare", "trace", "-o", "out"]);
    let finding = run.finding("a trace", |finding| finding["severity"] == "trace");
    let file = format!("out/{}.json", finding["id"].as_str().unwrap_or_default());
    bench.labrys(&["replay", &file]).expect_code(1);
}

#[test]
fn inexact_is_watched_only_where_asked_for() {
    let bench = Bench::new(&[
        ("old.c", "double g(double x) { return x; }\n"),
        ("new.c", "double g(double x) { volatile double third = x / 3; return third == 0 ? x : x; }\n"),
    ]);
    let finite = ["old.c", "new.c", "--inputs", "finite", "--range", "x=1..100"];
    diff(&bench, &finite).expect_code(0);
    let mut watched = finite.to_vec();
    watched.push("--inexact");
    let run = diff(&bench, &watched);
    run.expect_code(1);
    let finding = run.finding("inexact", |_| true);
    assert_eq!(finding["observations"][1]["flags"], serde_json::json!(["inexact"]));
}

#[test]
fn given_inputs_are_the_only_ones() {
    let bench = Bench::new(&[("f.c", "double g(double x, double y) { return x / y * y; }\n")]);
    let run = diff(&bench, &["f.c", "--input", "x=1, y=0", "--input=x=0x1p3,y=2"]);
    run.expect_code(1);
    let report = run.json();
    assert_eq!(report["counts"]["inputs_tested"], 2);
    assert_eq!(report["findings"][0]["found_by"], "given");
    diff(&bench, &["f.c", "--input", "x=8,y=2"]).expect_code(0);
}

#[test]
fn findings_stay_within_range_and_assumption() {
    let bench = Bench::new(&[("f.c", "double g(double x, double y) { return x / y * y; }\n")]);
    let run = diff(&bench, &["f.c", "--range", "x=1..2", "--assume", "3 <= y && y < x * 4", "--ulps", "0"]);
    run.expect_code(1);
    for finding in run.json()["findings"].as_array().into_iter().flatten() {
        let value = |index: usize| -> f64 {
            finding["inputs"][index]["decimal"].as_str().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
        };
        let (x, y) = (value(0), value(1));
        assert!((1.0..=2.0).contains(&x) && 3.0 <= y && y < x * 4.0, "x = {x}, y = {y}");
    }
}

#[test]
fn a_time_limit_that_ends_the_builds_is_told_by_exit_code_3() {
    let bench = Bench::new(&[("f.c", "double g(double x) { return x; }\n")]);
    let run = diff(&bench, &["f.c", "--time", "1ms"]);
    run.expect_code(3);
    assert_eq!(run.json()["status"], "limit");
    assert!(run.stderr.is_empty(), "{}", run.stderr);
}

#[test]
fn gcc_libraries_without_debug_information() {
    // gcc links its crtfastmath.o, which alone has debug information.
    let bench = Bench::new(&[("f.c", "double g(double v, double w) { return v / w * w; }\n")]);
    bench.program("gcc", &["-shared", "-fPIC", "-O0", "-o", "old.so", "f.c"]).expect_code(0);
    bench.program("gcc", &["-shared", "-fPIC", "-O3", "-ffast-math", "-o", "new.so", "f.c"]).expect_code(0);
    let run = diff(
        &bench,
        &["--baseline-lib", "old.so", "--variant-lib", "new.so", "--signature", "double(double v, double w)"],
    );
    run.expect_code(1);
    assert_eq!(run.json()["target"]["builds"][1]["startup"], "ftz");
}

#[test]
fn an_instance_of_a_template_by_its_template() {
    let source =
        "template<class T> T ratio(T a, T b) { return a / b * b; }\ntemplate double ratio<double>(double, double);\n";
    let bench = Bench::new(&[("f.cpp", source)]);
    diff(&bench, &["f.cpp", "-f", "ratio"]).expect_code(1);
}

/// The interpreter and single steps stand in where a machine does not trap exceptions.
#[test]
fn all_ways_of_tracing_tell_the_same_story() {
    let bench = Bench::new(&[
        ("old.c", "double g(double x, double y) {\n  double a = x * y;\n  return a / y + 1 / (x - x);\n}\n"),
        ("new.c", "double g(double x, double y) {\n  return x * 0 + y;\n}\n"),
    ]);
    let traces = |way: &str| {
        let run = diff(&bench, &["old.c", "new.c", "--tracing", way, "--input", "x=1e200,y=1e200"]);
        let finding = run.finding(way, |_| true);
        assert_eq!(finding["observations"][0]["trace_complete"], true, "{way}");
        (finding["observations"][0]["trace"].clone(), run.json()["notes"].to_string())
    };
    let (trapped, notes) = traces("trap");
    assert_eq!(trapped.as_array().map(Vec::len), Some(2), "{trapped}");
    assert_eq!(trapped[0]["line"], 2);
    assert!(!notes.contains("traces were made"), "{notes}");
    for (way, said) in [("step", "single steps"), ("interpreter", "interpreting each build's IR")] {
        let (trace, notes) = traces(way);
        assert_eq!(trace, trapped, "{way}");
        assert!(notes.contains(said), "{way}: {notes}");
    }
}

/// The same for one build.
#[test]
fn exceptions_are_placed_alike_by_all_ways_of_tracing() {
    let source = "double g(double x, double y) {\n  double a = x * y;\n  return a / y + 1 / (x - x);\n}\n";
    let bench = Bench::new(&[("g.c", source)]);
    let exceptions = |way: &str, input: &[&str]| {
        let mut arguments = vec!["exceptions", "g.c", "--tracing", way, "--format", "json", "--max-work", "3000"];
        arguments.extend_from_slice(input);
        let run = bench.labrys(&arguments);
        run.expect_code(1);
        run
    };
    let traces = |way: &str| {
        let run = exceptions(way, &["--input", "x=1e200,y=1e200"]);
        let finding = run.finding(way, |_| true);
        assert_eq!(finding["observations"][0]["trace_complete"], true, "{way}");
        (finding["observations"][0]["trace"].clone(), run.json()["notes"].to_string())
    };
    let verdicts = |way: &str| {
        let sites = exceptions(way, &[]).json()["sites"].as_array().cloned().unwrap_or_default();
        let of = |site: &serde_json::Value| {
            [&site["line"], &site["column"], &site["exception"], &site["verdict"]].map(ToString::to_string)
        };
        sites.iter().map(of).collect::<Vec<_>>()
    };
    let ((trapped, notes), of_traps) = (traces("trap"), verdicts("trap"));
    assert_eq!(trapped[0]["line"], 2, "{trapped}");
    assert_eq!(trapped[1]["line"], 3, "{trapped}");
    assert!(!notes.contains("traces were made"), "{notes}");
    assert!(of_traps.iter().any(|site| site[3].contains("\"reachable")), "{of_traps:?}");
    for (way, said) in [("step", "single steps"), ("interpreter", "interpreting each build's IR")] {
        let (trace, notes) = traces(way);
        assert_eq!(trace, trapped, "{way}");
        assert!(notes.contains(said), "{way}: {notes}");
        assert_eq!(verdicts(way), of_traps, "{way}");
    }
}

/// Path conditions over integers used to leave the solver without a reading: neither branch's sites got a candidate.
#[test]
fn integer_parameters_do_not_keep_the_solver_out() {
    let bench = Bench::new(&[(
        "f.c",
        "double g(int k, double x, double y) {\n  switch (k) {\n  case 123456: return x * y / (x - y);\n\
         \x20 case -9: return (x + y) - x;\n  default: return x;\n  }\n}\n",
    )]);
    let run = diff(&bench, &["f.c"]);
    let counts = run.json()["counts"].clone();
    assert!(counts["sat"].as_u64() >= Some(8), "{counts}");
    assert_eq!(counts["unknown"], 0, "{counts}");
    let finding = run.finding("a difference in a rare branch", |finding| finding["inputs"][0]["decimal"] != "0");
    assert!(["123456", "-9"].contains(&finding["inputs"][0]["decimal"].as_str().unwrap_or_default()), "{finding}");
}

/// Assumptions that hardly any input satisfies: the solver finds one, and a user's own is run.
#[test]
fn narrow_assumptions_are_no_contradiction() {
    let bench = Bench::new(&[("f.c", "double f(double x, double y) { return x / y; }\n")]);
    let assumed = ["diff", "f.c", "--assume", "x*x == 2.25 && y == x+1", "--format", "json"];
    bench.labrys(&[&assumed[..], &["--max-work", "200"]].concat()).expect_code(0);
    bench.labrys(&[&assumed[..], &["--input", "x=1.5,y=2.5"]].concat()).expect_code(0);
    let run = bench.labrys(&["diff", "f.c", "--assume", "x > 1 && x < 1", "--max-work", "200"]);
    run.expect_code(2);
}

/// `fmax` of the IR raises invalid for NaNs where the processor's does not: what machine code shows is no longer called proved.
#[test]
fn a_proof_over_the_ir_does_not_contradict_a_finding() {
    let source = "#include <math.h>\ndouble f(double a, double b) {\n  double d = fabs(a - b);\n  \
                  return d == 0 ? 0 : d / fmax(fabs(a), fabs(b));\n}\n";
    let bench = Bench::new(&[("f.c", source)]);
    let report = bench.labrys(&["diff", "f.c", "--max-work", "20000", "--format", "json"]).json();
    let masked =
        |finding: &serde_json::Value| raises(finding, "baseline", "invalid") && !raises(finding, "variant", "invalid");
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    assert!(findings.iter().any(masked), "{report}");
    let proof = "proved over the IR: on no input does the baseline raise invalid";
    let notes = report["notes"].as_array().cloned().unwrap_or_default();
    assert!(!notes.iter().any(|note| note.as_str().is_some_and(|note| note.starts_with(proof))), "{notes:?}");
}

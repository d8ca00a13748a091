//! `labrys accuracy`: errors of several outputs at once, operations that made most of all errors, what is not accused, and inputs that
//! only conditions find.

use serde_json::Value;

use crate::harness::Bench;

fn findings(report: &Value) -> Vec<Value> {
    report["findings"].as_array().cloned().unwrap_or_default()
}

/// The backward error of all outputs together on one input.
fn joint(source: &str, input: &str) -> Value {
    let bench = Bench::new(&[("f.c", source)]);
    let run = bench.labrys(&["accuracy", "f.c", "-f", "f", "--input", input, "--format", "json"]);
    let report = run.json();
    findings(&report).first().unwrap_or_else(|| run.fail("no finding"))["accuracy"]["joint_backward_error"].clone()
}

#[test]
fn several_outputs_have_a_backward_error_together() {
    // (a + b) − a is off by −b where b is absorbed, and a − b by b: a need not move, and b has to vanish.
    let of_both = "void f(double a, double b, double *s, double *d) { *s = (a + b) - a; *d = a - b; }";
    let of = joint(of_both, "a=1,b=1e-17");
    assert_eq!(of["outputs"], 2, "{of}");
    assert!(of["change"].as_f64().is_some_and(|change| (change - 1.0).abs() < 1e-9), "{of}");
    // What is left of the entries of a product of vectors after a detour are those of no vectors.
    let of_vectors = "void f(double a, double b, double c, double d, double p[4]) \
                      { p[0] = (a * c + 1e6) - 1e6; p[1] = (a * d + 1e6) - 1e6; \
                      p[2] = (b * c + 1e6) - 1e6; p[3] = (b * d + 1e6) - 1e6; }";
    let of = joint(of_vectors, "a=0.1,b=0.7,c=0.3,d=1.1");
    assert!(of["outputs"] == 4 && of["change"].is_null(), "{of}");
    // Of a single output it is nothing else.
    assert!(joint("double f(double a, double b) { return (a + b) - a; }", "a=1,b=1e-17").is_null());
}

/// "unclassified" has several reasons, and did not say which.
#[test]
fn errors_whose_fault_is_not_known_say_why() {
    // 1 is the end of the domain: beside it there is no true result, and so no derivative.
    let source = "#include <math.h>\ndouble f(double x) { return sqrt(1 - x) + ((3 * x + 1e16) - 1e16); }";
    let bench = Bench::new(&[("f.c", source)]);
    let arguments = ["accuracy", "f.c", "-f", "f", "--input", "x=1"];
    let run = bench.labrys(&[&arguments[..], &["--format", "json"]].concat());
    let all = findings(&run.json());
    let finding = all.first().unwrap_or_else(|| run.fail("no finding"));
    assert_eq!(finding["severity"], "unclassified", "{finding}");
    let why = finding["accuracy"]["fault_unknown"].as_str().unwrap_or_default();
    assert!(why.contains("no derivative"), "{finding}");
    let text = bench.labrys(&arguments).stdout;
    assert!(text.contains("whose fault it is is not known: "), "{text}");
}

#[test]
fn what_made_most_of_all_errors_is_told() {
    let source = "#include <math.h>\n\
                  double lib_log(double x) {\n  return log(1 + x);\n}\n\
                  double lib_versine(double x) {\n  return 1 - cos(x);\n}\n";
    let bench = Bench::new(&[("a.c", source)]);
    let arguments = ["accuracy", "a.c", "-f", "lib_log", "--range", "x=1e-20..1", "--max-work", "4000"];
    let run = bench.labrys(&[&arguments[..], &["--format", "json"]].concat());
    let operations = run.json()["operations"].clone();
    let worst = &operations["worst"][0];
    assert!(worst["operator"] == "fadd" && worst["line"] == 3, "{operations:#}");
    let part = worst["bits"].as_f64().zip(operations["bits"].as_f64());
    assert!(part.is_some_and(|(part, whole)| part > 0.5 * whole && part <= whole), "{operations:#}");
    assert!(operations["errors"].as_u64().is_some_and(|errors| errors >= 2), "more than the findings: {operations:#}");
    let text = bench.labrys(&arguments).stdout;
    assert!(text.contains("was made by\n") && text.contains(" %  fadd at a.c:3:"), "{text}");

    // Of a library those of all functions.
    let here = bench.path().display().to_string();
    let unit =
        serde_json::json!([{"directory": here, "file": "a.c", "arguments": ["clang", "-c", "a.c", "-o", "a.o"]}]);
    std::fs::write(bench.path().join("compile_commands.json"), unit.to_string()).expect("writable");
    let arguments = ["accuracy", "-p", ".", "--entry", "lib_*", "--max-work", "4000", "-o", "out", "--format", "json"];
    let report = bench.labrys(&arguments).json();
    let worst = report["operations"]["worst"].as_array().cloned().unwrap_or_default();
    let lines: Vec<u64> = worst.iter().filter_map(|of| of["line"].as_u64()).collect();
    assert!(lines.contains(&3) && lines.contains(&6) && worst.len() <= 10, "{:#}", report["operations"]);
}

/// Veltkamp's splitting, whose rounding makes the leading half, was called unstable.
#[test]
fn splittings_are_not_accused() {
    let split = "double high(double a) { double c = 134217729.0 * a; return c - (c - a); }\n\
                 double low(double a) { double c = 134217729.0 * a; double h = c + (a - c); return a - h; }\n\
                 float high_float(float a) { float c = 4097.0f * a; float d = c - a; return c - d; }\n";
    let bench = Bench::new(&[("f.c", split)]);
    for function in ["high", "low", "high_float"] {
        let range = ["--range", "a=-1e10..1e10", "--max-work", "6000", "--format", "json"];
        let run = bench.labrys(&[&["accuracy", "f.c", "-f", function], &range[..]].concat());
        let blamed = findings(&run.json()).into_iter().filter(|finding| finding["severity"] != "benign").count();
        assert_eq!(blamed, 0, "{function}: {}", run.stdout);
    }
    // No bound of the distance to a truth that does not round is shown for it.
    let arguments =
        ["accuracy", "f.c", "-f", "high", "--range", "a=1..2", "--bound", "--max-work", "2000", "--format", "json"];
    let bound = bench.labrys(&arguments).json()["bounds"][0].clone();
    assert!(bound["why"].as_str().is_some_and(|why| why.contains("splitting") && why.contains("f.c:1:")), "{bound:#}");
}

/// Where inputs stand in a relation that no search meets, the conditions lead to it.
#[test]
fn conditions_find_what_a_search_does_not_meet() {
    let source = "double f(double x, double y, double a, double b) {\n\
                  if (x > 1234.5678 && y == x * 3) return (a + b) - a;\nreturn a;\n}\n\
                  double g(double a, double b, double c) {\n\
                  if (a > b * c && a < b * c + 1e-9 && b > 3 && c > 7) return (a - b * c) * 1e9;\nreturn a;\n}\n";
    let bench = Bench::new(&[("f.c", source)]);
    for function in ["f", "g"] {
        let run = bench.labrys(&["accuracy", "f.c", "-f", function, "--max-work", "20000", "--format", "json"]);
        run.finding("an error that a condition leads to", |finding| {
            let found_by = finding["found_by"].as_str().unwrap_or_default();
            ["cancellation", "amplification", "neighbourhood", "guided"].contains(&found_by)
                && finding["severity"] != "benign"
                && finding["accuracy"]["error"]["bits"].as_f64().is_some_and(|bits| bits > 20.0)
        });
    }
}

/// Derivatives at an input do not tell that the true result is elsewhere half an ulp away: the map was called unstable.
#[test]
fn chaos_is_the_problems_fault() {
    let source =
        "double f(double x) { double y = x; for (int i = 0; i < 50; i++) y = y * y * 3.9 - y * y * y; return y; }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let arguments = ["accuracy", "f.c", "--input", "x=0x1.1ae15799998a7p-2", "--range", "x=0..0.5", "--format", "json"];
    let severities: Vec<_> =
        findings(&bench.labrys(&arguments).json()).into_iter().map(|finding| finding["severity"].clone()).collect();
    assert_eq!(severities, ["ill-conditioned"]);
}

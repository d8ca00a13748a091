//! From which public functions a static function's exceptions can happen.

use serde_json::{Value, json};

use crate::harness::{Bench, Run};

/// A caller that guards, one that transforms its argument, and one that nobody can see through.
const SOURCE: &str = "\
    static double pole(double x) { return 1 / (x - 3); }\n\
    double lib_guarded(double x) { if (x > 2 && x < 4) return 0; return pole(x); }\n\
    static double far(double x) {\n\
    \x20   double s = 1;\n\
    \x20   for (int i = 0; i < 40; i++) s = 0.5 * s + 1 / (s * s + x * x);\n\
    \x20   return s / (x - 123.5);\n\
    }\n\
    double lib_moved(double x) { if (!(x > 0) || x > 1e4) return 0; return far(2 * x - 1e3); }\n\
    static double spot(double x) { return 1 / (x - 0.7071); }\n\
    double lib_mixed(double x) {\n\
    \x20   if (!(x >= 0.25 && x <= 0.75)) return 0;\n\
    \x20   for (int i = 0; i < 60; i++) x = 3.99 * x * (1 - x);\n\
    \x20   return spot(x);\n\
    }\n\
    double other(double x) { return pole(x) + 1; }\n";

fn bench(source: &str) -> Bench {
    let bench = Bench::new(&[("lib.c", source)]);
    let command = json!([{"directory": bench.path(), "file": "lib.c", "arguments": ["cc", "-c", "lib.c"]}]);
    std::fs::write(bench.path().join("compile_commands.json"), command.to_string()).expect("writable");
    bench
}

fn run(bench: &Bench, entries: &[&str]) -> Run {
    let mut arguments =
        vec!["exceptions", "-p", ".", "--max-work", "6000", "--function-time", "30s", "--only", "divbyzero"];
    arguments.extend(entries.iter().flat_map(|entry| ["--entry", entry]));
    arguments.extend(["--format", "json", "-o", "out"]);
    let run = bench.labrys(&arguments);
    run.expect_code(1);
    run
}

/// What is said of the division by zero in `function`.
fn division(run: &Run, function: &str) -> Value {
    let found = run.finding(function, |finding| {
        // The quotients of a loop are no poles.
        let site = &finding["exception"]["site"];
        site["function"] == function && site["operator"] == "fdiv"
    });
    found["exception"].clone()
}

#[test]
fn callers_are_asked_what_they_let_happen() {
    let bench = bench(SOURCE);
    let run = run(&bench, &["lib_*", "pole", "far", "spot"]);
    let guarded = division(&run, "pole");
    assert_eq!(guarded["reachable_from"], json!([]));
    // `other` calls it too, and was not analysed.
    assert_eq!(guarded["only_direct"], Value::Null);
    let verdicts: Vec<(&str, &str)> = guarded["not_seen_from"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|of| (of["entry"].as_str().unwrap_or_default(), of["verdict"].as_str().unwrap_or_default()))
        .collect();
    assert_eq!(verdicts, [("lib_guarded", "unreachable"), ("other", "unknown")]);

    let moved = division(&run, "far");
    let route = &moved["reachable_from"][0];
    assert_eq!(route["chain"], json!(["lib_moved", "far"]), "{moved:#}");
    assert_eq!(route["inputs"][0]["decimal"], "561.75", "{route:#}");

    let mixed = division(&run, "spot");
    assert_eq!(mixed["reachable_from"], json!([]));
    assert_eq!(mixed["only_direct"], Value::Null);
    let not_seen = &mixed["not_seen_from"][0];
    assert_eq!((&not_seen["entry"], &not_seen["verdict"]), (&json!("lib_mixed"), &json!("unknown")), "{not_seen:#}");
    assert!(not_seen["why"].as_str().is_some_and(|why| !why.contains("own function")), "{not_seen:#}");

    // Each pair is there once, and what the report prints can be run again.
    let report = run.json();
    let sites = report["sites"].as_array().cloned().unwrap_or_default();
    let mut keys: Vec<String> =
        sites.iter().map(|site| format!("{} {} {}", site["line"], site["column"], site["exception"])).collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), sites.len());
    let finding = run.finding("the moved pole", |finding| finding["exception"]["site"]["function"] == "far");
    let id = finding["id"].as_str().unwrap_or_default();
    let replayed = bench.labrys(&["replay", &format!("out/{id}.json"), "--format", "json"]);
    replayed.expect_code(1);
    let routes = &replayed.json()["replayed"][0]["reachable_from"];
    assert_eq!(*routes, json!([{"entry": "lib_moved", "holds": true}]));
    // The second run finds every answer again.
    let again = self::run(&bench, &["lib_*", "pole", "far", "spot"]);
    assert_eq!(again.json()["findings"], report["findings"]);
}

#[test]
fn what_all_callers_rule_out_needs_a_direct_call() {
    let bench = bench(SOURCE.split("double other").next().unwrap_or_default());
    let run = run(&bench, &["lib_guarded", "pole"]);
    let guarded = division(&run, "pole");
    assert_eq!(guarded["reachable_from"], json!([]));
    assert_eq!(guarded["only_direct"]["verdict"], "unreachable", "{guarded:#}");
    let rests_on = guarded["only_direct"]["assumptions"].as_array().cloned().unwrap_or_default();
    assert!(rests_on.iter().any(|of| of.as_str().is_some_and(|of| of.contains("static"))), "{rests_on:?}");
    let text = bench.labrys(&[
        "exceptions",
        "-p",
        ".",
        "--entry",
        "lib_guarded",
        "--entry",
        "pole",
        "--all",
        "-o",
        "out",
        "--max-work",
        "6000",
        "--function-time",
        "30s",
        "--only",
        "divbyzero",
    ]);
    assert!(text.stdout.contains("only if called directly: proved"), "{}", text.stdout);
}

/// A helper that is only called with small numbers, and one whose errors its caller shows.
const LOSSES: &str = "\
    #include <math.h>\n\
    static double __attribute__((noinline)) excess(double x) { return sqrt(x * x + 1) - x; }\n\
    double lib_small(double x) { if (!(x > 0.25 && x < 2)) return 0; return excess(x); }\n\
    static double __attribute__((noinline)) absorbed(double x) { return (x + 1e10) - 1e10; }\n\
    double lib_any(double x) { if (!(x > 0.001 && x < 1)) return 0; return absorbed(3 * x); }\n";

/// What is said of the callers of the worst finding in `function`.
fn callers_of(run: &Run, analysis: &str, function: &str) -> Value {
    let report = run.json();
    let functions = report["functions"].as_array().cloned().unwrap_or_default();
    let of = functions.iter().find(|of| of["function"] == function).expect("the function is listed");
    let found = run.finding(function, |finding| {
        of["findings"].as_array().is_some_and(|ids| ids.contains(&finding["id"]))
            && finding["severity"] != "ill-conditioned"
    });
    found[analysis]["callers"].clone()
}

#[test]
fn errors_of_static_functions_are_looked_for_in_their_callers() {
    let bench = bench(LOSSES);
    let arguments =
        ["accuracy", "-p", ".", "--max-work", "8000", "--function-time", "30s", "--format", "json", "-o", "out"];
    let run = bench.labrys(&arguments);
    run.expect_code(1);
    let small = callers_of(&run, "accuracy", "excess");
    assert_eq!(small["only_direct"]["verdict"], "unreachable", "{small:#}");
    assert_eq!(small["not_seen_from"][0]["chain"], json!(["lib_small", "excess"]));
    let any = callers_of(&run, "accuracy", "absorbed");
    assert_eq!(any["reachable_from"][0]["chain"], json!(["lib_any", "absorbed"]), "{any:#}");
    // Answers are kept, and parts of a run come to the same report.
    let again = bench.labrys(&arguments);
    assert_eq!(again.json()["findings"], run.json()["findings"]);
}

#[test]
fn divergences_of_static_functions_are_looked_for_in_their_callers() {
    let source = "\
        static double __attribute__((noinline)) third(double x, double y) { return x * y / 3; }\n\
        double lib_third(double x, double y) { if (!(x > 1 && x < 2 && y > 1 && y < 2)) return 0; return third(x, y); }\n";
    let bench = bench(source);
    let builds = ["--variant", "clang -O1 -ffast-math -fno-inline", "--no-blame", "--inputs", "finite"];
    let limits = ["--max-work", "500", "--function-time", "20s", "--second-opinion", "off", "--format", "json"];
    let run = bench.labrys(&[&["diff", "-p", "."], &builds[..], &limits].concat());
    run.expect_code(1);
    // Its underflow takes small numbers, which the public function does not pass.
    let found = run.finding("a masked underflow", |finding| finding["severity"] == "masked");
    let callers = &found["difference"]["callers"];
    assert_eq!(callers["only_direct"]["verdict"], "unreachable", "{found:#}");
    assert_eq!(callers["not_seen_from"][0]["entry"], "lib_third", "{found:#}");
}

/// What no analysis of its own decides is not proved by those of others where somebody may call a function that was not analysed; nor is what only such
/// functions reach left out.
#[test]
fn functions_that_are_not_analysed_lead_anywhere() {
    let source = "\
        static double at(double **m, int i) { return 1 / m[0][i]; }\n\
        double guarded(double x) { double r[1] = {x}, *m[1] = {r}; return x > 2 && x < 3 ? at(m, 0) : 0; }\n\
        double open(double **m) { return at(m, 0); }\n\
        double alone(double **m, int i) { return 3 / m[0][i]; }\n\
        static double other(double x) { return 8 / x; }\n\
        extern __typeof(other) renamed __attribute__((alias(\"other\")));\n\
        double narrow(double x) { return x > 2 && x < 3 ? other(x) : 0; }\n";
    let bench = bench(source);
    let mut arguments = vec!["exceptions", "-p", ".", "--max-work", "3000", "--only", "divbyzero"];
    arguments.extend(["--format", "json", "-o", "out"]);
    let run = bench.labrys(&arguments);
    run.expect_code(1);
    for function in ["open", "alone"] {
        let why =
            format!("{function} leads there, and is not analysed: parameter m of type double ** cannot be driven");
        assert!(run.stdout.contains(&why), "{}", run.stdout);
    }
    let verdicts: Vec<Value> =
        run.json()["sites"].as_array().into_iter().flatten().map(|of| of["verdict"].clone()).collect();
    assert_eq!(verdicts, ["unknown", "reachable", "unknown"], "{}", run.stdout);
    let found = division(&run, "other");
    assert_eq!(found["only_direct"], Value::Null, "{found:#}");
}

/// What a function that nobody knows is given it calls: paths to the call were left out as leading to no site that was asked for.
#[test]
fn functions_that_are_handed_over_are_called() {
    let source = "#include <stdlib.h>\nstatic double ratio(double a, double b) { return a / b; }\n\
                  static int compare(const void *p, const void *q) { return ratio(*(const double *)p, *(const double *)q) > 1; }\n\
                  void sort(double v[4]) { qsort(v, 4, sizeof *v, compare); }\n";
    let bench = bench(source);
    let run = run(&bench, &["*"]);
    let text = run.json().to_string();
    assert!(text.contains("ratio") && !text.contains("proved impossible"), "{text}");
    let found = division(&run, "ratio");
    let not_seen = found["not_seen_from"].as_array().cloned().unwrap_or_default();
    assert!(not_seen.iter().all(|of| of["verdict"] != "unreachable"), "{found:#}");
}

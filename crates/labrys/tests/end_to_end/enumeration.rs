//! Search domains of few inputs are run whole: then every pair is decided by looking.

use serde_json::Value;

use crate::harness::{Bench, Run};

/// The pairs of a report: (operator, exception, verdict, engine, scope).
fn pairs(run: &Run) -> Vec<[String; 5]> {
    let sites = run.json()["sites"].as_array().cloned().unwrap_or_default();
    let text = |site: &Value, name: &str| site[name].as_str().unwrap_or_default().to_owned();
    sites
        .iter()
        .map(|site| ["operator", "exception", "verdict", "engine", "scope"].map(|name| text(site, name)))
        .collect()
}

fn is_by_looking(pair: &[String; 5]) -> bool {
    pair[3] == "enumeration"
}

fn notes(run: &Run) -> String {
    run.json()["notes"].to_string()
}

/// One value of 65,536: no sampler draws it for sure, and no proof is needed for what the others do.
#[test]
fn a_pole_at_one_short_is_found_and_all_else_is_impossible() {
    let bench = Bench::new(&[("f.c", "double f(short n) { return 1.0 / (n - 12345) * 1e300; }\n")]);
    let run = bench.labrys(&["exceptions", "f.c", "--format", "json"]);
    run.expect_code(1);
    let found = run.finding("a division by zero", |finding| finding["exception"]["exception"] == "divbyzero");
    assert_eq!((&found["inputs"][0]["decimal"], &found["count"]), (&"12345".into(), &1.into()));
    assert_eq!(found["found_by"], "enumeration");
    assert_eq!(run.json()["counts"]["inputs_tested"], 65_536);
    for pair in pairs(&run) {
        if pair[1] == "divbyzero" {
            assert_eq!(pair[2], "reachable", "{pair:?}");
        } else {
            assert_eq!(&pair[2..], ["unreachable", "enumeration", "native: all 65,536 inputs were run"], "{pair:?}");
        }
    }
    let again = bench.labrys(&["exceptions", "f.c", "--format", "json"]);
    let of = |run: &Run| {
        let mut report = run.json();
        report["timing"] = Value::Null;
        report
    };
    assert_eq!(of(&run), of(&again));
    let shown = bench.labrys(&["exceptions", "f.c"]);
    assert!(shown.stdout.contains("all 65,536 inputs were run"), "{}", shown.stdout);
}

#[test]
fn every_pair_of_a_half_precision_function_is_decided() {
    let text = "_Float16 f(_Float16 x, _Bool up) {\n  if (up) return x * x;\n  return 1 / (x - 3);\n}\n";
    let bench = Bench::new(&[("f.c", text)]);
    let run = bench.labrys(&["exceptions", "f.c", "--format", "json", "--inputs", "finite"]);
    run.expect_code(1);
    // Numbers and both zeros, each for both branches.
    assert!(notes(&run).contains("all 126,976 inputs were run"), "{}", notes(&run));
    let pairs = pairs(&run);
    assert!(pairs.len() > 10 && pairs.iter().all(|pair| pair[2] != "unknown"), "{pairs:?}");
    let of = |exception: &str, verdict: &str| pairs.iter().any(|pair| pair[1] == exception && pair[2] == verdict);
    for exception in ["overflow", "divbyzero"] {
        assert!(of(exception, "reachable"), "{exception} {pairs:?}");
    }
}

/// What a call that crashes raised before is not known.
#[test]
fn a_crash_at_one_value_leaves_nothing_proved_by_looking() {
    let text = "double f(unsigned char n) {\n  if (n == 200) __builtin_trap();\n  return 1.0 / (n - 7);\n}\n";
    let bench = Bench::new(&[("f.c", text)]);
    let run = bench.labrys(&["exceptions", "f.c", "--format", "json"]);
    run.expect_code(1);
    run.finding("a division by zero", |finding| finding["exception"]["exception"] == "divbyzero");
    assert!(!pairs(&run).iter().any(is_by_looking), "{:?}", pairs(&run));
    assert!(notes(&run).contains("running all inputs proves nothing: a call did not return"), "{}", notes(&run));
}

/// The hundred thousandth call divides by zero.
#[test]
fn what_earlier_calls_change_is_not_proved_by_looking() {
    let counts = |storage: &str| {
        format!("{storage} int calls;\ndouble f(unsigned char n) {{ calls++; return n / (calls - 100000.0); }}\n")
    };
    for storage in ["static", "static _Thread_local"] {
        let bench = Bench::new(&[("f.c", &counts(storage))]);
        let run = bench.labrys(&["exceptions", "f.c", "--format", "json", "--time", "20s"]);
        assert!(!pairs(&run).iter().any(is_by_looking), "{storage} {:?}", pairs(&run));
        assert!(notes(&run).contains("it uses calls, which calls may change"), "{storage} {}", notes(&run));
    }
}

#[test]
fn a_product_of_ranges_is_run_whole_up_to_a_limit() {
    let bench = Bench::new(&[("f.c", "double f(unsigned char a, int c) { return 1.0 / (a + 256 * c + 1); }\n")]);
    let run =
        |range: &str| bench.labrys(&["exceptions", "f.c", "--format", "json", "--range", range, "--max-work", "4096"]);
    let whole = run("c=0..15");
    assert!(notes(&whole).contains("all 4,096 inputs were run"), "{}", notes(&whole));
    assert!(pairs(&whole).iter().all(is_by_looking), "{:?}", pairs(&whole));
    let more = run("c=0..16");
    assert!(!pairs(&more).iter().any(is_by_looking), "{:?}", pairs(&more));
}

/// Registers and memory that nobody wrote: with other contents the function does something else.
#[test]
fn what_depends_on_memory_that_nobody_wrote_is_not_proved_by_looking() {
    let text =
        "double f(unsigned char n) { volatile double a[4]; if (n > 250) a[0] = 1; return 1.0 / (a[0] - 5.0); }\n";
    let bench = Bench::new(&[("f.c", text)]);
    let run = bench.labrys(&["exceptions", "f.c", "--format", "json"]);
    assert!(!pairs(&run).iter().any(is_by_looking), "{:?}", pairs(&run));
}

//! `labrys diff` over a library.

use crate::harness::Bench;

/// Two sources with a static function of the same name each, and one that both builds compute alike.
const FIRST: &str = "\
    static double part(double x) { return x * 3 / 3; }\n\
    double first(double x, double y) { return part(x) + y - x; }\n\
    double copied(double x) { return x; }\n\
    int calls;\n\
    void begin(void) { calls = 7; }\n\
    double counted(double x) { return calls == 7 ? x + 1e16 - x : x; }\n";
const SECOND: &str = "\
    static double part(double x) { return x / 3 * 3; }\n\
    double second(double x, double y) { return part(x) - y + x; }\n";

fn bench() -> Bench {
    of_two(&[("a.c", FIRST), ("b.c", SECOND)])
}

/// A folder with these files, of which a.c and b.c are compiled.
fn of_two(files: &[(&str, &str)]) -> Bench {
    let bench = Bench::new(files);
    let entry = |file: &str| serde_json::json!({"directory": bench.path(), "file": file, "arguments": ["clang-22", "-c", file]});
    let database = serde_json::json!([entry("a.c"), entry("b.c")]);
    std::fs::write(bench.path().join("compile_commands.json"), database.to_string()).expect("writable");
    bench
}

const RUN: [&str; 7] = ["diff", "-p", ".", "--max-work", "6000", "--format", "json"];

#[test]
fn every_function_is_compared_replayed_and_known_the_next_time() {
    let bench = bench();
    let run = bench.labrys(&[&RUN[..], &["--init", "begin", "-o", "out", "--write-known", "known.json"]].concat());
    run.expect_code(1);
    let report = run.json();
    let functions = report["functions"].as_array().cloned().unwrap_or_default();
    let of = |name: &str| {
        let found = functions.iter().find(|function| function["function"] == name);
        found.cloned().unwrap_or_else(|| run.fail(&format!("no function {name}")))
    };
    for name in ["first", "second", "counted"] {
        assert!(of(name)["findings"].as_array().is_some_and(|found| !found.is_empty()), "{name}");
    }
    assert_eq!(of("copied")["findings"].as_array().map(Vec::len), Some(0));
    // Inlined away in the variant.
    let parts: Vec<_> =
        functions.iter().filter(|of| of["function"].as_str().is_some_and(|name| name.ends_with(":part"))).collect();
    assert!(
        parts.len() == 2 && parts.iter().all(|of| of["failure"].as_str().is_some_and(|why| why.contains("variant")))
    );
    assert_eq!(report["target"]["builds"].as_array().map(Vec::len), Some(3));
    for name in ["report.html", "report.sarif", "report.json", "labrys.sqlite"] {
        assert!(bench.path().join("out").join(name).is_file(), "{name}");
    }
    let id = of("counted")["findings"][0].as_str().expect("an id").to_owned();
    let replayed = bench.labrys(&["replay", &format!("out/{id}.json")]);
    replayed.expect_code(1);
    assert!(replayed.stdout.contains("still holds"), "{}", replayed.stdout);
    assert!(bench.path().join(format!("out/{id}.c")).is_file());
    // Kept results and known findings: nothing new.
    let again = bench.labrys(&[&RUN[..], &["--init", "begin", "-o", "out", "--known", "known.json"]].concat());
    again.expect_code(0);
    assert_eq!(again.json()["findings"].as_array().map(Vec::len), report["findings"].as_array().map(Vec::len));
}

/// An operation of a header that two functions run: a maintainer has one place to look at.
#[test]
fn a_cause_in_a_header_is_one_finding() {
    let header = "static inline double scaled(double x, double y) { return x * y * x; }\n";
    let one = "#include \"h.h\"\ndouble one(double x, double y) { return scaled(x, y); }\n";
    let two = "#include \"h.h\"\ndouble two(double x, double y) { return 1 - scaled(x, y); }\n";
    let bench = of_two(&[("h.h", header), ("a.c", one), ("b.c", two)]);
    let options = ["--entry", "one", "--entry", "two", "--inputs", "finite"];
    let run = bench.labrys(&[&RUN[..], &options].concat());
    run.expect_code(1);
    let shared = run.finding("x * y * x overflows in the variant alone", |finding| {
        finding["severity"] == "introduced" && finding["difference"]["also_in"][0] == "two"
    });
    let cause = &shared["difference"]["cause"];
    assert_eq!((&cause["file"], &cause["operator"]), (&"h.h".into(), &"fmul".into()), "{shared:#}");
    let functions = run.json()["functions"].as_array().cloned().unwrap_or_default();
    let tells = |name: &str| {
        let of = functions.iter().find(|of| of["function"] == name).and_then(|of| of["findings"].as_array());
        of.is_some_and(|ids| ids.contains(&shared["id"]))
    };
    assert_eq!((tells("one"), tells("two")), (true, false));
    let text = bench.labrys(&[&RUN[..5], &options].concat()).stdout;
    assert!(text.contains("the same cause shows in 1 other function: two"), "{text}");
}

#[test]
fn wrong_requests_are_one_line() {
    let bench = bench();
    for (wrong, word) in [
        (&["--entry", "nothing*"][..], "matches"),
        (&["--entry", "first", "a.c"], "--entry"),
        (&["-f", "first"], "-f"),
        (&["--init", "nowhere"], "nowhere"),
        (&["--known", "missing.json"], "missing.json"),
    ] {
        let run = bench.labrys(&[&RUN[..], wrong].concat());
        run.expect_code(2);
        if run.stderr.lines().count() != 1 || !run.stderr.contains(word) {
            run.fail("expected one line");
        }
    }
}

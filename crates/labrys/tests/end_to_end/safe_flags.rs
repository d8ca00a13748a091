//! `labrys diff --safe-flags`: the parts of fast-math that functions bear, known because they were written to bear them.

use crate::harness::Bench;

const SOURCE: &str = "\
    double ordered(double a, double b) { return (a + b) - a; }\n\
    double copied(double x) { return x; }\n";

fn sets(report: &serde_json::Value) -> Vec<serde_json::Value> {
    report["safe_flags"]["sets"].as_array().cloned().unwrap_or_default()
}

#[test]
fn what_reorders_is_left_out_and_nothing_else() {
    let bench = Bench::new(&[("f.c", SOURCE)]);
    let of = |function: &str| {
        let run = bench.labrys(&[
            "diff",
            "f.c",
            "-f",
            function,
            "--safe-flags",
            "--inputs",
            "finite",
            "--range",
            "a=-1e9..1e9",
            "--range",
            "b=-1e9..1e9",
            "--max-work",
            "3000",
            "--no-blame",
            "--format",
            "json",
        ]);
        run.json()
    };
    let report = of("ordered");
    let found = sets(&report);
    let best = found.first().unwrap_or_else(|| panic!("{report:#}"));
    assert_eq!(best["left_out"], serde_json::json!(["-fassociative-math"]), "{report:#}");
    assert_eq!(best["verdict"], "none-found");
    assert_eq!(report["safe_flags"]["spoilt"].as_array().map(Vec::len), Some(1), "{report:#}");
    assert!(report["safe_flags"]["unfinished"].is_null(), "{report:#}");
    // A set with it alone, in which it does nothing, was missed by users.
    assert!(report["safe_flags"]["notes"].to_string().contains("-fassociative-math is tried with"), "{report:#}");
    let flags = best["flags"].to_string();
    assert!(
        flags.contains("-O3") && flags.contains("-freciprocal-math") && !flags.contains("-fassociative-math"),
        "{flags}"
    );
    assert!(
        best["cmake"].as_str().is_some_and(|text| text.contains("-O3;"))
            && best["cargo"].as_str().is_some_and(|text| text.contains("cc::Build"))
    );
    // Other compilers refuse some of these flags, and cc takes gcc where it is told nothing.
    assert!(
        best["cmake"].as_str().is_some_and(|text| text.contains("C_COMPILER_ID:Clang") && text.contains("# for clang"))
            && best["cargo"].as_str().is_some_and(|text| text.contains(".compiler(\"clang"))
    );
    // All of fast-math at -O0 was told as a set, too, which is no faster.
    assert!(found.iter().all(|set| set["flags"].to_string().contains("\"-O3\"")), "{report:#}");
    let speed = report["timing"]["safe_flags_0_speed"].as_f64().expect("it was timed");
    assert!(speed > 0.1 && speed < 100.0, "{speed}");
}

#[test]
fn where_nothing_diverges_all_flags_stay() {
    let bench = Bench::new(&[("f.c", SOURCE)]);
    let run = bench.labrys(&["diff", "f.c", "-f", "copied", "--safe-flags=introduced", "--max-work", "2000"]);
    run.expect_code(0);
    let words = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("none found in ") && words.contains("-fassociative-math"), "{}", run.stdout);
    assert!(!run.stdout.contains("left out") && !run.stdout.contains("diverges:"), "{}", run.stdout);
}

/// The square is dropped at each level but -O0, whatever else is said.
#[test]
fn sets_at_a_level_that_optimises_nothing_are_not_listed() {
    let bench = Bench::new(&[("f.c", "double dead(double x) { double y = x * x; return x; }\n")]);
    let options = ["--inputs", "finite", "--max-work", "3000", "--no-blame", "--format", "json"];
    let report = bench.labrys(&[&["diff", "f.c", "--safe-flags"], &options[..]].concat()).json();
    assert!(sets(&report).is_empty(), "{report:#}");
    let notes = report["safe_flags"]["notes"].to_string();
    assert!(notes.contains("sets at the baseline's -O0 are not listed"), "{report:#}");
}

/// Known witnesses were run without gcc's start-up code, which flushes to zero, and searches with it: each search found anew what the one before had
/// found, until the most that are made were over, and no set was told.
#[test]
fn gccs_start_up_code_comes_with_the_flag_that_links_it() {
    let bench = Bench::new(&[("f.c", "double halved(double x) { return x * 0.5; }\n")]);
    let variant = ["diff", "f.c", "--baseline", "gcc -O0", "--variant", "gcc -O2 -ffast-math", "--safe-flags"];
    let options = ["--inputs", "finite", "--max-work", "3000", "--no-blame", "--format", "json"];
    let report = bench.labrys(&[&variant[..], &options].concat()).json();
    let found = sets(&report);
    let best = found.first().unwrap_or_else(|| panic!("{report:#}"));
    assert_eq!(best["left_out"], serde_json::json!(["-funsafe-math-optimizations"]), "{report:#}");
    assert!(report["safe_flags"]["unfinished"].is_null(), "{report:#}");
}

#[test]
fn wrong_requests_are_one_line() {
    let bench = Bench::new(&[("f.c", SOURCE), ("g.c", SOURCE)]);
    for (wrong, word) in [
        (&["diff", "f.c", "g.c", "-f", "copied", "--safe-flags"][..], "one source"),
        (&["diff", "f.c", "-f", "copied", "--safe-flags", "--variant", "-O2", "--variant", "-O3"], "one --variant"),
        (&["diff", "f.c", "-f", "copied", "--safe-flags=worst"], "worst"),
    ] {
        let run = bench.labrys(wrong);
        run.expect_code(2);
        assert!(run.stderr.contains(word) && run.stderr.lines().count() == 1, "{}", run.stderr);
    }
}

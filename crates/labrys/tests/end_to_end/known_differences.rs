//! Differences that are known to exist are found, one small program each.

use crate::harness::{Bench, raises};
use serde_json::Value;

const QUICK: &str = "20000";

fn diff(source: &str, options: &[&str]) -> crate::harness::Run {
    let bench = Bench::new(&[("f.c", source)]);
    let mut arguments = vec!["diff", "f.c", "--all", "--format", "json", "--max-work", QUICK];
    arguments.extend_from_slice(options);
    let run = bench.labrys(&arguments);
    run.expect_code(1);
    run
}

#[test]
fn a_division_hoisted_out_of_its_condition() {
    let source = "double f(double a, double b, const double x[2]) {\n  double s = 0;\n  for (int i = 0; i < 2; i++)\n    \
                  if (x[i] > 0) s += a / b;\n  return s;\n}\n";
    let run = diff(source, &["--length", "x=2"]);
    let finding = run.finding("the variant divides by zero though no element is positive", |finding| {
        finding["baseline_clean"] == true
            && raises(finding, "variant", "divbyzero")
            && !raises(finding, "baseline", "divbyzero")
    });
    // LLVM speculates divisions without any fast-math flag.
    assert_eq!(finding["in_control"], true, "{finding:#}");
    assert_eq!(finding["severity"], "introduced");
}

/// With seed 0 ten thousand inputs had no NaN.
#[test]
fn special_values_are_tried_first_whatever_the_seed() {
    let source = "int f(double a, double x) { return a < x ? 1 : __builtin_isnan(x) ? 2 : 3; }\n";
    let bench = Bench::new(&[("f.c", source)]);
    for seed in ["0", "1", "2"] {
        let options = ["--all", "--format", "json", "--max-work", "1500", "--seed", seed];
        let run = bench.labrys(&[&["diff", "f.c", "--variant", "-O3 -ffast-math"], &options[..]].concat());
        run.finding("isnan(NaN) is 0", |finding| finding["inputs"][1]["decimal"] == "nan");
    }
}

#[test]
fn x_over_x_folded_to_one() {
    let run = diff("double f(double x) { return x / x; }\n", &["--inputs", "finite"]);
    run.finding("0/0 is invalid only in the baseline", |finding| {
        finding["severity"] == "masked"
            && raises(finding, "baseline", "invalid")
            && !raises(finding, "variant", "invalid")
    });
}

#[test]
fn a_sum_reassociated_out_of_an_overflow() {
    let run = diff("double f(double a, double b) { return (a + b) - a; }\n", &["--inputs", "finite"]);
    run.finding("a + b overflows only in the baseline", |finding| {
        finding["severity"] == "masked"
            && raises(finding, "baseline", "overflow")
            && !raises(finding, "variant", "overflow")
    });
}

#[test]
fn a_product_reassociated_into_an_overflow() {
    let run = diff("double f(double a, double b, double c) { return a * c + b * c; }\n", &["--inputs", "finite"]);
    run.finding("(a + b) * c overflows only in the variant", |finding| {
        finding["severity"] == "introduced" && raises(finding, "variant", "overflow")
    });
}

#[test]
fn a_division_turned_into_a_reciprocal_multiplication() {
    let source =
        "void f(const double x[4], double y, double out[4]) {\n  for (int i = 0; i < 4; i++) out[i] = x[i] / y;\n}\n";
    let options = ["--length", "x=4", "--length", "out=4", "--inputs", "finite"];
    let run = diff(source, &options);
    run.finding("1 / y overflows only in the variant", |finding| {
        finding["severity"] == "introduced" && raises(finding, "variant", "overflow") && finding["in_control"] == false
    });
}

#[test]
fn a_product_and_a_sum_contracted_to_fma() {
    let source = "double f(double a, double b, double c) { return a * b + c; }\n";
    let run = diff(source, &["--variant", "-O3 -mfma", "--inputs", "finite"]);
    run.finding("a * b overflows only in the baseline", |finding| {
        raises(finding, "baseline", "overflow") && !raises(finding, "variant", "overflow")
    });
}

#[test]
fn isnan_removed() {
    let run = diff("#include <math.h>\nint f(double x) { return isnan(x) != 0; }\n", &[]);
    let finding = run.finding("1 in the baseline, 0 in the variant", |finding| {
        let result = |index: usize| finding["observations"][index]["result"]["decimal"].clone();
        result(0) == "1" && result(1) == "0"
    });
    assert_eq!(finding["baseline_clean"], false, "a NaN is outside fast-math's contract: {finding:#}");
}

#[test]
fn flush_to_zero_set_by_start_up_code() {
    let source = "double f(double x) { return x * 0.75; }\n";
    let run = diff(source, &["--variant", "gcc -O3 -ffast-math", "--inputs", "finite"]);
    let startup = |role: &str| {
        let builds = run.json()["target"]["builds"].as_array().cloned().unwrap_or_default();
        builds.into_iter().find(|build| build["role"] == role).map(|build| build["startup"].clone())
    };
    assert_eq!(startup("baseline"), Some(Value::from("default")));
    assert_eq!(startup("variant"), Some(Value::from("ftz")));
    run.finding("a subnormal result is flushed to zero", |finding| {
        let decimal = |index: usize| finding["observations"][index]["result"]["decimal"].as_str().map(str::to_owned);
        decimal(0).is_some_and(|value| value != "0" && value != "-0")
            && decimal(1).is_some_and(|value| value == "0" || value == "-0")
    });
}

#[test]
fn padded_lanes_of_a_vectorised_loop_raise_a_flag() {
    let source = "void f(const float *restrict a, const float *restrict b, float *restrict out) {\n  \
                  for (int i = 0; i < 2; i++) out[i] = a[i] / b[i];\n}\n";
    let options = ["--length", "a=2", "--length", "b=2", "--length", "out=2", "--inputs", "finite"];
    let run = diff(source, &options);
    run.finding("two of four lanes compute 0/0", |finding| {
        finding["severity"] == "introduced" && raises(finding, "variant", "invalid")
    });
}

#[test]
fn identical_builds_do_not_differ() {
    let bench = Bench::new(&[("f.c", "double f(double x, double y) { return x / y + x * y; }\n")]);
    let run = bench.labrys(&["diff", "f.c", "--variant", "-O0", "--format", "json", "--max-work", QUICK]);
    run.expect_code(0);
    assert_eq!(run.json()["status"], "complete");
    assert!(run.json()["findings"].as_array().is_some_and(Vec::is_empty));
}

/// Debug information of a function that an optimiser made unreachable has no parameters: it was said to be of another type. What running
/// into whatever lies behind it does is open.
#[test]
fn a_function_of_which_nothing_is_left() {
    let bench = Bench::new(&[("f.c", "double f(double x) { while (x == x) x += 1e-300; return x; }\n")]);
    let run = bench.labrys(&["diff", "f.c", "--input", "x=nan", "--format", "json"]);
    if run.code == 2 || run.json()["target"]["builds"].as_array().map(Vec::len) != Some(3) {
        run.fail("expected a comparison");
    }
}

/// Another input was shown as the one that was given, with another cause.
#[test]
fn an_input_that_was_given_is_shown_as_it_is() {
    let source = "double f(double a, double b, double c) { return a * b + c; }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let given = "a=1.2345678,b=7.654321,c=-9.449778";
    let arguments = [
        "diff",
        "f.c",
        "--baseline",
        "-O2 -ffp-contract=off",
        "--variant",
        "-O2 -mfma -ffp-contract=fast",
        "--ulps",
        "0",
    ];
    let run = bench.labrys(&[&arguments[..], &["--input", given, "--format", "json"]].concat());
    run.expect_code(1);
    let report = run.json();
    let inputs = report["findings"][0]["inputs"].to_string();
    for number in ["1.2345678", "7.654321", "-9.449778"] {
        assert!(inputs.contains(number), "{inputs}");
    }
}

/// A product that nobody uses underflows in the baseline alone, whatever the flags; that the sum is put in another order is fast-math's.
#[test]
fn the_control_is_alike_in_results_too() {
    let source =
        "double f(double a, double b) {\n  double unused = a * a;\n  (void)unused;\n  return ((a + b) - a) / b;\n}\n";
    let run = diff(source, &["--input", "a=1e-200,b=1e-216"]);
    let finding = run.finding("another result", |finding| finding["in_control"] == false);
    assert_eq!(
        (&finding["severity"], raises(&finding, "baseline", "underflow")),
        (&"ulps".into(), false),
        "{finding:#}"
    );
    run.finding("the product's underflow", |finding| finding["in_control"] == true);
    let run = diff(source, &["--input", "a=1e-200,b=0x1p-600"]);
    run.finding("the product's underflow alone", |finding| finding["in_control"] == true);
}

/// A dead multiplication that underflows goes without fast-math, too: the result that only fast-math changes was told as that, or not at all.
#[test]
fn a_result_beside_an_exception_that_the_optimiser_drops() {
    let source = "double f(double a, double b) {\n  double u = a * a;\n  double r = b * b;\n  return ((a + b) - a) / b + 3.0;\n}\n";
    let domain = ["--inputs", "finite", "--range", "a=1..2", "--range", "b=1e-170..1e-162"];
    for all in [&["--all"][..], &[]] {
        let bench = Bench::new(&[("f.c", source)]);
        let command = ["diff", "f.c", "--format", "json", "--max-work", "2000"];
        let run = bench.labrys(&[&command[..], &domain, all].concat());
        run.expect_code(1);
        let of = |severity: &'static str| run.finding(severity, |finding| finding["severity"] == severity);
        let (ulps, underflow) = (of("ulps"), of("underflow"));
        assert_eq!(
            (&ulps["in_control"], &underflow["in_control"]),
            (&Value::Bool(false), &Value::Bool(true)),
            "{ulps:#}"
        );
        assert_eq!(ulps["summary"].as_str().map(|words| words.contains("underflow")), Some(false), "{ulps:#}");
        let flags = |finding: &Value| finding["difference"]["blame"]["flags"].to_string();
        assert!(flags(&ulps).contains("-fassociative-math"), "{ulps:#}");
        assert!(!flags(&underflow).contains("-fassociative-math"), "{underflow:#}");
        assert_eq!(
            (&ulps["difference"]["cause"]["line"], &underflow["difference"]["cause"]["line"]),
            (&4.into(), &3.into())
        );
        assert_eq!(ulps["count"], underflow["count"], "both on every input");
    }
}

/// Outside of fast-math's contract: the comparison with itself is gone by its promise alone, and strict code raises invalid as well.
#[test]
fn a_result_beside_an_exception_that_the_optimiser_raises() {
    let source = "double f(double a, double b) {\n  if (a != a)\n    return 7.0;\n  return a > b ? a : b;\n}\n";
    let run = diff(source, &["--input", "a=nan,b=3"]);
    let finding = run.finding("3 instead of 7", |finding| finding["difference"]["change"] == "number");
    assert_ne!(finding["in_control"], true, "{finding:#}");
    assert!(finding["difference"]["blame"]["flags"].to_string().contains("-fno-honor-nans"), "{finding:#}");
    run.finding("the optimiser's invalid", |finding| {
        finding["in_control"] == true && finding["difference"]["change"] == "exceptions"
    });
}

/// What is folded or dropped without changing a number was told for what comes behind it.
#[test]
fn what_gives_the_same_number_is_no_cause() {
    for (source, lines) in [
        ("double f(double a, double b) {\n  double t = a * 1.0;\n  double s = t + b;\n  return s - t;\n}\n", [3, 4]),
        ("double f(double a, double b) {\n  double t = a - 0.0;\n  double s = t + b;\n  return s - t;\n}\n", [3, 4]),
        ("double f(double a, double b) {\n  double u = b * b;\n  return (a + b) - a;\n}\n", [3, 3]),
        (
            "static double h(double a, double b) {\n  return (a + b) - a;\n}\n\
             double f(double a, double b) {\n  double t = a * 1.0;\n  return h(t, b);\n}\n",
            [2, 2],
        ),
    ] {
        for variant in ["clang -O3 -ffast-math", "gcc -O3 -ffast-math"] {
            let run = diff(source, &["-f", "f", "--ulps", "0", "--input", "a=1e20,b=1", "--variant", variant]);
            let finding = run.finding("another number", |finding| finding["difference"]["change"] != "exceptions");
            let line = finding["difference"]["cause"]["line"].as_i64();
            assert!(line.is_some_and(|line| lines.contains(&line)), "{variant}: {line:?}: {source}");
        }
    }
}

/// The input breaks the promise that there are no infinities, and reassociation does it without.
#[test]
fn a_promise_that_is_not_needed_is_no_cause() {
    let source = "double f(double a, double b, double c) {\n  double t = a * 2.0;\n  double s = b + c;\n  double u = s - b;\n  return t * u;\n}\n";
    let bench = Bench::new(&[("f.c", source)]);
    let input = ["--input", "a=1,b=inf,c=1"];
    let run = bench.labrys(&[&["diff", "f.c", "--ulps", "0", "--format", "json"][..], &input].concat());
    run.expect_code(1);
    let report = run.json();
    let findings = report["findings"].as_array().expect("findings");
    assert!(!findings.is_empty(), "{report:#}");
    for finding in findings {
        let details = &finding["difference"];
        assert!(details["blame"]["flags"].is_array(), "{finding:#}");
        let is_promise = details["cause"]["kind"] == "licence";
        assert!(!is_promise || details["blame"]["flags"].to_string().contains("-fno-honor-"), "{finding:#}");
    }
}

/// A green run with findings says why it is green.
#[test]
fn known_divergences_are_told_as_known() {
    let bench = Bench::new(&[("f.c", "double f(double a, double b) { return (a + b) - a; }\n")]);
    let arguments = ["diff", "f.c", "--max-work", "2000", "--no-blame", "--seed", "1"];
    bench.labrys(&[&arguments[..], &["--write-known", "known.json"]].concat()).expect_code(1);
    let run = bench.labrys(&[&arguments[..], &["--known", "known.json"]].concat());
    run.expect_code(0);
    assert!(run.stdout.contains("for which no run fails; --all shows them in full"), "{}", run.stdout);
    assert!(run.stdout.contains(", all known: ") && !run.stdout.contains("-->"), "{}", run.stdout);
    assert!(bench.labrys(&[&arguments[..], &["--known", "known.json", "--all"]].concat()).stdout.contains("-->"));
}

/// Where no call returns nothing is compared, and no run says that it is all right.
#[test]
fn crashes_alone_are_no_comparison() {
    let bench = Bench::new(&[("f.c", "double f(double x) { *(volatile int *)0 = 1; return x; }\n")]);
    let run = bench.labrys(&["diff", "f.c", "--max-work", "200"]);
    run.expect_code(3);
    assert!(run.stdout.contains("nothing was compared"), "{}", run.stdout);
}

//! `labrys accuracy` as a user meets it: whom it blames, what it is certain of, what it proves.

use std::fs;

use serde_json::Value;

use crate::harness::{Bench, commands_of, workspace};

fn textbook() -> String {
    let path = workspace().join("examples/accuracy/textbook.c");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn findings(report: &Value) -> Vec<Value> {
    report["findings"].as_array().cloned().unwrap_or_default()
}

/// Whether a finding blames the program.
fn blames(finding: &Value) -> bool {
    ["lost", "unstable", "branch"].iter().any(|severity| finding["severity"] == *severity)
}

#[test]
fn naive_algorithms_are_blamed_and_stable_ones_are_not() {
    let bench = Bench::new(&[("textbook.c", &textbook())]);
    let pairs: [(&str, &[&str]); 6] = [
        ("root", &["--range", "p=1..1e8", "--range", "q=1e-8..1"]),
        ("variance", &["--range", "x=1e3..1e6", "--range", "y=1e3..1e6", "--range", "z=1e3..1e6"]),
        ("log1p", &["--range", "x=1e-20..1e3"]),
        ("versine", &["--range", "x=-1..1"]),
        ("power", &["--range", "x=0..4"]),
        ("sqrt_difference", &["--range", "x=0..1e15"]),
    ];
    for (name, ranges) in pairs {
        for kind in ["naive", "stable"] {
            let function = format!("{name}_{kind}");
            let arguments = ["accuracy", "textbook.c", "-f", &function, "--max-work", "12000", "--format", "json"];
            let run = bench.labrys(&[&arguments, ranges].concat());
            let found = findings(&run.json());
            if found.is_empty() || found.iter().any(blames) != (kind == "naive") {
                run.fail(&format!("{function}: {found:#?}"));
            }
        }
    }
}

/// log(1 + x): the sum is the culprit, and the witness, the truth and the cause are told.
#[test]
fn what_makes_an_error_is_told_with_what_would_be_left_without_it() {
    let bench = Bench::new(&[("textbook.c", &textbook())]);
    let arguments = ["accuracy", "textbook.c", "-f", "log1p_naive", "--range", "x=1e-20..1", "--max-work", "12000"];
    let run = bench.labrys(&[&arguments[..], &["--format", "json"]].concat());
    run.expect_code(1);
    let finding = run.finding("an unstable sum", |finding| finding["severity"] == "unstable");
    let details = &finding["accuracy"];
    let cause = &details["causes"][0];
    assert_eq!(cause["operator"], "fadd", "{finding:#}");
    assert!(cause["share"].as_f64().is_some_and(|share| share > 0.99), "{cause:#}");
    let (error, left) = (details["error"]["absolute"].as_f64(), cause["left"].as_f64());
    assert!(error.zip(left).is_some_and(|(error, left)| left < 1e-6 * error), "{details:#}");
    assert!(details["condition"].as_f64().is_some_and(|condition| (0.9..1.1).contains(&condition)), "{details:#}");
    let text = bench.labrys(&arguments).stdout;
    for words in ["unstable[", "error made here", "true result", "excess", "replay: labrys accuracy"] {
        assert!(text.contains(words), "{words} is not in\n{text}");
    }
}

/// What Herbie is given: the path of the finding's input, an array's sum as long as it was there, in its own file.
#[test]
fn formulas_of_findings_are_written_for_herbie() {
    let source = "\
double gap(double x, float scale) { return x > 1e8 ? scale * (sqrt(x + 1) - sqrt(x)) : 0; }
double sum(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }
double bits(double x) { union { double d; unsigned long u; } v = {x}; v.u ^= 1; return v.d + x - x; }
";
    let bench = Bench::new(&[("f.c", &format!("#include <math.h>\n{source}"))]);
    let fpcore = |function: &str, more: &[&str]| {
        let arguments = ["accuracy", "f.c", "-f", function, "--emit", "fpcore", "--max-work", "2000", "-o", "out"];
        let run = bench.labrys(&[&arguments[..], &["--format", "json"], more].concat());
        let finding = run.json()["findings"][0].clone();
        let file = bench.path().join("out").join(format!("{}.fpcore", finding["id"].as_str().unwrap_or_default()));
        (std::fs::read_to_string(file).ok(), finding)
    };
    let (text, finding) = fpcore("gap", &["--range", "x=2e8..1e15", "--range", "scale=1..2"]);
    let text = text.expect("a file with the formula");
    assert_eq!(finding["accuracy"]["fpcore"], text.as_str());
    assert!(text.starts_with("(FPCore (x (! :precision binary32 scale))\n :name \"result of gap\"\n"), "{text}");
    assert!(text.contains("(<= 200000000 x)") && text.contains("(- (sqrt (+ x 1)) (sqrt x))"), "{text}");
    let lengths = ["--length", "x=n", "--range", "n=3..3", "--range", "x=-100..100"];
    let (text, _) = fpcore("sum", &lengths);
    let text = text.expect("a file with the formula");
    assert!(text.contains("n = 3") && text.contains("(+ (+ (+ 0 x_0) x_1) x_2)"), "{text}");
    let (text, finding) = fpcore("bits", &["--range", "x=1..2"]);
    assert_eq!(text, None);
    assert!(finding["notes"][0].as_str().is_some_and(|note| note.starts_with("no FPCore: ")), "{finding:#}");
}

/// Known formulas are named wherever they stand, and what is said to be left was tried.
#[test]
fn known_formulas_have_a_remedy_that_was_tried() {
    let source = "\
        #include <math.h>\n\
        static double gap(double x) { return sqrt(x * x + 1.0) - x; }\n\
        double conjugate(double x) { return 2.0 * gap(x); }\n\
        double interest(double r) { return pow(1.0 + r, 12.0) - 1.0; }\n\
        double spread(const double x[6]) {\n\
            double s = 0, q = 0;\n\
            for (int i = 0; i < 6; i++) { s += x[i]; q += x[i] * x[i]; }\n\
            return (q - s * s / 6) / 5;\n\
        }\n\
        double total(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }\n\
        double tangent(double x) { return (exp(x) - exp(-x)) / (exp(x) + exp(-x)); }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let expected: [(&str, &[&str], &str); 5] = [
        ("conjugate", &["--range", "x=1..1e6"], "conjugate"),
        ("interest", &["--range", "r=1e-12..0.1"], "expm1(y * log1p(x))"),
        ("spread", &["--range", "x=1000..1001"], "Welford"),
        ("total", &["--length", "x=n", "--range", "n=40..60", "--range", "x=0.5..1e6"], "compensated or pairwise sum"),
        ("tangent", &["--range", "x=-10..10"], "tanh(x)"),
    ];
    for (function, ranges, better) in expected {
        let arguments = ["accuracy", "f.c", "-f", function, "--max-work", "12000", "--format", "json"];
        let run = bench.labrys(&[&arguments, ranges].concat());
        let finding = run.finding("an unstable result", |finding| finding["severity"] == "unstable");
        let details = &finding["accuracy"];
        let remedy = &details["remedy"];
        assert!(remedy["better"].as_str().is_some_and(|words| words.contains(better)), "{function}: {details:#}");
        let (error, left) = (details["error"]["absolute"].as_f64(), remedy["left"].as_f64());
        assert!(error.zip(left).is_some_and(|(error, left)| left <= error / 4.0), "{function}: {details:#}");
        assert!(remedy["line"].as_u64().is_some(), "{function}: {remedy:#}");
    }
    // What computes as well as the numbers allow needs none.
    let run =
        bench.labrys(&["accuracy", "f.c", "-f", "total", "--length", "x=n", "--range", "n=2..2", "--format", "json"]);
    assert!(findings(&run.json()).iter().all(|finding| finding["accuracy"]["remedy"].is_null()), "{}", run.stdout);
}

/// Code that adds 1.5 · 2^52 to round to an integer was to be no victim of a truth that does not round.
#[test]
fn sums_that_are_meant_to_round_are_not_accused() {
    let source = "double nearest(double x) { double big = 0x1.8p52; return (x + big) - big; }";
    let bench = Bench::new(&[("f.c", source)]);
    let run = bench.labrys(&["accuracy", "f.c", "--range", "x=-1e6..1e6", "--max-work", "8000", "--format", "json"]);
    run.expect_code(0);
    assert!(findings(&run.json()).is_empty());
    // An input that happens to be such a number is none of the program's own.
    let bench = Bench::new(&[("f.c", "double lost(double x, double y) { return (x + y) - x; }")]);
    let run = bench.labrys(&["accuracy", "f.c", "--input", "x=0x1.8p60,y=0.25", "--format", "json"]);
    let finding = run.finding("y is lost", |finding| finding["severity"] == "unstable");
    assert_eq!(finding["accuracy"]["truth"], "2.5e-1");
}

#[test]
fn arrays_are_searched_on_the_grid_within_their_ranges() {
    let source =
        "double sum(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }";
    let bench = Bench::new(&[("f.c", source)]);
    let arguments = [
        "accuracy",
        "f.c",
        "--length",
        "x=n",
        "--range",
        "n=24..32",
        "--range",
        "x=-100..100",
        "--grid",
        "binary32",
        "--metric",
        "relative",
        "--floor",
        "1.17549435e-38",
        "--max-work",
        "8000",
        "--format",
        "json",
    ];
    let run = bench.labrys(&arguments);
    run.expect_code(1);
    let finding = run.finding("a large relative error", |finding| {
        finding["accuracy"]["error"]["floored"].as_f64().is_some_and(|error| error > 1e-6)
    });
    let scalars = finding["inputs"].as_array().cloned().unwrap_or_default();
    // Arrays had no decimals of their own.
    let array = scalars.iter().find(|value| value["elements"].is_array()).expect("an array");
    assert!(array["decimal"].as_str().is_some_and(|text| text.starts_with('[') && text.contains(", ")), "{array:#}");
    let elements: Vec<f64> = scalars
        .iter()
        .flat_map(|value| value["elements"].as_array().cloned().unwrap_or_default())
        .filter_map(|element| element["decimal"].as_str()?.parse().ok())
        .collect();
    assert!(elements.len() >= 24, "{finding:#}");
    let is_member = |x: &f64| x.abs() <= 100.0 && f64::from(*x as f32) == *x;
    assert!(elements.iter().all(is_member), "{elements:?}");
}

#[test]
fn equal_seeds_and_work_give_equal_reports() {
    let bench = Bench::new(&[("textbook.c", &textbook())]);
    let arguments = [
        "accuracy",
        "textbook.c",
        "-f",
        "triangle_naive",
        "--range",
        "a=1..100",
        "--range",
        "b=1..100",
        "--range",
        "c=1..100",
        "--assume",
        "a >= b && b >= c && a < b + c",
        "--max-work",
        "6000",
        "--format",
        "json",
    ];
    let report = || {
        let mut report = bench.labrys(&arguments).json();
        report["timing"] = Value::Null;
        report
    };
    assert_eq!(report(), report());
}

/// Of an input half an ulp away it was asked whether it goes the program's way, and half an ulp was up to a whole one: no input so near has another step of
/// floor here, and the program alone is to blame. Where one has, what derivatives say of the error was told beside that: an excess of 10^14.
#[test]
fn another_step_is_the_problems_only_where_half_an_ulp_leads_to_it() {
    let source = "#include <math.h>\ndouble f(double x) { return floor(x * 10) / 10 - x; }\ndouble g(double x) { return floor(x * 10); }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let of = |function: &str, input: &str| {
        let run = bench.labrys(&["accuracy", "f.c", "-f", function, "--input", input, "--format", "json"]);
        run.finding("an error", |finding| finding["severity"] == "branch" || finding["severity"] == "ill-conditioned")
    };
    let programs = of("f", "x=0x1.d999999999999p+2");
    assert_eq!(programs["severity"], "branch", "{programs:#}");
    assert!(programs["accuracy"]["excess"].is_f64(), "{programs:#}");
    let problems = of("g", "x=0.3");
    assert_eq!(problems["severity"], "ill-conditioned", "{problems:#}");
    assert!(problems["accuracy"]["excess"].is_null() && problems["accuracy"]["condition"].is_null(), "{problems:#}");
    assert!(problems["notes"][0].as_str().is_some_and(|note| note.contains("half an ulp away")), "{problems:#}");
}

/// Half of the inputs were for a search of whose fault errors are, and not run where there are none.
#[test]
fn all_inputs_are_run_where_there_is_no_error() {
    let bench = Bench::new(&[("f.c", "double f(double x) { return x * 0.5; }\n")]);
    for bound in [&[][..], &["--bound"]] {
        let arguments = ["accuracy", "f.c", "--range", "x=1..1e9", "--max-work", "20000", "--format", "json"];
        let run = bench.labrys(&[&arguments, bound].concat());
        assert_eq!(run.json()["counts"]["inputs_tested"], 20_000, "{bound:?}");
    }
}

/// What is proved lies above all that is seen, and within a factor of two of it here.
#[test]
fn a_bound_stands_above_the_largest_error_with_its_certificates() {
    let source = fs::read_to_string(workspace().join("examples/bounds/rigid_body1.c")).expect("an example");
    let bench = Bench::new(&[("f.c", &source)]);
    let ranges = ["--range", "x1=-15..15", "--range", "x2=-15..15", "--range", "x3=-15..15"];
    let run = bench.labrys(
        &[&["accuracy", "f.c", "--bound", "--max-work", "20000", "-o", "out", "--format", "json"], &ranges[..]]
            .concat(),
    );
    let report = run.json();
    let bound = &report["bounds"][0];
    let (Some(proved), Some(seen)) = (bound["absolute"].as_f64(), bound["seen"].as_f64()) else {
        run.fail("no bound");
    };
    assert!(seen <= proved && proved < 2.0 * seen && proved <= 2.95e-13, "{bound:#}");
    let files = bound["certificates"].as_array().cloned().unwrap_or_default();
    assert!(!files.is_empty());
    for file in &files {
        let path = bench.path().join("out").join(file.as_str().expect("a name"));
        assert!(fs::metadata(&path).is_ok_and(|file| file.len() > 100), "{}", path.display());
    }
    // Where an input has no range there is none, and the reason is told.
    let run = bench.labrys(&["accuracy", "f.c", "--bound", "--max-work", "2000", "--format", "json"]);
    assert!(run.json()["bounds"][0]["why"].as_str().is_some_and(|why| !why.is_empty()), "{}", run.stdout);
}

/// The first bound of a function in `f.c`, with ranges `x=0..2`.
fn bound_of(bench: &Bench, function: &str, ranges: &[&str]) -> Value {
    let mut arguments = vec!["accuracy", "f.c", "-f", function, "--bound", "--max-work", "3000", "--format", "json"];
    ranges.iter().for_each(|range| arguments.extend(["--range", range]));
    bench.labrys(&arguments).json()["bounds"][0].clone()
}

/// What is computed of constants alone was folded, and its rounding taken for exact: the bound was zero.
#[test]
fn roundings_of_constants_are_part_of_a_bound() {
    let source = "\
        #include <math.h>\n\
        double step(double x) { double t = 0; for (int i = 0; i < 10; i++) t += 0.1; return x < t ? 0.0 : 1.0; }\n\
        double count(double x) { double s = 0; for (double t = 0; t < 1; t += 0.1) s += x; return s; }\n\
        double root(double x) { double two = 2.0, r = sqrt(two); return x * r; }\n\
        double single(double x) { float a = 0.1f, b = 3.0f, c = a * b; return x * c; }\n\
        double library(double x) { double a = 0.3, b = 0.1; return x * fdim(a, b); }\n\
        double exact(double x) { double two = 2.0, half = 1.0 / two; return x * half + 0.1; }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let absolute = |function: &str| {
        let bound = bound_of(&bench, function, &["x=1..2"]);
        bound["absolute"].as_f64().unwrap_or_else(|| panic!("{function}: {bound}"))
    };
    // What rounding turns: the sum of ten tenths is below one, and of their exact values above.
    assert_eq!(absolute("step"), 1.0);
    assert!((2.0..2.1).contains(&absolute("count")), "one more turn: {}", absolute("count"));
    // Half an ulp of the root, times two, and of the product; in single precision 3/2·10^-8 of a third.
    assert!((2.2e-16..5e-16).contains(&absolute("root")), "{}", absolute("root"));
    assert!((1e-9..4e-8).contains(&absolute("single")), "{}", absolute("single"));
    // The difference is rounded inside a function of the library.
    assert!((2.7e-17..9e-17).contains(&absolute("library")), "{}", absolute("library"));
    assert!(absolute("exact") > 0.0);
    let carbon = fs::read_to_string(workspace().join("examples/bounds/carbon_gas.c")).expect("an example");
    let bench = Bench::new(&[("f.c", &carbon)]);
    let bound = bound_of(&bench, "carbon_gas", &["v=0.1..0.5"]);
    assert!(bound["absolute"].as_f64().is_some_and(|bound| bound <= 4.96e-9), "{bound}");
}

/// Paths and choices: what is tested before a root, a logarithm or a division is used; integers and jumps.
#[test]
fn bounds_use_what_the_program_tests() {
    let source = "\
        #include <math.h>\n\
        double distance(double x, double y) { if (x > y) return sqrt(x - y); return 0; }\n\
        double inverse(double x, double y) { if (x > 1e-3) return 1 / x + y; return y; }\n\
        double logarithm(double x, double y) { if (x > 0) return log(x) * y; return 0; }\n\
        double sign(double x, double y) { return copysign(y * 1.1, x); }\n\
        double integers(int n, double x) { return n > 3 ? n * x : (n - 1) / 2.0; }\n\
        double jump(double x) { return floor(x / 3.0); }\n\
        double level(double x) { return floor(x / 30.0 + 0.1) + fmod(x, 0.7); }\n\
        double cut(double x) { int k = (int)(x * 2.0); return k * 0.1; }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let within = |function: &str, ranges: &[&str], least: f64, most: f64| {
        let bound = bound_of(&bench, function, ranges);
        let absolute = bound["absolute"].as_f64();
        assert!(absolute.is_some_and(|bound| least <= bound && bound <= most), "{function}: {bound}");
    };
    within("distance", &["x=0..1", "y=0..1"], 8e-17, 2e-16);
    within("inverse", &["x=-1..1", "y=0..1"], 5e-14, 2e-13);
    within("logarithm", &["x=-1..1", "y=0..1"], 5e-14, 1e-12);
    within("sign", &["x=-1..1", "y=1..2"], 2.2e-16, 2.3e-16);
    within("integers", &["n=-10..10", "x=1..2"], 1.7e-15, 1.8e-15);
    within("jump", &["x=0..9"], 1.0, 1.0);
    // From 0 to 9 nothing jumps but the remainder of an input, which is exact.
    within("level", &["x=0..9"], 0.0, 0.0);
    within("cut", &["x=0..9"], 1e-16, 2.3e-16);
}

/// Each reason names the operation and its place, and says what can be done.
#[test]
fn why_no_bound_is_proved_is_told_with_the_place() {
    let source = "\
        #include <math.h>\n\
        double fraction(double x) { int e; return frexp(x, &e) * 3.0; }\n\
        double division(double x, double y) {\n\
            return x / (y - 1.0);\n\
        }\n\
        double magic(double x) { return (x + 0x1.8p52) - 0x1.8p52; }\n\
        double loop(double x) { while (x > 1e-9) x *= 0.9; return x; }\n\
        double gamma_of(double x) { return tgamma(x); }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let tells = |function: &str, ranges: &[&str], words: &[&str]| {
        let bound = bound_of(&bench, function, ranges);
        let why = bound["why"].as_str().unwrap_or_default();
        assert!(words.iter().all(|word| why.contains(word)), "{function}: {why}");
    };
    tells("fraction", &["x=1..2"], &["frexp at f.c:2:", "nothing is known"]);
    tells(
        "division",
        &["x=1..2", "y=0..2"],
        &["the divisor of the division at f.c:4:10 may be zero", "y = 1", "ranges"],
    );
    tells("magic", &["x=0..9"], &["the sum at f.c:6:36", "to round"]);
    tells("loop", &["x=0..1"], &["a loop at f.c:7", "--loop-bound"]);
    tells("gamma_of", &["x=1..2"], &["tgamma at f.c:8:36 is not supported"]);
    tells("division", &["x=1..2"], &["f.c:4:15 may overflow", "narrow the ranges"]);
}

/// A bound is of the state that `--init` leaves: without it the factor is zero, and the product exact.
#[test]
fn what_an_initialiser_leaves_is_part_of_a_bound() {
    let source = "\
        static double factor;\n\
        void setup(void) { factor = 3.5; }\n\
        double f(double x) { return x * factor + 1.0; }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let common =
        ["accuracy", "f.c", "-f", "f", "--bound", "--range", "x=1..2", "--max-work", "3000", "--format", "json"];
    let bound = |more: &[&str]| bench.labrys(&[&common[..], more].concat()).json()["bounds"][0].clone();
    let (before, after) = (bound(&[]), bound(&["--init", "setup"]));
    assert_eq!(before["absolute"], 0.0, "{before}");
    // The sum alone rounds by half of the distance between floats from 4 to 8.
    assert!(after["absolute"].as_f64().is_some_and(|bound| bound >= 4.4e-16), "{after}");
    let assumptions = after["assumptions"].to_string();
    assert!(assumptions.contains("function that runs first"), "{assumptions}");
}

/// Argument reduction by rint may take either integer at its jumps, and was called unstable there.
#[test]
fn jumps_are_the_problems_where_half_an_ulp_takes_them() {
    let source = "\
        #include <math.h>\n\
        double reduced(double x) { double k = rint(x / 6.283185307179586); return x - k * 6.283185307179586; }\n\
        double lost(double a, double b) { double s = a + b, v = s - a; return (a - (s - v)) + (b - v); }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let found = |function: &str, ranges: &[&str]| {
        let arguments = ["accuracy", "f.c", "-f", function, "--max-work", "10000", "--format", "json"];
        findings(&bench.labrys(&[&arguments, ranges].concat()).json())
    };
    assert!(!found("reduced", &["--range", "x=0.5..200"]).iter().any(blames));
    // What a sum loses is zero without rounding: nothing is said of it.
    assert!(found("lost", &["--range", "a=1..1000", "--range", "b=1..1000"]).is_empty());
}

#[test]
fn findings_are_replayed() {
    let bench = Bench::new(&[("textbook.c", &textbook())]);
    let run = bench.labrys(&[
        "accuracy",
        "textbook.c",
        "-f",
        "versine_naive",
        "--range",
        "x=1e-12..1",
        "--max-work",
        "6000",
        "-o",
        "out",
        "--format",
        "json",
    ]);
    run.expect_code(1);
    let id = findings(&run.json())[0]["id"].as_str().expect("an id").to_owned();
    let replayed = bench.labrys(&["replay", &format!("out/{id}.json")]);
    replayed.expect_code(1);
    assert!(replayed.stdout.contains("still holds"), "{}", replayed.stdout);
    // Without labrys, too.
    let reproducer = fs::read_to_string(bench.path().join(format!("out/{id}.c"))).expect("a reproducer");
    let reproduced =
        |text: &str| bench.program("sh", &["-c", &format!("cd out && {}", commands_of(text).join(" && "))]);
    let shown = reproduced(&reproducer);
    shown.expect_code(1);
    assert!(shown.stdout.contains("result should be ") && shown.stdout.contains("off by "), "{}", shown.stdout);
    let mended = reproducer.replace("return 1.0 - cos(x);", "return 2.0 * sin(x / 2.0) * sin(x / 2.0);");
    fs::write(bench.path().join(format!("out/{id}.c")), &mended).expect("writable");
    reproduced(&mended).expect_code(0);
    // The function mended, it holds no longer.
    let mended = textbook().replace("return 1.0 - cos(x);", "double half = sin(x / 2.0); return 2.0 * half * half;");
    fs::write(bench.path().join("textbook.c"), mended).expect("writable");
    bench.labrys(&["replay", &format!("out/{id}.json")]).expect_code(0);
}

/// What a remedy left was written as `null` where it was beyond all doubles, and the report could not be read again.
#[test]
fn reports_of_errors_beyond_all_doubles_can_be_read() {
    let bench = Bench::new(&[("textbook.c", &textbook())]);
    let input = "x=-1e278,y=2e278,z=-3e278";
    let arguments =
        ["accuracy", "textbook.c", "-f", "variance_naive", "--input", input, "-o", "out", "--format", "json"];
    let run = bench.labrys(&arguments);
    run.expect_code(1);
    let found = findings(&run.json());
    assert_eq!(found[0]["severity"], "lost", "{found:#?}");
    bench.labrys(&["replay", "out/report.json"]).expect_code(1);
}

#[test]
fn libraries_are_searched_function_by_function() {
    let bench = Bench::new(&[
        ("a.c", "#include <math.h>\ndouble lib_versine(double x) { return 1.0 - cos(x); }\n"),
        ("b.c", "double lib_half(double x) { return x / 2.0; }\nint lib_count(int n) { return n + 1; }\n"),
    ]);
    let here = bench.path().display().to_string();
    let unit = |name: &str| serde_json::json!({"directory": here, "file": name, "arguments": ["clang", "-c", name, "-o", format!("{name}.o")]});
    let database = serde_json::json!([unit("a.c"), unit("b.c")]);
    fs::write(bench.path().join("compile_commands.json"), database.to_string()).expect("writable");
    let arguments = ["accuracy", "-p", ".", "--entry", "lib_*", "--max-work", "3000", "-o", "out", "--format", "json"];
    let run = bench.labrys(&arguments);
    run.expect_code(1);
    let report = run.json();
    let of = |name: &str| {
        let functions = report["functions"].as_array().cloned().unwrap_or_default();
        functions.into_iter().find(|function| function["function"] == name).unwrap_or_else(|| run.fail(name))
    };
    assert!(!of("lib_versine")["findings"].as_array().is_none_or(Vec::is_empty), "{report:#}");
    assert!(of("lib_half")["findings"].as_array().is_none_or(Vec::is_empty), "{report:#}");
    assert_eq!(of("lib_count")["status"], "failed");
    assert!(of("lib_count")["failure"].as_str().is_some_and(|why| why.contains("no floating-point result")));
    // What was kept is found again.
    let mut again = bench.labrys(&arguments).json();
    let mut first = report.clone();
    (again["timing"], first["timing"]) = (Value::Null, Value::Null);
    assert_eq!(again, first);
}

#[test]
fn what_makes_no_sense_is_one_line() {
    let source = "\
        #include <stdlib.h>\n\
        int count(int n) { return n; }\n\
        double f(double x) { return x; }\n\
        double never(double x) { volatile int go = 1; while (go) { } return x; }\n\
        double dies(double x) { abort(); return x; }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let wrong: [(&[&str], &str); 9] = [
        (&["-f", "never", "--call-timeout", "10ms"], "never does not return"),
        (&["-f", "dies", "--max-work", "100"], "no call of dies returned"),
        (&["-f", "f", "--range", "x=1..2", "--range", "x=3..4"], "contradictory"),
        (&["-f", "count"], "no floating-point result"),
        (&["-f", "f", "--range", "x=3..1"], "lower bound first"),
        (&["-f", "f", "--range", "y=1..3"], "expected an input"),
        (&["-f", "f", "--metric", "ulps"], "ulps"),
        (&["-f", "f", "--floor", "1e-9"], "--metric relative"),
        (&["-f", "f", "--metric", "relative", "--floor", "-1"], "--floor"),
    ];
    for (arguments, expected) in wrong {
        let run = bench.labrys(&[&["accuracy", "f.c"], arguments].concat());
        run.expect_code(2);
        if run.stderr.trim_end().lines().count() != 1 || !run.stderr.contains(expected) || !run.stdout.is_empty() {
            run.fail(expected);
        }
    }
}

/// Compilers call a function for it, of which nothing was known, so that no input had a true value.
#[test]
fn quotients_of_complex_numbers_have_true_values() {
    let source = "\
#include <complex.h>
#include <errno.h>
double f(double a, double b, double c, double d) {
  double complex z = (a + b * I) / (c + d * I);
  return creal(z) - a / c;
}
double g(double a, double b) {
  errno = 0;
  return creal(csqrt(a + b * I)) - 1;
}
";
    let bench = Bench::new(&[("f.c", source)]);
    let ranges = ["--range", "a=1..2", "--range", "b=1e-20..1e-9", "--range", "c=1..2", "--range", "d=1e-20..1e-9"];
    // The difference from 1 is as sensitive to its operand as the function is.
    let near_one = ["--range", "a=0.5..2", "--range", "b=1e-9..1"];
    for (name, ranges, is_blamed) in [("f", &ranges[..], true), ("g", &near_one[..], false)] {
        let arguments = ["accuracy", "f.c", "-f", name, "--max-work", "20000", "--format", "json"];
        let run = bench.labrys(&[&arguments, ranges].concat());
        let found = findings(&run.json());
        if found.is_empty() || found.iter().any(blames) != is_blamed {
            run.fail(&format!("{name}: {found:#?}"));
        }
    }
}

/// What one operand loses altogether beside the other takes more bits than a first guess has: there were no errors where every result is wrong.
#[test]
fn what_is_absorbed_is_no_truth() {
    let source = "\
#include <math.h>
double difference(double x) { return (1 + x) - 1; }
double versine(double x) { return (1 - cos(x)) / (x * x); }
double sum(double x, double y, double z) { return x + y + z; }
";
    let bench = Bench::new(&[("f.c", source)]);
    for (name, range) in [("difference", "x=1e-300..1e-200"), ("versine", "x=1e-140..1e-60")] {
        let arguments = ["accuracy", "f.c", "-f", name, "--range", range, "--max-work", "10000", "--format", "json"];
        let run = bench.labrys(&arguments);
        run.expect_code(1);
        let found = findings(&run.json());
        if found.is_empty() || !found.iter().all(blames) {
            run.fail(&format!("{name}: {found:#?}"));
        }
    }
    // The sum's condition is 2e100.
    for (name, input, is_blamed) in [("difference", "x=1e-300", true), ("sum", "x=1e100,y=1,z=-1e100", false)] {
        let run = bench.labrys(&["accuracy", "f.c", "-f", name, "--input", input, "--format", "json"]);
        run.expect_code(1);
        assert!(findings(&run.json()).iter().all(|finding| blames(finding) == is_blamed), "{name}");
    }
}

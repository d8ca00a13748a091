//! What is blamed for a divergence whose cause is known, because the function was written to have it.

use crate::harness::Bench;

const SOURCE: &str = "\
    #include <errno.h>\n#include <math.h>\n#include <complex.h>\n\
    double associative(double a, double b) { return (a + b) - a; }\n\
    double reciprocal(double x) { return x / 10.0; }\n\
    double zero(double x) { return x + 0.0; }\n\
    double nothing(double x) { return x * 0.0; }\n\
    int nans(double x) { return x != x; }\n\
    int infinities(double x) { return x == INFINITY; }\n\
    double contracted(double x, double y, double z) { double p = x * y; return p + z; }\n\
    double approximate(double x) { return pow(x, 2.5); }\n\
    int errors(double x) { errno = 0; double y = sqrt(x); return errno + (y > 1e300); }\n\
    double trapping(double x) { return x + 1.0 / 0.0; }\n\
    double complex limited(double complex a, double complex b) { return a / b; }\n\
    double flushed(double x) { return x * 0.5; }\n\
    double third(double x, double y) { return x * y / 3.0; }\n\
    double order(double *v) { double s = 0; for (int i = 0; i < 8; i++) s += v[i]; return s; }\n";

/// What is blamed in a function with this input: flags, and the pass.
fn blamed(bench: &Bench, function: &str, builds: [&str; 2], input: &str) -> (Vec<String>, Option<String>) {
    let arguments = ["--ulps", "0", "--all", "--format", "json", "--input", input];
    let [baseline, variant] = builds;
    let run = bench.labrys(
        &[&["diff", "f.c", "-f", function, "--baseline", baseline, "--variant", variant], &arguments[..]].concat(),
    );
    let finding = run.finding("with blame", |finding| finding["difference"]["blame"].is_object());
    let blame = &finding["difference"]["blame"];
    let flags = blame["flags"].as_array().into_iter().flatten().filter_map(|flag| flag.as_str()).map(str::to_owned);
    (flags.collect(), blame["pass"].as_str().map(str::to_owned))
}

fn others(flags: &[String]) -> Vec<&str> {
    flags.iter().map(String::as_str).filter(|flag| *flag != "-O3").collect()
}

/// A flag, and those that compilers ignore it without.
fn wanted(flag: &str) -> Vec<&str> {
    match flag {
        // gcc asks for -fno-trapping-math, too; to clang it is nothing here, and was named all the same.
        "-fassociative-math" => vec![flag, "-fno-signed-zeros"],
        flag => vec![flag],
    }
}

const FAST: [&str; 2] = ["-O0", "-O3 -ffast-math"];
const FUSED: [&str; 2] = ["-O0 -mfma", "-O3 -ffast-math -mfma"];

/// A function, its builds, an input, the flag and the pass; an empty pass is none.
type Case = (&'static str, [&'static str; 2], &'static str, &'static str, &'static str);

/// That these are blamed. Each takes dozens of compilations, so that tests which may run side by side have a few each.
fn are_named(cases: &[Case]) {
    let bench = Bench::new(&[("f.c", SOURCE)]);
    for (function, builds, input, flag, pass) in cases {
        let (flags, found) = blamed(&bench, function, *builds, input);
        assert_eq!(others(&flags), wanted(flag), "{function}: {flags:?}");
        let is_right = found.as_deref().map_or(pass.is_empty(), |found| found.contains(pass));
        assert!(is_right, "{function}: {found:?}");
    }
}

#[test]
fn the_flag_and_the_pass_of_arithmetic_are_named() {
    are_named(&[
        ("associative", FAST, "a=1e20,b=1", "-fassociative-math", "early-cse"),
        ("reciprocal", FAST, "x=3", "-freciprocal-math", "instcombine"),
        ("contracted", FUSED, "x=1.1,y=1.3,z=-1.43", "-ffp-contract=fast", "x86-isel"),
        ("order", FAST, "v[0]=1e16,v[1]=1,v[2]=1,v[4]=1,v[5]=-1e16,v[7]=3", "-fassociative-math", "slp-vectorizer"),
    ]);
}

#[test]
fn the_flag_and_the_pass_of_special_values_are_named() {
    are_named(&[
        ("zero", FAST, "x=-0.0", "-fno-signed-zeros", "early-cse"),
        ("nans", FAST, "x=nan", "-fno-honor-nans", ""),
        ("infinities", FAST, "x=inf", "-fno-honor-infinities", "early-cse"),
    ]);
}

#[test]
fn the_flag_and_the_pass_of_library_functions_are_named() {
    are_named(&[
        ("approximate", FAST, "x=3.1", "-fapprox-func", "instcombine"),
        ("errors", FAST, "x=-1", "-fno-math-errno", ""),
    ]);
}

#[test]
fn two_flags_that_are_nothing_to_a_third_are_named() {
    let bench = Bench::new(&[("f.c", SOURCE)]);
    // The third comes with one of them.
    let (flags, _) = blamed(&bench, "nothing", FAST, "x=-1");
    assert_eq!(others(&flags), ["-fno-signed-zeros", "-fno-honor-nans"]);
}

#[test]
fn what_gcc_does_is_blamed_on_its_flags() {
    let bench = Bench::new(&[("f.c", SOURCE)]);
    for (function, input, flag) in [
        ("trapping", "x=1", "-fno-trapping-math"),
        ("limited", "a.re=1e200,b.re=1e200,b.im=1e200", "-fcx-limited-range"),
        ("flushed", "x=3e-308", "start-up code that flushes to zero"),
        ("reciprocal", "x=3", "-freciprocal-math"),
    ] {
        let (flags, pass) = blamed(&bench, function, ["gcc -O0", "gcc -O3 -ffast-math"], input);
        assert_eq!((others(&flags), pass), (wanted(flag), None), "{function}");
    }
    // It takes two parts of -funsafe-math-optimizations, which was named in their place: x * (y / 3).
    let (flags, _) = blamed(&bench, "third", ["gcc -O0", "gcc -O3 -ffast-math"], "x=2e266,y=2e42");
    let parts = ["-freciprocal-math", "-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"];
    assert_eq!(others(&flags), parts);
}

const CLEARED: &str = "\
    #[no_mangle] pub extern \"C\" fn cleared(x: f64, y: f64) -> f64 { if y > 1.0 { x * x } else { 0.0 } }\n";
const SUM: &str = "\
    function cancelled(a, b) bind(c) result(r)\n  use iso_c_binding\n  real(c_double), value :: a, b\n  real(c_double) :: r\n  \
    real(c_double) :: s\n  s = a + b\n  r = s - a\nend function\n";

/// A text without its line breaks and columns.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The blame of the first finding of a run.
fn first_blame(run: &crate::harness::Run) -> serde_json::Value {
    run.finding("with blame", |finding| finding["difference"]["blame"].is_object())["difference"]["blame"].clone()
}

#[test]
fn passes_of_flang_and_rustc_are_named() {
    let bench = Bench::new(&[("f.f90", SUM), ("f.rs", CLEARED)]);
    let given = ["--ulps", "0", "--format", "json", "--input"];
    let builds = ["--baseline", "-O0", "--variant", "-O3 -ffast-math"];
    let run = bench.labrys(&[&["diff", "f.f90", "-f", "cancelled"], &builds[..], &given, &["a=1e20,b=1"]].concat());
    let blame = first_blame(&run);
    let words = serde_json::json!(["-O3", "-fassociative-math", "-fno-signed-zeros"]);
    assert_eq!(blame["flags"], words, "{blame}");
    let pass = blame["pass"].as_str().unwrap_or_else(|| run.fail("no pass"));
    assert!(pass.starts_with("early-cse") || pass.starts_with("instcombine"), "{pass}");
    let builds = ["--baseline", "-C opt-level=0", "--variant", "-C opt-level=3"];
    let run = bench.labrys(&[&["diff", "f.rs", "-f", "cleared"], &builds[..], &given, &["x=1e200,y=0"]].concat());
    let blame = first_blame(&run);
    assert_eq!(blame["flags"], serde_json::json!(["-C opt-level=3"]), "{blame}");
    let pass = blame["pass"].as_str().unwrap_or_else(|| run.fail("no pass"));
    assert!(pass.starts_with("simplifycfg"), "{pass}");
}

/// Its -Ofast says -fno-protect-parens, too, without which nothing is reordered here: no part of -ffast-math sufficed, and -Ofast was named whole.
#[test]
fn gfortran_s_ofast_is_taken_apart() {
    let bench = Bench::new(&[("f.f90", &SUM.replace("s = a + b\n  r = s - a", "r = (a + b) - a"))]);
    let builds = ["--baseline", "gfortran -O0", "--variant", "gfortran -Ofast", "--ulps", "0", "--format", "json"];
    let run = bench.labrys(&[&["diff", "f.f90", "-f", "cancelled", "--input", "a=1e20,b=1"], &builds[..]].concat());
    let flags = first_blame(&run)["flags"].to_string();
    // gfortran reassociates by itself where neither traps nor zeros' signs count.
    assert!(flags.contains("-fno-protect-parens") && flags.contains("-fno-signed-zeros"), "{flags}");
    assert!(!flags.contains("-Ofast") && !flags.contains("-fstack-arrays"), "{flags}");
}

/// Blame of a finding that was told without it, of a file and of a library; it is written beside the finding and says the same in words.
#[test]
fn a_finding_is_blamed_later() {
    let bench = Bench::new(&[("f.c", SOURCE)]);
    let run = bench.labrys(&[
        "diff",
        "f.c",
        "-f",
        "associative",
        "--ulps",
        "0",
        "--no-blame",
        "--format",
        "json",
        "-o",
        "out",
        "--input",
        "a=1e20,b=1",
    ]);
    let finding = run.finding("an input", |_| true);
    assert!(finding["difference"]["blame"].is_null() && finding["difference"]["unblamed"].is_null());
    let file = format!("out/{}.json", finding["id"].as_str().expect("an id"));
    let blamed = bench.labrys(&["blame", &file]);
    blamed.expect_code(0);
    let expected = "because: -fassociative-math, -fno-signed-zeros at -O3, in early-cse";
    assert!(blamed.stdout.starts_with(expected) && blamed.stdout.contains(", at f.c:"), "{}", blamed.stdout);
    let text = std::fs::read_to_string(bench.path().join(&file)).expect("it is written");
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let blame = &report["findings"][0]["difference"]["blame"];
    assert_eq!(blame["level"], "-O3", "{blame}");
    assert!(blame["place"]["line"].is_u64(), "{blame}");
    // It holds, and can be replayed as before.
    bench.labrys(&["replay", &file]).expect_code(1);
    // Lines that have moved since are told where they are now, and not where they were.
    let line = blame["place"]["line"].as_u64().expect("a line");
    std::fs::write(bench.path().join("f.c"), format!("// A line.\n\n{SOURCE}")).expect("writable");
    let again = bench.labrys(&["blame", &file]);
    again.expect_code(0);
    assert!(again.stdout.contains(&format!(", at f.c:{}:", line + 2)), "{line}: {}", again.stdout);
    for (arguments, word) in [(&["blame", "out/report.html"][..], "JSON"), (&["blame", "nothing.json"], "nothing.json")]
    {
        let wrong = bench.labrys(arguments);
        wrong.expect_code(2);
        assert!(wrong.stderr.contains(word), "{}", wrong.stderr);
    }
}

/// In a library one source is made otherwise: the function's own, or that of what it calls.
#[test]
fn of_a_library_the_source_is_named() {
    let bench = Bench::new(&[
        (
            "a.c",
            "double cancelled(double a, double b);\ndouble caller(double a, double b) { return cancelled(a, b); }\n",
        ),
        (
            "b.c",
            "double cancelled(double a, double b) { return (a + b) - a; }\nstatic double hidden(double x) { return x / 10; }\n\
                 double (*escaped)(double) = hidden;\n",
        ),
    ]);
    let entry = |file: &str| serde_json::json!({"directory": bench.path(), "file": file, "arguments": ["clang-22", "-c", file]});
    let database = serde_json::json!([entry("a.c"), entry("b.c")]);
    std::fs::write(bench.path().join("compile_commands.json"), database.to_string()).expect("writable");
    let options = ["--max-work", "4000", "--inputs", "finite", "--ulps", "0", "--entry", "caller", "--entry", "hidden"];
    let run = bench.labrys(&[&["diff", "-p", ".", "--format", "json", "-o", "out"], &options[..]].concat());
    run.expect_code(1);
    let findings = run.json()["findings"].as_array().cloned().unwrap_or_default();
    assert!(findings.len() >= 2, "{}", run.stdout);
    for finding in &findings {
        let blame = &finding["difference"]["blame"];
        assert_eq!(blame["sources"], serde_json::json!(["b.c"]), "{finding:#}");
    }
    let by = |flag: &str| findings.iter().any(|of| of["difference"]["blame"]["flags"].to_string().contains(flag));
    assert!(by("-fassociative-math") && by("-freciprocal-math"), "{}", run.stdout);
    // Blamed again, later, it is the same.
    let first = &findings[0];
    let file = format!("out/{}.json", first["id"].as_str().expect("an id"));
    let before = std::fs::read_to_string(bench.path().join(&file)).expect("it is there");
    bench.labrys(&["blame", &file]).expect_code(0);
    assert_eq!(std::fs::read_to_string(bench.path().join(&file)).expect("it is there"), before);
    let text = unwrapped(&bench.labrys(&[&["diff", "-p", "."], &options[..]].concat()).stdout);
    assert!(text.contains("because: ") && text.contains(" of b.c, in "), "{text}");
    assert!(text.contains("causes made by"), "{text}");
}

/// Whether a call returns at all would take each trial as long as the limit.
#[test]
fn why_nothing_is_blamed_is_said() {
    let bench = Bench::new(&[("f.c", "double f(double x) { while (x != x) x += 1; return x; }\n")]);
    let arguments = ["diff", "f.c", "--input", "x=nan", "--call-timeout", "300ms"];
    let run = bench.labrys(&[&arguments[..], &["--format", "json"]].concat());
    let finding = run.finding("a time-out", |_| true);
    let why = finding["difference"]["unblamed"].as_str().unwrap_or_else(|| run.fail("no reason"));
    assert!(why.contains("does not return"), "{why}");
    assert!(finding["difference"]["blame"].is_null());
    let text = unwrapped(&bench.labrys(&arguments).stdout);
    assert!(text.contains(&format!("which flags make it is not known: {why}")), "{text}");
}

/// A library's own -ffast-math stands where its sources are compiled, not where they are linked: nothing flushes to zero there.
#[test]
fn what_a_library_says_to_gcc_is_taken_apart() {
    let bench = Bench::new(&[("k.c", "double midpt(double a, double b) { return a / 2 + b / 2; }\n")]);
    let arguments = ["gcc", "-O3", "-ffast-math", "-c", "k.c"];
    let database = serde_json::json!([{"directory": bench.path(), "file": "k.c", "arguments": arguments}]);
    std::fs::write(bench.path().join("compile_commands.json"), database.to_string()).expect("writable");
    let builds = ["--baseline", "gcc -O0 -fno-fast-math -ffp-contract=off", "--variant", "gcc"];
    let input = ["--input", "a=-5e-324,b=0", "--ulps", "0", "--format", "json"];
    let run = bench.labrys(&[&["diff", "-p", ".", "--entry", "midpt"][..], &builds, &input].concat());
    let flags = first_blame(&run)["flags"].to_string();
    assert!(flags.contains("-fassociative-math") && !flags.contains("-fno-fast-math"), "{flags}");
}

/// As the CMake module compares a target with its own flags: what these stand for is taken apart, and the level is the target's.
#[test]
fn what_a_project_says_is_taken_apart() {
    let bench = Bench::new(&[("k.c", "double k(double a, double b) { return (a + b) - a; }\n")]);
    let arguments = ["clang-22", "-O2", "-ffast-math", "-c", "k.c"];
    let database = serde_json::json!([{"directory": bench.path(), "file": "k.c", "arguments": arguments}]);
    std::fs::write(bench.path().join("compile_commands.json"), database.to_string()).expect("writable");
    let builds = ["--baseline", "clang-22 -O0 -fno-fast-math -ffp-contract=off", "--variant", "clang-22"];
    let run =
        bench.labrys(&[&["diff", "k.c", "-p", ".", "--inputs", "finite", "--format", "json"][..], &builds].concat());
    let blame = first_blame(&run);
    let flags = blame["flags"].to_string();
    assert!(
        flags.contains("-fassociative-math") && flags.contains("-O2") && !flags.contains("fast-math\""),
        "{blame:#}"
    );
}

/// Either of two flags makes it, and only one was named: who mended that had it still.
#[test]
fn what_other_flags_make_alone_is_told() {
    let source =
        "double f(double x) {\n#if defined(ONE) || defined(TWO)\n  return x + 1;\n#else\n  return x;\n#endif\n}\n";
    let bench = Bench::new(&[("f.c", source)]);
    let diff = |variant: &str, format: &str| {
        let run = bench.labrys(&["diff", "f.c", "--variant", variant, "--max-work", "500", "--format", format]);
        run.expect_code(1);
        run
    };
    let run = diff("-O0 -DONE -DTWO", "json");
    let finding = run.finding("another result", |_| true);
    let blame = &finding["difference"]["blame"];
    let mut sets = [blame["flags"].to_string(), blame["also"][0].to_string()];
    sets.sort();
    assert_eq!(sets, ["[\"-DONE\"]", "[\"-DTWO\"]"], "{blame}");
    assert_eq!(blame["also"].as_array().map(Vec::len), Some(1), "{blame}");
    let shown = diff("-O0 -DONE -DTWO", "text").stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("note: without the flags above, -D") && shown.contains(" makes it, too"), "{shown}");
    // Where nothing else does, nothing is told.
    let alone = diff("-O0 -DONE -DTHREE", "json").finding("another result", |_| true);
    assert!(alone["difference"]["blame"]["also"].is_null(), "{alone}");
}

const OUTPUTS: &str = "\
struct pair { double x, y; };
struct pair both(double a, double b, double c) {
  struct pair r;
  r.x = (a + b) - a;
  double p = a * b;
  r.y = p + c;
  return r;
}
";

/// Witnesses are made simple, most numbers in them are 0 and 1, and causes were followed by these: the line and the flags were those of another output, or of nothing.
#[test]
fn lines_and_flags_are_of_the_output_that_is_told() {
    let bench = Bench::new(&[("f.c", OUTPUTS)]);
    let told = |function: &str, variant: &str, input: &str| -> Vec<(String, Option<u64>, Vec<String>)> {
        let given =
            ["--baseline", "-O0 -march=haswell -ffp-contract=off", "--variant", variant, "--ulps", "0", "--all"];
        let run = bench
            .labrys(&[&["diff", "f.c", "-f", function, "--format", "json", "--input", input], &given[..]].concat());
        let one = |finding: &serde_json::Value| {
            let flags = finding["difference"]["blame"]["flags"].as_array().into_iter().flatten();
            let flags: Vec<String> = flags.filter_map(|flag| flag.as_str()).map(str::to_owned).collect();
            let others = others(&flags).into_iter().map(str::to_owned).collect();
            let summary = finding["summary"].as_str().unwrap_or_default().to_owned();
            (summary, finding["difference"]["cause"]["line"].as_u64(), others)
        };
        let report = run.json();
        let findings = report["findings"].as_array().into_iter().flatten();
        // Ids that are alike have numbers behind them: two outputs with one kind of change had.
        assert!(findings.clone().all(|finding| finding["id"].as_str().is_some_and(|id| !id.contains('-'))), "{report}");
        findings.map(one).collect()
    };
    let fast = "-O3 -march=haswell -ffast-math";
    // Both outputs differ, by different flags: what is said is of the one that is told.
    for (summary, line, flags) in told("both", fast, "a=0x1.8p53,b=1,c=-0x1.8p53") {
        let (of_x, of_y) = (summary.contains("result.x is"), summary.contains("result.y is"));
        let wanted = if of_x { (Some(4), "-fassociative-math") } else { (Some(6), "-ffp-contract=fast") };
        assert!((of_x || of_y) && (line, flags[0].as_str()) == (wanted.0, wanted.1), "{summary}: {line:?} {flags:?}");
    }
    let (summary, line, flags) = told("both", fast, "a=0x1.0000001p0,b=0x1.0000001p0,c=-1").remove(0);
    assert!(
        summary.contains("result.y is") && line == Some(6) && flags == ["-ffp-contract=fast"],
        "{summary}: {line:?}"
    );
}

/// The first operation that another build rounds otherwise is not the cause if nobody sees that: what cancels behind it is.
#[test]
fn the_line_is_that_of_what_reaches_the_result() {
    let source = "#include <math.h>\n\
                  double cosine(double a, double b, double c, double d) {\n    double n = a * a + b * b;\n    \
                  double m = c * c + d * d;\n    double dot = a * c + b * d;\n    return dot / sqrt(n * m);\n}\n";
    let bench = Bench::new(&[("cosine.c", source)]);
    let builds = ["--baseline", "-O0 -march=haswell -ffp-contract=off", "--variant", "-O2 -march=haswell"];
    let input = ["-f", "cosine", "--ulps", "0", "--format", "json", "--input", "a=0.1,b=0.3,c=0.3,d=-0.1"];
    let report = bench.labrys(&[&["diff", "cosine.c"], &builds[..], &input[..]].concat()).json();
    let lines: Vec<_> =
        report["findings"].as_array().into_iter().flatten().map(|of| &of["difference"]["cause"]["line"]).collect();
    assert_eq!(lines, [5], "{report}");
}

/// Lines of findings, by experiment: compiled without flags there, nothing is left of them. Code generation has no IR that would tell a line; what vanishes has no
/// counterpart, and what is done to it shows further on.
#[test]
fn lines_are_those_where_the_flags_are_needed() {
    let sources = [
        (
            "d.c",
            "double d(double a, double b, double c) {\n    double s = a * 3.0;\n    double p = s / c;\n    double q = b / c;\n    \
             return p - q;\n}\n",
        ),
        (
            "z.c",
            "double z(double x, double y) {\n    double u = y + 0.0;\n    double v = x + 0.0;\n    return 1.0 / v + u;\n}\n",
        ),
        (
            "s.f90",
            "real(8) function s(a, b, c)\n  real(8), intent(in) :: a, b, c\n  real(8) :: t, u\n  t = (a + b) - a\n  \
             u = (c + b) - c\n  s = t + u * 1d-300\nend function\n",
        ),
    ];
    let bench = Bench::new(&sources);
    for (file, function, variant, input, line) in [
        ("d.c", "d", "-O2 -freciprocal-math", "a=0x1.5555555555555p-2,b=49,c=49", 3),
        ("z.c", "z", "-O2 -fno-signed-zeros", "x=-0,y=0", 3),
        ("z.c", "z", "-O2 -fno-signed-zeros", "x=-0,y=-0", 3),
        ("s.f90", "s", "-O3 -ffast-math", "a=1,b=1e-20,c=1", 4),
    ] {
        let given = ["--variant", variant, "--ulps", "0", "--format", "json", "--input", input];
        let run = bench.labrys(&[&["diff", file, "-f", function], &given[..]].concat());
        let finding = run.finding("of a result", |finding| {
            let is_of_input = finding["difference"]["change"] != "exceptions";
            is_of_input && finding["difference"]["blame"]["place"].is_object()
        });
        let difference = &finding["difference"];
        assert_eq!(difference["blame"]["place"]["line"], line, "{file}: {finding}");
        assert_eq!(difference["cause"]["line"], line, "{file}: {finding}");
        // Without signed zeros a quotient may forget them of its operands, too; in Fortran the other line leaves 1e-320.
        let is_of_several = difference["blame"]["place_is_of_several"] == true;
        assert_eq!(is_of_several, file != "d.c", "{file}: {finding}");
    }
    // Of three quotients by one number the one that differs is made with whichever other is left.
    let source = "double t(double a, double b, double c, double e) {\n    double p = a / c;\n    double q = b / c;\n    double r = e / c;\n    \
                  return p * 4 - q + r;\n}\n";
    let bench = Bench::new(&[("t.c", source)]);
    let run = bench.labrys(&[
        "diff",
        "t.c",
        "--variant",
        "-O2 -freciprocal-math",
        "--ulps",
        "0",
        "--input",
        "a=1,b=49,c=49,e=0",
    ]);
    assert!(unwrapped(&run.stdout).contains(" and elsewhere: fdiv gives another result"), "{}", run.stdout);
}

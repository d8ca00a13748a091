//! Tests that labrys writes: each is built and run without labrys, and fails before its source is mended and passes after.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{Bench, Run};

const KINDS: [&str; 5] = ["ctest", "catch2", "rust", "pytest", "fortran"];

/// The commands in the first comment of a file of tests, of whatever language.
pub fn commands(text: &str) -> Vec<String> {
    let lines = text.lines().take_while(|line| !line.is_empty());
    let line = |line: &str| line.trim_start_matches(['/', '*', '#', '!', ' ']).trim().to_owned();
    let commands = lines.map(line).filter_map(|line| line.strip_prefix('$').map(|command| command.trim().to_owned()));
    commands.map(|command| command.trim_end_matches("*/").trim().to_owned()).collect()
}

/// Runs what the comment of the only file of tests in a folder says.
fn run_tests(bench: &Bench, folder: &str, kind: &str) -> Run {
    let suffix = match kind {
        "ctest" => ".c",
        "catch2" => ".cpp",
        "rust" => ".rs",
        "pytest" => ".py",
        _ => ".f90",
    };
    let file = fs::read_dir(bench.path().join(folder))
        .expect("a folder of tests")
        .filter_map(Result::ok)
        .find(|entry| entry.file_name().to_string_lossy().ends_with(suffix))
        .unwrap_or_else(|| panic!("no file of {kind}"));
    let text = fs::read_to_string(file.path()).expect("a file of tests");
    assert!(!text.contains("print-include-dir"), "it needs labrys");
    let lists = bench.path().join(folder).join("CMakeLists.txt");
    let script = match fs::read_to_string(&lists) {
        Ok(_) if kind == "ctest" || kind == "catch2" => {
            let run = "cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure";
            vec![run.to_owned()]
        }
        _ => commands(&text),
    };
    assert!(!script.is_empty(), "{text}");
    // Debian's python3 has Debian's pytest; another one may stand before it.
    let script: Vec<String> = script.iter().map(|of| of.replace("python3 -m", "/usr/bin/python3 -m")).collect();
    // A mend is seen by its time, which file systems keep to the second.
    let script = format!("cd {folder} && {}", script.join(" && "));
    bench.program("sh", &["-c", &script])
}

/// Writes a finding as tests of a kind; each fails, and passes when `mended` takes the place of `file`.
pub fn fails_until_mended(bench: &Bench, finding: &str, kinds: &[&str], (file, mended): (&str, &str)) {
    let path = bench.path().join(file);
    let source = fs::read_to_string(&path).expect("the source");
    for kind in kinds {
        let folder = format!("t_{kind}");
        let written = bench.labrys(&["test", finding, "--emit", kind, "-o", &folder]);
        written.expect_code(0);
        let before = run_tests(bench, &folder, kind);
        if before.code == 0 || !said_no(&before) {
            before.fail("the test does not fail before the mend");
        }
        fs::write(&path, mended).expect("a source");
        let times = bench.program("touch", &["-d", "+2 seconds", file]);
        times.expect_code(0);
        run_tests(bench, &folder, kind).expect_code(0);
        fs::write(&path, &source).expect("a source");
        bench.program("touch", &["-d", "+4 seconds", file]).expect_code(0);
        // And the test notices when the mend is gone.
        let after = run_tests(bench, &folder, kind);
        if after.code == 0 {
            after.fail("the test does not fail after the mend was undone");
        }
    }
}

/// Whether a run says that an expectation is not met, and not that something does not build.
fn said_no(run: &Run) -> bool {
    // A sanitizer's report is no compiler's error.
    let said = format!("{}{}", run.stdout, run.stderr).replace("runtime error: ", "");
    ["NOT so", "not so", "NOT without", "FAILED", "failed"].iter().any(|word| said.contains(word))
        && !said.contains("error: ")
        && !said.contains("No such file")
}

/// The first finding in a folder that `wanted` accepts, as a path.
pub fn finding_in(bench: &Bench, folder: &str, wanted: impl Fn(&Value) -> bool) -> String {
    let text = fs::read_to_string(bench.path().join(folder).join("report.json")).expect("a report");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    let found = findings.iter().find(|finding| wanted(finding)).unwrap_or_else(|| panic!("no such finding: {text}"));
    format!("{folder}/{}.json", found["id"].as_str().expect("an id"))
}

#[test]
fn divergences_fail_in_every_framework_until_they_are_mended() {
    let bench = Bench::new(&[("f.c", "double f(double x, double y) { return x / 2 + y / 2; }\n")]);
    bench.labrys(&["diff", "f.c", "--max-work", "3000", "-o", "out"]).expect_code(1);
    let finding =
        finding_in(&bench, "out", |finding| finding["severity"] == "introduced" || finding["severity"] == "masked");
    let mended =
        "double f(double x, double y) { volatile double p = x / 2; volatile double q = y / 2; return p + q; }\n";
    fails_until_mended(&bench, &finding, &KINDS, ("f.c", mended));
}

#[test]
fn exceptions_fail_in_every_framework_until_they_are_mended() {
    let source = "double norm(double x, double y) { return __builtin_sqrt(x * x + y * y); }\n";
    let bench = Bench::new(&[("f.c", source)]);
    bench.labrys(&["exceptions", "f.c", "--max-work", "3000", "-o", "out"]);
    let finding = finding_in(&bench, "out", |finding| {
        finding["severity"] == "lost" && finding["exception"]["exception"] == "overflow"
    });
    let mended = "double hypot(double, double);\ndouble norm(double x, double y) { return hypot(x, y); }\n";
    fails_until_mended(&bench, &finding, &KINDS, ("f.c", mended));
    // What is expected is what a maintainer would write.
    let text = fs::read_to_string(
        fs::read_dir(bench.path().join("t_ctest"))
            .expect("a folder")
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .find(|path| path.extension().is_some_and(|suffix| suffix == "c"))
            .expect("a C file"),
    )
    .expect("text");
    assert!(text.contains("no overflow is raised") && text.contains("result is within 4 ulps of"), "{text}");
}

#[test]
fn errors_fail_in_every_framework_until_they_are_mended() {
    let source = "#include <math.h>\ndouble f(double x) { return log(1 + x); }\n";
    let bench = Bench::new(&[("f.c", source)]);
    bench.labrys(&["accuracy", "f.c", "--range", "x=1e-12..1e-3", "--max-work", "2000", "-o", "out"]).expect_code(1);
    let finding = finding_in(&bench, "out", |finding| finding["severity"] == "unstable");
    let mended = "#include <math.h>\ndouble f(double x) { return log1p(x); }\n";
    fails_until_mended(&bench, &finding, &KINDS, ("f.c", mended));
}

#[test]
fn structs_arrays_and_outputs_are_tested_as_they_are_analysed() {
    let source = "\
struct pair { double re, im; };
struct sum { struct pair total; float scaled[2]; int count; };
int add(int n, const double *x, struct pair by, struct sum *out, double *scratch) {
  out->total.re = by.re;
  out->total.im = by.im;
  for (int i = 0; i < n; i++) { out->total.re += x[i]; out->total.im *= x[i]; scratch[i] = x[i] / by.im; }
  out->scaled[0] = (float)out->total.re;
  out->scaled[1] = (float)out->total.im;
  out->count = n;
  return n;
}
";
    let bench = Bench::new(&[("f.c", source)]);
    let lengths = ["--length", "x=n", "--length", "scratch=n", "--range", "n=1..3"];
    let run = [&["exceptions", "f.c", "--inputs", "finite", "--max-work", "4000", "-o", "out"][..], &lengths].concat();
    bench.labrys(&run);
    let finding = finding_in(&bench, "out", |finding| {
        finding["exception"]["exception"] == "invalid" && finding["exception"]["site"]["operator"] == "fdiv"
    });
    let mended = source.replace("scratch[i] = x[i] / by.im", "scratch[i] = by.im != 0 ? x[i] / by.im : 0");
    fails_until_mended(&bench, &finding, &KINDS, ("f.c", &mended));
}

#[test]
fn programs_fail_in_every_framework_until_they_are_mended() {
    let source = "\
#include <assert.h>
#include <verifier.h>
int main(void) {
  double x = __VERIFIER_nondet_double();
  __VERIFIER_assume(x > 1 && x < 2);
  double y = x * 3 / 3;
  assert(y == x);
  return 0;
}
";
    let bench = Bench::new(&[("p.c", source)]);
    bench.labrys(&["verify", "p.c", "--time", "30s", "-o", "out"]).expect_code(1);
    let finding = finding_in(&bench, "out", |finding| finding["kind"] == "assertion");
    let mended = source.replace("assert(y == x)", "assert(y >= x * 0.999)");
    fails_until_mended(&bench, &finding, &KINDS, ("p.c", &mended));
    // Of a program that is mended already a test would say nothing.
    fs::write(bench.path().join("p.c"), mended).expect("a source");
    let left = bench.labrys(&["test", &finding, "--emit", "rust", "-o", "left"]);
    left.expect_code(1);
    assert!(left.stderr.contains("one for rust passes on the present code"), "{}", left.stderr);
}

#[test]
fn a_static_function_is_tested_by_including_its_file() {
    let source =
        "static double inner(double x) { return x / x; }\ndouble outer(double x) { return x == 0 ? 0 : inner(x); }\n";
    let bench = Bench::new(&[("f.c", source)]);
    bench.labrys(&["exceptions", "f.c", "-f", "inner", "--inputs", "finite", "--max-work", "2000", "-o", "out"]);
    let finding = finding_in(&bench, "out", |finding| finding["exception"]["exception"] == "invalid");
    let mended = source.replace("return x / x;", "return x == 0 ? 1 : x / x;");
    fails_until_mended(&bench, &finding, &["ctest"], ("f.c", &mended));
    let refused = bench.labrys(&["test", &finding, "--emit", "rust", "-o", "t"]);
    refused.expect_code(1);
    assert!(refused.stderr.contains("not seen outside its file"), "{}", refused.stderr);
}

#[test]
fn other_languages_are_tested_by_their_symbols() {
    let bench = Bench::new(&[
        ("g.cpp", "namespace n { double g(double x, const double &y) { return x / y; } }\n"),
        ("h.f90", "real(8) function h(x, y)\n  real(8), intent(in) :: x, y\n  h = x / y\nend function\n"),
        ("k.rs", "#[unsafe(no_mangle)]\npub extern \"C\" fn k(x: f64, y: f64) -> f64 { x / y }\n"),
    ]);
    let mends = [
        ("g.cpp", "n::g", "namespace n { double g(double x, const double &y) { return y == 0 ? 0 : x / y; } }\n"),
        (
            "h.f90",
            "h",
            "real(8) function h(x, y)\n  real(8), intent(in) :: x, y\n  h = 0\n  if (y /= 0) h = x / y\nend function\n",
        ),
        (
            "k.rs",
            "k",
            "#[unsafe(no_mangle)]\npub extern \"C\" fn k(x: f64, y: f64) -> f64 { if y == 0.0 { 0.0 } else { x / y } }\n",
        ),
    ];
    for (file, function, mended) in mends {
        bench.labrys(&["exceptions", file, "-f", function, "--max-work", "2000", "-o", "out"]);
        let finding = finding_in(&bench, "out", |finding| finding["exception"]["exception"] == "invalid");
        for folder in KINDS {
            let _ = fs::remove_dir_all(bench.path().join(format!("t_{folder}")));
        }
        fails_until_mended(&bench, &finding, &["ctest", "rust", "fortran"], (file, mended));
    }
}

#[test]
fn divergences_and_errors_in_other_languages_fail_until_they_are_mended() {
    let cases = [
        (
            ("diff", "g.cpp", "n::g"),
            "namespace n { double g(double x, const double &y) { return x / 2 + y / 2; } }\n",
            "namespace n { double g(double x, const double &y) { volatile double p = x / 2, q = y / 2; return p + q; } }\n",
        ),
        (
            ("diff", "h.f90", "h"),
            "real(8) function h(x, y)\n  real(8), intent(in) :: x, y\n  h = x / 2 + y / 2\nend function\n",
            "real(8) function h(x, y)\n  real(8), intent(in) :: x, y\n  real(8), volatile :: p, q\n  p = x / 2\n  q = y / 2\n  h = p + q\nend function\n",
        ),
        (
            ("accuracy", "g.cpp", "n::g"),
            "#include <cmath>\nnamespace n { double g(double x) { return std::log(1 + x); } }\n",
            "#include <cmath>\nnamespace n { double g(double x) { return std::log1p(x); } }\n",
        ),
        (
            ("accuracy", "k.rs", "k"),
            "#[unsafe(no_mangle)]\npub extern \"C\" fn k(x: f64) -> f64 { (1.0 + x).ln() }\n",
            "#[unsafe(no_mangle)]\npub extern \"C\" fn k(x: f64) -> f64 { x.ln_1p() }\n",
        ),
    ];
    for ((analysis, file, function), source, mended) in cases {
        let bench = Bench::new(&[(file, source)]);
        let range: &[&str] = if analysis == "accuracy" { &["--range", "x=1e-12..1e-3"] } else { &[] };
        bench.labrys(&[&[analysis, file, "-f", function, "--max-work", "2500", "-o", "out"], range].concat());
        let counts = ["introduced", "masked", "unstable"];
        let finding = finding_in(&bench, "out", |finding| counts.iter().any(|of| finding["severity"] == *of));
        fails_until_mended(&bench, &finding, &["ctest", "rust"], (file, mended));
    }
}

/// Tests of a library named a shared object that nobody makes.
#[test]
fn a_library_is_built_for_its_tests_until_it_is_mended() {
    let source = "#include \"own.h\"\ndouble ratio(double x, double y) { return SCALE * (x / y); }\n";
    let bench = Bench::new(&[
        ("sub dir/a.c", source),
        ("sub dir/own.h", "double other(double);\n"),
        ("sub dir/b.cpp", "extern \"C\" double other(double x) { return x + 1; }\n"),
    ]);
    let folder = bench.path().display().to_string();
    let of = |file: &str| {
        let file = format!("sub dir/{file}");
        serde_json::json!({"directory": folder, "file": file, "arguments": ["cc", "-DSCALE=2.0", "-Isub dir", "-c", file]})
    };
    let database = Value::from(vec![of("a.c"), of("b.cpp")]);
    fs::write(bench.path().join("compile_commands.json"), database.to_string()).expect("a file");
    let asked = ["exceptions", "-p", ".", "--entry", "ratio", "--max-work", "2000", "--jobs", "1", "-o", "out"];
    bench.labrys(&asked);
    let finding = finding_in(&bench, "out", |finding| finding["exception"]["exception"] == "invalid");
    let mended = source.replace("SCALE * (x / y)", "y == 0 ? 0 : SCALE * (x / y)");
    fails_until_mended(&bench, &finding, &["ctest", "fortran"], ("sub dir/a.c", &mended));
}

#[test]
fn all_findings_that_count_are_one_suite() {
    let bench = Bench::new(&[("f.c", "double f(double x, double y) { return (x + y) / 2 + (x * y) / (x * x); }\n")]);
    bench.labrys(&["exceptions", "f.c", "--max-work", "3000", "-o", "out"]);
    let written = bench.labrys(&["test", "out", "--all", "--emit", "pytest", "-o", "t"]);
    written.expect_code(0);
    let text = fs::read_to_string(bench.path().join("out/report.json")).expect("a report");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    // What the true result explains, or the result does not show, few would mend: who does, names the finding.
    let all = report["findings"].as_array().cloned().unwrap_or_default();
    let findings = all.iter().filter(|of| of["severity"] != "honest" && of["severity"] != "harmless").count();
    assert!(0 < findings && findings < all.len(), "{all:#?}");
    let left = all.len() - findings;
    let said = if left == 1 { "1 finding that is honest".into() } else { format!("{left} findings that are honest") };
    assert!(written.stderr.contains(&said), "{}", written.stderr);
    let tests = fs::read_to_string(bench.path().join("t/test_findings.py")).expect("tests");
    assert_eq!(tests.matches("\ndef test_finding_").count(), findings);
    // Python's words for a library that nobody built were those of its loader.
    let unbuilt = bench.program("/usr/bin/python3", &["-m", "pytest", "t"]);
    assert!(
        unbuilt.stdout.contains("is missing: build it first, as the head of test_findings.py says"),
        "{}",
        unbuilt.stdout
    );
    let run = run_tests(&bench, "t", "pytest");
    assert!(run.stdout.contains(&format!("{findings} failed")), "{}", run.stdout);
    // Without --all a folder is too many, and a file of ours is no other's.
    assert!(bench.labrys(&["test", "out", "--emit", "pytest"]).stderr.contains("--all"));
    fs::write(bench.path().join("t/CMakeLists.txt"), "project(mine)\n").expect("a file");
    let refused = bench.labrys(&["test", "out", "--all", "--emit", "ctest", "-o", "t"]);
    refused.expect_code(2);
    assert!(refused.stderr.contains("was not written by labrys"), "{}", refused.stderr);
    assert!(!Path::new(&bench.path().join("t/findings.c")).exists());
}

/// 1/x at 0 and exp(1000) had tests that no mend passed but one that returns something else than the truth.
#[test]
fn what_the_true_result_brings_about_is_not_asked_away() {
    let source = "double exp(double);\ndouble pole(double x) { return 1 / x; }\ndouble large(double x) { return exp(x); }\n\
                  double lost(double x) { return x * x - x * 1e190; }\n";
    let bench = Bench::new(&[("f.c", source)]);
    for (function, exception, why) in
        [("pole", "divbyzero", "its true result is infinite"), ("large", "overflow", "the largest finite number")]
    {
        bench.labrys(&[
            "exceptions",
            "f.c",
            "-f",
            function,
            "--inputs",
            "finite",
            "--max-work",
            "3000",
            "-o",
            function,
        ]);
        let finding = finding_in(&bench, function, |finding| finding["exception"]["exception"] == exception);
        let refused = bench.labrys(&["test", &finding, "--emit", "ctest", "-o", "t"]);
        refused.expect_code(1);
        assert!(refused.stderr.contains(why), "{}", refused.stderr);
    }
    // An infinity less an infinity, where the truth is beyond the range: overflow may be raised, NaN is wrong.
    let asked = ["exceptions", "f.c", "-f", "lost", "--range", "x=1e200..1e300", "--max-work", "3000", "-o", "lost"];
    bench.labrys(&asked);
    let finding = finding_in(&bench, "lost", |finding| finding["exception"]["exception"] == "invalid");
    let mended = source.replace("x * x - x * 1e190", "x * (x - 1e190)");
    fails_until_mended(&bench, &finding, &["ctest", "rust"], ("f.c", &mended));
}

/// Only tests of crates were run before they were written; and where honestly no finding had a test, --all ended as if it were called wrongly.
#[test]
fn a_test_that_passes_on_the_present_code_is_not_written() {
    let source = "double f(double x, double y) { return x / y; }\ndouble g(double x) { return 1 / x; }\ndouble h(double x) { return x * 0.5; }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let asked = ["-f", "f", "--inputs", "finite", "--max-work", "2000", "-o", "out"];
    bench.labrys(&[&["exceptions", "f.c"][..], &asked].concat());
    let finding = finding_in(&bench, "out", |finding| finding["exception"]["exception"] == "invalid");
    let mended = source.replace("x / y", "y == 0 ? 0 : x / y");
    for kind in KINDS {
        fs::write(bench.path().join("f.c"), &mended).expect("a source");
        let left = bench.labrys(&["test", &finding, "--emit", kind, "-o", "left"]);
        left.expect_code(1);
        let says = |run: &Run, what: &str| assert!(run.stderr.contains(what), "{kind}: {}", run.stderr);
        says(&left, &format!("one for {kind} passes on the present code"));
        says(&left, "no test is written");
        assert!(!bench.path().join("left").exists(), "{kind}");
        fs::write(bench.path().join("f.c"), source).expect("a source");
        let written = bench.labrys(&["test", &finding, "--emit", kind, "-o", kind]);
        written.expect_code(0);
        assert!(!written.stderr.contains("was not looked at"), "{}", written.stderr);
    }
    // What nobody need mend, and nothing at all: a step of continuous integration goes on.
    let asked =
        |function, out| ["exceptions", "f.c", "-f", function, "--only", "divbyzero", "--max-work", "1000", "-o", out];
    bench.labrys(&asked("g", "pole"));
    let none = bench.labrys(&["test", "pole", "--all", "--emit", "ctest", "-o", "left"]);
    none.expect_code(0);
    assert!(!bench.path().join("left").exists(), "{}", none.stderr);
    bench.labrys(&asked("h", "nothing")).expect_code(0);
    let none = bench.labrys(&["test", "nothing", "--all", "--emit", "ctest", "-o", "left"]);
    none.expect_code(0);
    assert!(none.stderr.contains("no test is needed"), "{}", none.stderr);
}

#[test]
fn what_no_call_shows_has_no_test() {
    let bench = Bench::new(&[("f.c", "double f(double x, double y) { return x * y / y; }\n")]);
    bench.labrys(&["diff", "f.c", "--max-work", "3000", "-o", "out"]).expect_code(1);
    // A report in which the builds agree.
    let finding = finding_in(&bench, "out", |_| true);
    let path = bench.path().join(&finding);
    let mut report: Value = serde_json::from_str(&fs::read_to_string(&path).expect("a report")).expect("JSON");
    let finding_in_report = &mut report["findings"][0];
    let same = finding_in_report["observations"][0].clone();
    let roles: Vec<Value> = finding_in_report["observations"]
        .as_array()
        .expect("observations")
        .iter()
        .map(|of| of["role"].clone())
        .collect();
    for (index, role) in roles.iter().enumerate() {
        finding_in_report["observations"][index] = same.clone();
        finding_in_report["observations"][index]["role"] = role.clone();
    }
    fs::write(&path, report.to_string()).expect("a report");
    let refused = bench.labrys(&["test", &finding, "--emit", "ctest", "-o", "t"]);
    refused.expect_code(1);
    assert!(refused.stderr.contains("not in the results and exceptions of a call"), "{}", refused.stderr);
}

#[test]
fn suites_of_cover_and_verify_are_written_for_every_framework() {
    let source = "\
#include <math.h>
static double inner(double t) { return t > 2 ? sqrt(t) : t; }
double f(double x, int n) { return n > 3 ? inner(x) * 0.1 : x + n; }
";
    let program = "\
#include <verifier.h>
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == 77) return 3;
  return x > 5 ? 1 : 0;
}
";
    let bench = Bench::new(&[("f.c", source), ("p.c", program)]);
    for kind in KINDS.iter().copied().chain(["c"]) {
        let folder = format!("c_{kind}");
        bench.labrys(&["cover", "f.c", "-f", "f", "--tests", &folder, "--emit", kind]).expect_code(0);
        let tests = if kind == "c" { "ctest" } else { kind };
        run_tests(&bench, &folder, tests).expect_code(0);
        fs::write(bench.path().join("f.c"), source.replace("return n > 3 ? inner(x) * 0.1 : x + n;", "return 12345;"))
            .expect("a file");
        bench.program("touch", &["-d", "+2 seconds", "f.c"]).expect_code(0);
        let changed = run_tests(&bench, &folder, tests);
        if changed.code == 0 {
            changed.fail("what is computed changed, and no test says so");
        }
        fs::write(bench.path().join("f.c"), source).expect("a file");
        let folder = format!("v_{kind}");
        bench.labrys(&["verify", "p.c", "--tests", &folder, "--emit", kind]).expect_code(0);
        run_tests(&bench, &folder, tests).expect_code(0);
        fs::write(bench.path().join("p.c"), program.replace("x > 5 ? 1 : 0", "x > 5 ? 2 : 4")).expect("a file");
        bench.program("touch", &["-d", "+2 seconds", "p.c"]).expect_code(0);
        let changed = run_tests(&bench, &folder, tests);
        if changed.code == 0 {
            changed.fail("the program changed, and no test says so");
        }
        fs::write(bench.path().join("p.c"), program).expect("a file");
    }
}

/// Tests demanded that code which nobody uses raise an exception, and infinities that come of the baseline's own overflow: neither could be mended.
#[test]
fn nobody_asks_for_exceptions() {
    let source = "double f(double x) { double unused = x * 1e-300; (void)unused; return x; }\n\
                  double g(double x, double y) { return x * y / y; }\n";
    let bench = Bench::new(&[("f.c", source)]);
    let refused = |options: &[&str], severity: &str, why: &str| {
        let run = [&["diff", "f.c", "--inputs", "finite", "--max-work", "3000", "-o", "out"][..], options].concat();
        bench.labrys(&run).expect_code(1);
        let finding = finding_in(&bench, "out", |finding| finding["severity"] == *severity);
        let one = bench.labrys(&["test", &finding, "--emit", "ctest", "-o", "t"]);
        one.expect_code(1);
        assert!(one.stderr.contains(why) && !bench.path().join("t").exists(), "{}", one.stderr);
    };
    refused(&["-f", "f"], "underflow", "nobody misses");
    // The product overflows in the baseline alone: the other build is right.
    refused(&["-f", "g", "--input", "x=1e300,y=1e300"], "masked", "as near to the value without rounding");
    std::fs::write(bench.path().join("f.c"), source.replace("1e-300", "1e300")).expect("writable");
    refused(&["-f", "f", "--range", "x=1e9..1e300"], "masked", "nobody misses");
}

/// Near roots results are rounding errors alone: tests demanded those of the baseline, bit for bit. What another formula gets right is asked for as it is without rounding.
#[test]
fn nobody_asks_for_the_rounding_of_the_baseline() {
    let source = "#include <math.h>\n\
double root(double x, double y) { double p = x * x; return p - y * y; }
double near_one(double x) { double u = 1.0 + x; return u == 1.0 ? x : log(u) * x / (u - 1.0); }
double lost(double a, double b) { double s = a + b, v = s - a; return (a - (s - v)) + (b - v); }
double thirds(double x, double y) { return x / 3.0 + x / 7.0 + y / 21.0; }
";
    let bench = Bench::new(&[("f.c", source)]);
    let found = |function: &str, variant: &str, input: &str| -> Value {
        let run =
            ["diff", "f.c", "-f", function, "--baseline", "-O0 -ffp-contract=off", "--variant", variant, "-o", "out"];
        bench.labrys(&[&run[..], &["--input", input]].concat()).expect_code(1);
        let text = fs::read_to_string(bench.path().join("out/report.json")).expect("a report");
        serde_json::from_str::<Value>(&text).expect("JSON")["findings"][0].clone()
    };
    let first = |finding: &Value| finding["difference"]["truths"][0].clone();
    let truth = first(&found("root", "-O3 -mfma -ffp-contract=fast", "x=0x1.0000001p0,y=0x1.0000000fffffep0"));
    assert!(truth["baseline_ulps"].as_f64() > Some(4.0) && truth["variant_ulps"].as_f64() > Some(4.0), "{truth}");
    let finding = finding_in(&bench, "out", |_| true);
    let refused = bench.labrys(&["test", &finding, "--emit", "ctest", "-o", "t"]);
    refused.expect_code(1);
    assert!(refused.stderr.contains("last bits"), "{}", refused.stderr);
    bench.labrys(&["test", &finding, "--emit", "ctest", "--ulps", "4", "-o", "t"]).expect_code(0);
    // Zero without rounding, as no precision tells; what the divisions lose is nothing to ask for.
    let truth = first(&found("thirds", "-O3 -ffast-math", "x=13,y=-130"));
    assert!(truth["truth"] == "0" && truth["baseline_ulps"].as_f64() > Some(1e15), "{truth}");
    // What a sum loses is zero without rounding whatever the inputs are: the code is right, and its baseline is asked for.
    let finding = found("lost", "-O3 -ffast-math", "a=1,b=1e-310");
    assert!(finding["difference"]["truths"].is_null(), "{finding}");
    let finding = finding_in(&bench, "out", |_| true);
    bench.labrys(&["test", &finding, "--emit", "ctest", "-o", "lost"]).expect_code(0);
    // One that fast-math takes for log(1 + x): the true value is asked for.
    let truth = first(&found("near_one", "-O3 -ffast-math", "x=1e-10"));
    assert!(truth["baseline_ulps"].as_f64() < Some(3.0) && truth["variant_ulps"].as_f64() > Some(1e8), "{truth}");
    let finding = finding_in(&bench, "out", |_| true);
    bench.labrys(&["test", &finding, "--emit", "ctest", "-o", "true"]).expect_code(0);
    let name = finding.replace("out/", "true/finding_").replace(".json", ".c");
    let text = fs::read_to_string(bench.path().join(name)).expect("a test");
    assert!(text.contains("result is within 7 ulps of 0x1.b7cdfd9d1d693p-34"), "{text}");
}

//! `cargo labrys`: functions of crates by their paths. Crates are built in the tests' folders; those of others come from crates.io.

use std::path::Path;

use crate::harness::{Bench, Run, raises, workspace};

/// Cargo with labrys' subcommand beside it.
fn cargo(bench: &Bench, arguments: &[&str]) -> Run {
    let folder = Path::new(env!("CARGO_BIN_EXE_cargo-labrys")).parent().expect("a folder").display();
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("PATH={folder}:{path}");
    let mut words = vec![path.as_str(), "cargo", "labrys"];
    words.extend(arguments);
    bench.program("env", &words)
}

/// An analysis whose report is read.
fn analysis(bench: &Bench, arguments: &[&str]) -> Run {
    let mut words = arguments.to_vec();
    // What is found here is found soon; the rest of the time would go to proofs.
    words.extend(["--format", "json"]);
    if !arguments.contains(&"--time") {
        words.extend(["--time", "5s"]);
    }
    if !arguments.contains(&"--max-work") {
        words.extend(["--max-work", "2000"]);
    }
    cargo(bench, &words)
}

/// A copy of the sample crate.
fn sample() -> Bench {
    let bench = Bench::new(&[]);
    let from = workspace().join("examples/cargo/.").display().to_string();
    bench.program("cp", &["-r", &from, "."]).expect_code(0);
    bench
}

/// A crate of one file.
fn small(manifest: &str, source: &str) -> Bench {
    let bench = Bench::new(&[]);
    std::fs::create_dir_all(bench.path().join("src")).expect("a folder");
    let manifest =
        format!("[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{manifest}\n[workspace]\n");
    std::fs::write(bench.path().join("Cargo.toml"), manifest).expect("a manifest");
    std::fs::write(bench.path().join("src/lib.rs"), source).expect("a source");
    bench
}

/// The names of the inputs that a report has.
fn parameters(run: &Run) -> Vec<String> {
    let listed = run.json()["target"]["parameters"].as_array().cloned().unwrap_or_default();
    listed.iter().filter_map(|parameter| parameter["name"].as_str().map(str::to_owned)).collect()
}

fn says(run: &Run, words: &str) {
    run.expect_code(2);
    let lines: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("labrys: ")).collect();
    if lines.len() != 1 || !lines[0].contains(words) || !run.stdout.is_empty() {
        run.fail(&format!("expected one line with: {words}"));
    }
}

#[test]
fn functions_of_a_crate_by_their_paths() {
    let bench = sample();
    // A dependency's function is part of what is analysed.
    let run = analysis(&bench, &["exceptions", "numerics::interest::compound"]);
    run.expect_code(1);
    assert_eq!(parameters(&run), ["amount", "rate", "years"]);
    assert_eq!(run.json()["target"]["function"], "numerics::interest::compound");
    run.finding("an overflow in the dependency", |finding| {
        let trace = finding["observations"][0]["trace"].as_array().cloned().unwrap_or_default();
        let is_in_libm = |event: &serde_json::Value| event["file"].as_str().is_some_and(|file| file.contains("libm"));
        raises(finding, "baseline", "overflow") && trace.iter().any(is_in_libm)
    });

    // Methods: a struct with public fields, and one that its `new` makes.
    let run = analysis(&bench, &["exceptions", "numerics::Point::norm"]);
    assert_eq!(parameters(&run), ["self_x", "self_y"]);
    run.finding("an overflow of the squares", |finding| raises(finding, "baseline", "overflow"));
    // What the optimiser inlined was there twice, under the name of what calls it, too.
    let sites = run.json()["sites"].as_array().cloned().unwrap_or_default();
    let place = |site: &serde_json::Value| {
        ["file", "line", "column", "operator", "exception"].map(|key| site[key].to_string()).join(" ")
    };
    let places: std::collections::HashSet<String> = sites.iter().map(place).collect();
    assert!(!sites.is_empty() && places.len() == sites.len(), "{sites:?}");
    let run = analysis(&bench, &["exceptions", "numerics::Normal::pdf", "--inputs", "finite"]);
    assert_eq!(parameters(&run), ["mean", "deviation", "x"]);
    let run = analysis(&bench, &["exceptions", "numerics::Point::normalise"]);
    run.finding("the origin has no direction", |finding| raises(finding, "baseline", "invalid"));

    // Slices, generic functions, arrays, tuples, options and results.
    let run = analysis(&bench, &["accuracy", "numerics::stats::variance", "--range", "data=1e6..2e6"]);
    run.expect_code(1);
    assert_eq!(parameters(&run), ["data", "data_len"]);
    let run = analysis(&bench, &["exceptions", "numerics::stats::norm::<f32, 3>"]);
    assert_eq!(parameters(&run), ["x"]);
    let run = analysis(&bench, &["exceptions", "numerics::stats::to_weights", "--length", "data=3"]);
    assert_eq!(parameters(&run), ["data"]);
    run.finding("a sum of zero", |finding| raises(finding, "baseline", "invalid"));
    let run = analysis(&bench, &["exceptions", "numerics::interest::growth"]);
    assert_eq!(parameters(&run), ["rates_0", "rates_1"]);
    let run = analysis(&bench, &["exceptions", "numerics::stats::range"]);
    assert!(matches!(run.code, 0 | 1 | 3), "{}", run.stderr);
    let run = analysis(&bench, &["exceptions", "numerics::stats::mean", "--features", "compensated"]);
    run.expect_code(1);

    // Nothing is left in the user's target folder but labrys' own.
    let left: Vec<_> = std::fs::read_dir(bench.path().join("target")).expect("a folder").flatten().collect();
    assert_eq!(left.iter().map(|entry| entry.file_name()).collect::<Vec<_>>(), ["labrys"]);
}

#[test]
fn panics_are_observations() {
    let source = "pub fn root(x: f64) -> f64 { assert!(x < 1e10, \"large\"); x.sqrt() }\n\
                  pub fn native(x: f64) -> f64 { assert!(!cfg!(target_feature = \"fma\") || x < 1e10); x }\n";
    let bench = small("", source);
    let run = analysis(&bench, &["exceptions", "small::root", "--inputs", "finite"]);
    let notes = run.json()["notes"].to_string();
    assert!(notes.contains("inputs panicked"), "{notes}");
    let run = analysis(&bench, &["diff", "small::native", "--variant", "-C target-feature=+fma"]);
    run.expect_code(1);
    let finding = run.finding("a panic", |finding| finding["observations"][1]["outcome"] == "panic");
    assert!(finding["summary"].as_str().is_some_and(|words| words.contains("variant ends by a panic")), "{finding}");

    // Where nothing can be caught the process ends as a program does that panics.
    let bench = small("[profile.release]\npanic = \"abort\"\n", source);
    let run = analysis(&bench, &["diff", "small::native", "--variant", "-C target-feature=+fma", "--max-work", "300"]);
    run.expect_code(1);
    run.finding("the end by a panic", |finding| finding["observations"][1]["exit_code"] == 101);
}

#[test]
fn vectors_and_enums_are_taken_apart() {
    let source = "pub enum Shape { Point, Circle(f64), Rectangle(f64, f64) }\n\
                  pub enum Wrong { Negative, Large(f64), Other { why: String } }\n\
                  pub fn area(shape: &Shape) -> f64 { match shape { Shape::Point => 0.0, Shape::Circle(r) => 3.0 * r * r, Shape::Rectangle(a, b) => a * b } }\n\
                  pub fn checked(x: f64) -> Result<f64, Wrong> { if x < 0.0 { Err(Wrong::Negative) } else if x > 1e3 { Err(Wrong::Large(x * 1e300)) } else { Ok(x) } }\n\
                  pub fn multiples(x: f64, n: u8) -> Vec<f64> { let by = if cfg!(target_feature = \"fma\") { 2.0 } else { 3.0 }; (0..n).map(|k| if k == 2 { by * x } else { x }).collect() }\n\
                  pub fn extend(v: &mut Vec<f64>, x: f64) { v.push(1.0 / x); }\n\
                  pub fn sum(x: Option<&[f64]>) -> f64 { x.map_or(-1.0, |x| x.iter().sum()) }\n";
    let bench = small("", source);
    let run = analysis(&bench, &["exceptions", "small::area"]);
    assert_eq!(parameters(&run), ["shape_variant", "shape_circle", "shape_rectangle", "shape_rectangle_1"]);
    run.finding("an overflow of an area", |finding| raises(finding, "baseline", "overflow"));
    let run = analysis(&bench, &["exceptions", "small::checked"]);
    run.finding("an overflow in the error", |finding| raises(finding, "baseline", "overflow"));
    let run = analysis(&bench, &["exceptions", "small::extend"]);
    assert_eq!(parameters(&run), ["v", "v_len", "x"]);
    run.finding("a division by zero", |finding| raises(finding, "baseline", "divbyzero"));
    let run = analysis(&bench, &["exceptions", "small::sum"]);
    assert_eq!(parameters(&run), ["x_is_some", "x", "x_len"]);

    // What differs is an element, and of two flags one is blamed.
    let flags = "-C target-feature=+fma -C target-cpu=x86-64";
    let limits = ["--format", "json", "--max-work", "500", "--time", "120s"];
    let run = cargo(&bench, &[&["diff", "small::multiples", "--variant", flags][..], &limits].concat());
    let finding = run.finding("another element", |finding| finding.to_string().contains("value[2]"));
    let blamed = &finding["difference"]["blame"]["flags"];
    assert_eq!(*blamed, serde_json::json!(["-C target-feature=+fma"]), "{finding}");
}

/// The pass is the crate's own where the function is compiled with it, and the glue's where it is generic.
#[test]
fn passes_of_a_crate_are_named() {
    let source = "#[inline(never)] pub fn cleared(x: f64, y: f64) -> f64 { if y > 1.0 { x * x } else { 0.0 } }\n\
                  pub fn generic<T: Into<f64>>(x: T, y: f64) -> f64 { cleared_here(x.into(), y) }\n\
                  #[inline] fn cleared_here(x: f64, y: f64) -> f64 { if y > 1.0 { x * x } else { 0.0 } }\n";
    let bench = small("", source);
    for function in ["small::cleared", "small::generic::<f64>"] {
        let builds = ["--baseline", "-C opt-level=0", "--variant", "-C opt-level=3"];
        let run = analysis(
            &bench,
            &[&["diff", function, "--input", "x=1e200,y=0", "--time", "60s", "-o", "out"], &builds[..]].concat(),
        );
        let finding = run.finding("with blame", |finding| finding["difference"]["blame"].is_object());
        let blame = &finding["difference"]["blame"];
        assert_eq!(blame["flags"], serde_json::json!(["-C opt-level=3"]), "{blame}");
        let pass = blame["pass"].as_str().unwrap_or_else(|| run.fail("no pass"));
        assert!(pass.starts_with("simplifycfg"), "{pass}");
        assert!(!pass.contains("labrys_") && !pass.contains("_ZN"), "{pass}");
        assert!(function != "small::cleared" || pass.contains("small::cleared"), "{pass}");
    }
    // A finding is blamed later, too.
    let mut paths = std::fs::read_dir(bench.path().join("out")).expect("a folder").flatten().map(|entry| entry.path());
    let is_finding =
        |path: &std::path::PathBuf| path.extension().is_some_and(|of| of == "json") && !path.ends_with("report.json");
    let file = paths.find(is_finding).expect("a finding").display().to_string();
    says(&bench.labrys(&["blame", &file]), "if you trust it, give --trust");
    let blamed = bench.labrys(&["blame", &file, "--trust"]);
    blamed.expect_code(0);
    assert!(blamed.stdout.contains("because: -C opt-level=3, in simplifycfg"), "{}", blamed.stdout);
}

/// Reasons stood on stdout, as if there were a report, and of an unknown processor it was said that "1 warning" was emitted.
#[test]
fn where_no_function_can_be_called_the_reason_is_an_error() {
    let bench = small("", "pub fn text(x: &str) -> f64 { x.len() as f64 }\npub fn half(x: f64) -> f64 { x / 2.0 }\n");
    let refused = |arguments: &[&str], words: &str| {
        let run = cargo(&bench, arguments);
        run.expect_code(2);
        assert!(run.stdout.is_empty() && run.stderr.contains(words), "{}{}", run.stdout, run.stderr);
    };
    refused(
        &["exceptions", "small::te*"],
        "none of 1 function could be analysed: small::text: parameter x is of the type str",
    );
    let unknown = ["diff", "small::half", "--variant", "-C target-cpu=nonsense"];
    refused(&unknown, "'nonsense' is no processor of this target");
}

#[test]
fn all_functions_of_a_crate() {
    let source = "pub struct Point { pub x: f64 }\nimpl Point { pub fn inverse(&self) -> f64 { 1.0 / self.x * self.x } }\n\
                  pub fn text(x: &str) -> f64 { x.len() as f64 }\nfn hidden() {}\nmod inner;\npub use inner::{half, sign, Sign};\n\
                  pub mod stats { mod all { pub fn double(x: f64) -> f64 { 2.0 * x } }\npub use all::*; }\n";
    let bench = small("", source);
    std::fs::write(bench.path().join("src/inner.rs"), "pub fn half(x: f64) -> f64 { x / 2.0 }\n\
         pub enum Sign { Minus, Plus(f64) }\npub fn sign(x: f64) -> Sign { if x < 0.0 { Sign::Minus } else { Sign::Plus(x * x) } }\n").expect("a source");
    let run = cargo(&bench, &["exceptions", "--max-work", "200", "--time", "5s", "--output", "out"]);
    run.expect_code(1);
    let says = |words: &str| assert!(run.stdout.contains(words), "no `{words}` in: {}", run.stdout);
    says("4 of 5 functions analysed");
    says("small::text was not: parameter x is of the type str, which is not supported");
    for name in ["small.Point.inverse", "small.half", "small.sign", "small.stats.double"] {
        assert!(bench.path().join("out").join(name).join("report.json").exists(), "{name}: {}", run.stdout);
    }
    // One report of all, whose findings are replayed by the functions' own.
    let whole = std::fs::read_to_string(bench.path().join("out/report.json")).expect("a report of all");
    let whole: serde_json::Value = serde_json::from_str(&whole).expect("JSON");
    let names: Vec<&str> =
        whole["functions"].as_array().into_iter().flatten().filter_map(|of| of["function"].as_str()).collect();
    let expected = ["small::Point::inverse", "small::half", "small::sign", "small::stats::double", "small::text"];
    assert_eq!(names, expected);
    assert!(whole["functions"][4]["failure"].as_str().is_some_and(|why| why.contains("type str")), "{whole}");
    let command = whole["findings"][0]["command"].as_str().expect("a command").to_owned();
    assert!(command.starts_with("labrys replay out/small."), "{command}");
    bench.program("sh", &["-c", &command.replacen("labrys", env!("CARGO_BIN_EXE_labrys"), 1)]).expect_code(1);
    assert!(bench.path().join("out/report.html").exists() && bench.path().join("out/report.sarif").exists());
    // The tests of all are those of each function. What halves the least of all numbers underflows, whatever is mended.
    bench.labrys(&["test", "out", "--all", "--emit", "rust", "--trust"]).expect_code(0);
    let text = |name: &str| std::fs::read_to_string(bench.path().join(format!("tests/findings_small_{name}.rs")));
    let inverse = text("point_inverse");
    assert!(inverse.as_ref().is_ok_and(|text| text.contains("small::Point::inverse(")), "{inverse:?}");
    assert!(text("half").is_err());
    // Optimised, too: where rustc sees the callee, it computes the quotient beforehand, and nothing is raised.
    let failing = ["test", "--offline", "--release", "--test", "findings_small_point_inverse"];
    let run = bench.program("cargo", &failing);
    assert!(run.code == 101 && run.stdout.contains("test result: FAILED"), "{}{}", run.stdout, run.stderr);
    bench.program("cp", &["out/report.json", "alone.json"]).expect_code(0);
    let alone = bench.labrys(&["test", "alone.json", "--all", "--emit", "rust"]);
    alone.expect_code(2);
    assert!(alone.stderr.contains("name the folder of the run's --output"), "{}", alone.stderr);
    let run = cargo(&bench, &["accuracy", "small::nothing*"]);
    run.expect_code(2);
    let run = cargo(&bench, &["exceptions", "small::*half", "--format", "json", "--max-work", "200", "--time", "5s"]);
    assert!(matches!(run.code, 0 | 1 | 3), "{}", run.stderr);
    assert_eq!(run.json()["functions"][0]["function"], "small::half");
}

#[test]
fn findings_are_replayed_and_become_tests_of_the_crate() {
    let bench = sample();
    let run = analysis(&bench, &["exceptions", "numerics::Point::norm", "--inputs", "finite", "-o", "out"]);
    let finding = run.finding("a lost overflow", |finding| finding["severity"] == "lost");
    let file = format!("out/{}.json", finding["id"].as_str().expect("an id"));
    says(&bench.labrys(&["replay", &file]), "--trust");
    bench.labrys(&["replay", "--trust", &file]).expect_code(1);
    bench.labrys(&["test", &file, "--emit", "rust", "--trust"]).expect_code(0);
    let name = format!("finding_{}", finding["id"].as_str().expect("an id"));
    let text = std::fs::read_to_string(bench.path().join(format!("tests/{name}.rs"))).expect("a test");
    assert!(text.contains("numerics::Point::norm("), "{text}");
    let test = |code: i32| bench.program("cargo", &["test", "--profile", "release", "--test", &name]).code == code;
    assert!(test(101), "the test does not fail");
    let source = bench.path().join("src/lib.rs");
    let mended = std::fs::read_to_string(&source).expect("a source");
    let mended = mended.replace("(self.x * self.x + self.y * self.y).sqrt()", "self.x.hypot(self.y)");
    std::fs::write(source, mended).expect("a source");
    assert!(test(0), "the test fails after the mend");
    bench.labrys(&["replay", "--trust", &file]).expect_code(0);
}

/// Functions behind `pub use` were looked for by the paths of their files, and all were "cannot be called from outside"; those of macros were not seen.
#[test]
fn functions_behind_re_exports_and_of_macros() {
    let source = "mod analytical;\npub use self::analytical::cubic::roots_of;\npub use self::analytical::plain as simple;\n\
                  macro_rules! easer { ($f:ident, $e:expr) => { pub fn $f(start: f64, end: f64) -> f64 { $e(start) * end } }; }\n\
                  easer!(linear, |x: f64| x);\npub mod more { easer!(quadratic, |x: f64| x * x); }\n";
    let bench = small("", source);
    let file = |name: &str, text: &str| std::fs::write(bench.path().join("src").join(name), text).expect("a source");
    file("analytical.rs", "pub mod cubic;\npub fn plain(x: f64) -> f64 { x + 1.0 }\n");
    std::fs::create_dir(bench.path().join("src/analytical")).expect("a folder");
    file("analytical/cubic.rs", "pub fn roots_of<F: Into<f64>>(x: F) -> f64 { x.into() * 2.0 }\n");
    let run = cargo(&bench, &["exceptions", "--format", "json", "--max-work", "100", "--time", "5s"]);
    assert!(matches!(run.code, 0 | 1 | 3), "{}", run.stderr);
    let report = run.json();
    let listed = report["functions"].as_array().expect("functions");
    let names: Vec<&str> = listed.iter().filter_map(|of| of["function"].as_str()).collect();
    assert_eq!(names, ["small::linear", "small::more::quadratic", "small::simple", "small::roots_of"]);
    let why = listed[3]["failure"].as_str().unwrap_or_default();
    assert!(why.contains("small::roots_of is generic") && why.contains("'small::roots_of::<f64>'"), "{why}");
    // By what users write, and by the file that it is in.
    for pattern in ["small::sim*", "small::analytical::pl*"] {
        let run = cargo(&bench, &["exceptions", pattern, "--format", "json", "--max-work", "100", "--time", "5s"]);
        assert_eq!(run.json()["functions"][0]["function"], "small::simple", "{}", run.stderr);
    }
    let run = analysis(&bench, &["exceptions", "small::linear"]);
    assert_eq!(parameters(&run), ["start", "end"]);
}

/// The machine divides before the guard, at its place, and the IR behind it: the second stayed unknown, "raises it on native code, but not at this operation".
#[test]
fn a_division_that_the_compiler_moves_is_one_site() {
    let source = "pub struct V { pub x: f64, pub y: f64 }\nimpl V {\n    pub fn slope(&self) -> Result<f64, i32> {\n        if self.x == 0.0 { return Err(1); }\n        \
                  Ok(self.y / self.x)\n    }\n}\n";
    let bench = small("", source);
    let run = analysis(&bench, &["exceptions", "small::V::slope", "-o", "out"]);
    let report = run.json();
    let sites = report["sites"].as_array().expect("sites");
    for exception in ["invalid", "overflow", "underflow"] {
        let of: Vec<_> =
            sites.iter().filter(|site| site["exception"] == exception && site["operator"] == "fdiv").collect();
        assert_eq!(of.len(), 1, "{exception}: {of:?}");
        assert_eq!((&of[0]["line"], &of[0]["verdict"]), (&5.into(), &"reachable".into()), "{:?}", of[0]);
    }
    let overflow = run.finding("an overflow", |finding| finding["exception"]["exception"] == "overflow");
    let file = format!("out/{}.json", overflow["id"].as_str().expect("an id"));
    bench.labrys(&["replay", "--trust", &file]).expect_code(1);
}

/// What the optimiser makes of a function that is inlined where labrys calls it had the call for its place: users were shown a line of code that labrys wrote.
#[test]
fn what_the_optimiser_merges_is_where_the_function_begins() {
    let source = "pub enum Unit { C, F(f64) }\n\npub fn to_c(u: Unit, x: f64) -> f64 { match u { Unit::C => x, Unit::F(o) => (x - o) * 5.0 / 9.0 } }\n";
    let bench = small("", source);
    let limits = ["--inputs", "finite", "--max-work", "2000", "--time", "8s"];
    let run = analysis(&bench, &[&["exceptions", "small::to_c", "-o", "out"][..], &limits].concat());
    let report = run.json();
    for site in report["sites"].as_array().expect("sites") {
        assert_eq!(
            (&site["file"], &site["line"], &site["function"]),
            (&"src/lib.rs".into(), &3.into(), &"to_c".into()),
            "{site}"
        );
    }
    let finding = run.finding("an overflow", |finding| finding["exception"]["exception"] == "overflow");
    assert!(finding["notes"].to_string().contains("the line is where to_c begins"), "{finding}");
    let trace = finding["observations"][0]["trace"].to_string();
    assert!(trace.contains("src/lib.rs") && !trace.contains("glue"), "{trace}");
    let shown = cargo(&bench, &[&["exceptions", "small::to_c"][..], &limits].concat()).stdout;
    assert!(shown.contains("src/lib.rs:3") && !shown.contains("glue") && !shown.contains("labrys_"), "{shown}");
    let diff = [
        "diff",
        "small::to_c",
        "--variant",
        "-C opt-level=0",
        "--inputs",
        "finite",
        "--max-work",
        "500",
        "--time",
        "8s",
    ];
    let shown = cargo(&bench, &diff).stdout;
    assert!(!shown.contains("glue/") && !shown.contains("labrys_"), "{shown}");
}

/// Of a quotient that the compiler makes before it is needed where labrys calls the function, but not where a test does, tests were written that pass.
#[test]
fn tests_of_a_crate_that_pass_on_its_present_code_are_not_written() {
    let source = "pub struct V { pub x: f64, pub y: f64 }\nimpl V {\n    pub fn unit(self) -> Option<V> {\n        let n = (self.x * self.x + self.y * self.y).sqrt();\n        \
                  if n > 0.0 { Some(V { x: self.x / n, y: self.y / n }) } else { None }\n    }\n}\n";
    let bench = small("", source);
    let run = analysis(&bench, &["exceptions", "small::V::unit", "--inputs", "finite", "-o", "out"]);
    run.expect_code(1);
    let run = bench.labrys(&["test", "out", "--all", "--emit", "rust", "--trust"]);
    assert!(matches!(run.code, 0 | 1), "{}", run.stderr);
    let text = std::fs::read_to_string(bench.path().join("tests/findings.rs")).expect("tests");
    let tests = text.matches("#[test]").count();
    let passing = run.stderr.matches("one for rust passes on the present code").count();
    assert!(tests > 0 && passing > 0, "{tests} tests, {passing} left out: {}", run.stderr);
    let run = bench.program("cargo", &["test", "--profile", "release", "--test", "findings"]);
    assert!(run.stdout.contains(&format!("0 passed; {tests} failed")), "{}", run.stdout);
    let left: Vec<_> = std::fs::read_dir(bench.path().join("tests")).expect("tests").collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn functions_of_crates_that_nobody_here_has_seen() {
    let manifest = "[dependencies]\nlibm = \"=0.2.11\"\nstatrs = { version = \"=0.18.0\", default-features = false }\n\
                    nalgebra = { version = \"=0.33.2\", default-features = false, features = [\"std\"] }\n";
    let bench = small(manifest, "pub use {libm, nalgebra, statrs};\n");
    let run = analysis(&bench, &["exceptions", "libm::tgamma", "--time", "15s"]);
    run.finding("an overflow of the gamma function", |finding| raises(finding, "baseline", "overflow"));
    let run = analysis(&bench, &["exceptions", "statrs::function::gamma::gamma_lr", "--inputs", "finite"]);
    run.expect_code(1);
    // A method of a trait, of a type that its `new` makes or does not.
    let run = analysis(&bench, &["exceptions", "statrs::distribution::Normal::pdf", "--inputs", "finite"]);
    run.expect_code(1);
    assert_eq!(parameters(&run).len(), 3);
    let run = analysis(&bench, &["accuracy", "nalgebra::Matrix3::<f64>::determinant"]);
    run.expect_code(1);
    assert_eq!(parameters(&run).len(), 9);
    // A comparison builds all dependencies twice more: those of a small crate.
    let bench = small("[dependencies]\nnum-complex = \"=0.4.6\"\n", "pub use num_complex;\n");
    let run = analysis(&bench, &["diff", "num_complex::Complex::<f64>::norm_sqr", "--variant", "-C target-cpu=native"]);
    assert_eq!(parameters(&run).len(), 2);
    assert!(matches!(run.code, 0 | 1 | 3), "{}", run.stderr);
}

#[test]
fn commands_of_files_say_how_they_are_called() {
    let bench = small("", "pub fn f(x: f64) -> f64 { x }\n");
    says(
        &cargo(&bench, &["verify", "small::f"]),
        "'verify', which is of files: labrys verify FILE.rs --entry NAME; see cargo labrys --help",
    );
}

#[test]
fn what_cannot_be_called_is_one_line() {
    let source = "pub fn variance(x: f64) -> f64 { x }\nfn hidden(x: f64) -> f64 { x }\npub fn used(x: f64) -> f64 { hidden(x) }\n\
                  pub fn generic<T: Into<f64>, const N: usize>(x: [T; N]) -> f64 { x.into_iter().map(Into::into).sum() }\n\
                  pub fn text(x: &str) -> f64 { x.len() as f64 }\npub fn closure(f: impl Fn(f64) -> f64) -> f64 { f(1.0) }\n\
                  pub unsafe fn danger(x: f64) -> f64 { x }\n\
                  pub fn sum(x: &[f64]) -> f64 { x.iter().sum() }\n";
    let bench = small("", source);
    let ask = |path: &str| cargo(&bench, &["exceptions", path, "--max-work", "100"]);
    says(
        &ask("small::varianc"),
        "there is no small::varianc: cannot find value `varianc` in crate `small`; the crate has variance",
    );
    says(&ask("small::hidden"), "small::hidden cannot be called from outside its crate: function `hidden` is private");
    says(
        &ask("small::generic"),
        "small::generic is generic: say T and N with `::<…>` behind the name, as in 'small::generic::<f64, 3>'",
    );
    says(&ask("small::text"), "small::text: parameter x is of the type str, which is not supported");
    says(&ask("small::closure"), "such as a closure; write a function that calls it with one");
    says(&ask("small::danger"), "it is an unsafe function");
    says(
        &cargo(&bench, &["exceptions", "small::sum", "--length", "x=m"]),
        "small::sum has no parameter m that a --length could name",
    );
    says(&ask("other::f"), "other is neither this package's library (small) nor a crate that it depends on");
    says(&ask("src/lib.rs"), "is no path of a function");
    says(&ask("small::variance()"), "is no path of a function");
    says(&cargo(&bench, &["exceptions", "small::variance", "--function", "x"]), "--function is for sources");
    for asked in ["small::variance", "small::*"] {
        says(
            &cargo(&bench, &["exceptions", asked, "--shard", "0/2", "-o", "out"]),
            "parts of a crate are patterns of paths",
        );
    }
    says(
        &cargo(&bench, &["exceptions", "small::variance", "-p", "nothing"]),
        "the workspace has no package nothing; it has small",
    );
    says(&cargo(&bench, &["diff", "small::variance", "--variant", "gcc -O3"]), "cargo chooses the compiler");

    std::fs::write(bench.path().join("src/lib.rs"), "pub fn f(x: f64) -> f64 { y }\n").expect("a source");
    says(
        &ask("small::f"),
        "the package small does not build: error[E0425]: cannot find value `y` in this scope (src/lib.rs:1:27)",
    );
    let bare = small(
        "",
        "#![no_std]\n#[panic_handler]\nfn panic(_: &core::panic::PanicInfo) -> ! { loop {} }\npub fn f(x: f64) -> f64 { x }\n",
    );
    says(&cargo(&bare, &["exceptions", "small::f"]), "leave it out here, by a feature or a `cfg`");
    let nowhere = Bench::new(&[]);
    says(&cargo(&nowhere, &["exceptions", "a::b"]), "could not find `Cargo.toml`");
    says(
        &cargo(&nowhere, &["exceptions", "-p", "/nowhere"]),
        "go to a crate's folder, or say where it is with --manifest-path",
    );
    says(
        &cargo(&bench, &["exceptions", "small::variance", "-p", "/nowhere"]),
        "no package /nowhere; it has small; -p takes a package's name here",
    );
    let programs = small("", "");
    std::fs::rename(programs.path().join("src/lib.rs"), programs.path().join("src/main.rs")).expect("a file");
    says(&cargo(&programs, &["exceptions", "small::f"]), "the package small has no library");
}

#[test]
fn crates_as_they_come() {
    // A crate without std, with a build script; a workspace of several members, one of macros that another uses.
    let bench =
        Bench::new(&[("Cargo.toml", "[workspace]\nmembers = [\"plain\", \"macros\", \"user\"]\nresolver = \"2\"\n")]);
    let write = |path: &str, text: &str| {
        let path = bench.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    let manifest = |name: &str, rest: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{rest}")
    };
    write("plain/Cargo.toml", &manifest("plain", ""));
    write(
        "plain/build.rs",
        "fn main() { println!(\"cargo:rustc-env=SCALE=2.5\"); println!(\"cargo:rustc-cfg=built\"); }\n",
    );
    write(
        "plain/src/lib.rs",
        "#![no_std]\n#[cfg(built)]\npub fn inverse(x: f64) -> f64 { let _ = env!(\"SCALE\"); 1.0 / x }\n",
    );
    write("macros/Cargo.toml", &manifest("macros", "[lib]\nproc-macro = true\n"));
    write(
        "macros/src/lib.rs",
        "use proc_macro::TokenStream;\n#[proc_macro]\npub fn inverse_fn(_: TokenStream) -> TokenStream { \"pub fn inverse(x: f64) -> f64 { plain::inverse(x) }\".parse().unwrap() }\n",
    );
    write(
        "user/Cargo.toml",
        &manifest("user", "[dependencies]\nmacros = { path = \"../macros\" }\nplain = { path = \"../plain\" }\n"),
    );
    write("user/src/lib.rs", "macros::inverse_fn!();\n");
    for path in ["plain::inverse", "user::inverse"] {
        let run = analysis(&bench, &["exceptions", path]);
        run.expect_code(1);
        run.finding("a division by zero", |finding| raises(finding, "baseline", "divbyzero"));
    }
    says(&cargo(&bench, &["exceptions", "nobody::f"]), "choose a package with -p: plain, macros, user");
    says(&cargo(&bench, &["exceptions", "macros::f"]), "choose a package with -p");
    says(&cargo(&bench, &["exceptions", "macros::f", "-p", "macros"]), "it is of macros");
}

/// Findings in the standard library pointed into it alone: without optimisation nothing there is inlined.
#[test]
fn what_the_standard_library_computes_is_where_the_crate_calls_it() {
    let source = "pub fn total(x: [f64; 3]) -> f64 {\n    let sum: f64 = x.iter().sum();\n    sum / 3.0\n}\n\
                  fn product<T: std::ops::Mul<Output = T>>(a: T, b: T) -> T { a * b }\n\
                  pub fn scaled(x: f64, y: f64) -> f64 {\n    product(x, 0.5)\n        + product(x, y)\n}\n";
    let bench = small("", source);
    for profile in ["dev", "release"] {
        let run = analysis(&bench, &["exceptions", "small::total", "--profile", profile, "--inputs", "finite"]);
        let sum = run.finding("a sum", |finding| {
            raises(finding, "baseline", "overflow") && finding["exception"]["site"]["line"] != 2
        });
        assert_eq!(sum["called_at"][0]["line"], 2, "{profile}: {sum}");
        assert!(sum["exception"]["site"]["file"].as_str().is_some_and(|file| file.starts_with('/')), "{sum}");
        assert!(sum["summary"].as_str().is_some_and(|text| text.starts_with("overflow at 2:")), "{sum}");
    }
    // Of two calls the one that raises it.
    let run = analysis(&bench, &["exceptions", "small::scaled", "--profile", "dev", "--inputs", "finite"]);
    let product = run.finding("a product", |finding| {
        raises(finding, "baseline", "overflow") && finding["exception"]["site"]["operator"] == "fmul"
    });
    assert_eq!(product["called_at"][0]["line"], 5, "{product}");
}

/// A dependency outside of the workspace is not the user's to mend: its operations are where the user's code calls them, in SARIF too.
#[test]
fn what_a_dependency_computes_is_where_the_crate_calls_it() {
    let other = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(other.path().join("src")).expect("a folder");
    let manifest = "[package]\nname = \"other\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    std::fs::write(other.path().join("Cargo.toml"), manifest).expect("a manifest");
    let source = "#[inline(never)]\npub fn ratio(a: f64, b: f64) -> f64 {\n\n\n    a / b\n}\n";
    std::fs::write(other.path().join("src/lib.rs"), source).expect("a source");
    let dependency = format!("[dependencies]\nother = {{ path = {:?} }}\n", other.path().display().to_string());
    let source = "pub fn inverse(x: f64) -> f64 {\n    let y = x - 1.0;\n    other::ratio(2.0, y)\n}\n";
    let bench = small(&dependency, source);
    let words = ["exceptions", "small::inverse", "--inputs", "finite"];
    let run = analysis(&bench, &words);
    let found = run.finding("a division by zero", |finding| raises(finding, "baseline", "divbyzero"));
    assert_eq!(found["called_at"][0]["line"], 3, "{found}");
    assert_eq!(found["exception"]["site"]["line"], 5, "{found}");
    let sarif = cargo(&bench, &[&words[..], &["--format", "sarif", "--time", "5s"]].concat()).json();
    let results = sarif["runs"][0]["results"].as_array().cloned().unwrap_or_default();
    let is_zero =
        |result: &&serde_json::Value| result["message"]["text"].as_str().is_some_and(|text| text.contains("divbyzero"));
    let place = &results.iter().find(is_zero).expect("a division by zero")["locations"][0]["physicalLocation"];
    assert_eq!(
        (&place["artifactLocation"]["uri"], &place["region"]["startLine"]),
        (&"src/lib.rs".into(), &3.into()),
        "{place}"
    );
}

/// What doubles a dependency's result was told for what the dependency computes.
#[test]
fn a_difference_in_a_dependency_is_where_the_crate_calls_it() {
    let other = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(other.path().join("src")).expect("a folder");
    let manifest = "[package]\nname = \"other\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    std::fs::write(other.path().join("Cargo.toml"), manifest).expect("a manifest");
    let source = "pub fn axpy(a: f64, x: f64, y: f64) -> f64 {\n    if cfg!(target_feature = \"fma\") { a.mul_add(x, y) } else { a * x + y }\n}\n";
    std::fs::write(other.path().join("src/lib.rs"), source).expect("a source");
    let dependency = format!("[dependencies]\nother = {{ path = {:?} }}\n", other.path().display().to_string());
    let source = "pub fn twice(a: f64, x: f64, y: f64) -> f64 {\n    2.0 *\n        other::axpy(a, x, y)\n}\n";
    let bench = small(&dependency, source);
    let words = ["diff", "small::twice", "--variant", "-C target-feature=+fma", "--inputs", "finite"];
    let input = ["--input", "a=1e-200,x=-1e-200,y=0"];
    let run = analysis(&bench, &[&words[..], &input].concat());
    let found = run.finding("another sign", |finding| finding["difference"]["change"] == "sign");
    assert_eq!(found["called_at"][0]["line"], 3, "{found:#}");
    let sarif = cargo(&bench, &[&words[..], &input, &["--format", "sarif"]].concat()).json();
    for result in sarif["runs"][0]["results"].as_array().into_iter().flatten() {
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["region"]["startLine"], 3, "{result:#}");
    }
}

/// The remainder of floats is a call of the compiler's runtime, whose places are told as those of Rust's library.
#[test]
fn what_a_remainder_raises_is_at_its_line() {
    let source = "pub fn percent(a: f64, b: f64) -> f64 {\n    let c = a + 1.0;\n    c % b\n}\n\
                  pub fn rem(a: f64, b: f64) -> f64 {\n    a.rem_euclid(b)\n}\n";
    let bench = small("", source);
    for (function, line) in [("small::percent", 3), ("small::rem", 6)] {
        let run = analysis(&bench, &["exceptions", function, "--input", "a=3,b=0"]);
        let found = run.finding("an invalid operation", |finding| raises(finding, "baseline", "invalid"));
        assert_eq!(found["called_at"][0]["line"], line, "{found:#}");
    }
}

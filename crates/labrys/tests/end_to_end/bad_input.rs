//! Bad input is answered in one clear line (a compiler's own words apart), exit code 2 and nothing on stdout.

use crate::harness::Bench;

const PRODUCT: &str = "double product(double x, double y) { return x * y; }\n";
const PAIR: &str =
    "double product(double x, double y) { return x * y; }\ndouble quotient(double x, double y) { return x / y; }\n";

/// Runs labrys and expects exit code 2, an empty stdout and `words` in the first line of stderr.
fn refused(bench: &Bench, arguments: &[&str], words: &[&str]) {
    let run = bench.labrys(arguments);
    run.expect_code(2);
    if !run.stdout.is_empty() {
        run.fail("stdout is not empty");
    }
    let first = run.stderr.lines().next().unwrap_or_default().to_owned();
    if let Some(missing) = words.iter().find(|word| !first.contains(**word)) {
        run.fail(&format!("the first line lacks `{missing}`"));
    }
}

/// As [`refused`], and the line is the only one.
fn refused_in_one_line(bench: &Bench, arguments: &[&str], words: &[&str]) {
    refused(bench, arguments, words);
    let run = bench.labrys(arguments);
    if run.stderr.trim_end().lines().count() != 1 {
        run.fail("expected one line on stderr");
    }
}

#[test]
fn a_file_that_does_not_exist() {
    refused_in_one_line(&Bench::new(&[]), &["diff", "missing.c"], &["missing.c", "no such file"]);
}

#[test]
fn a_file_of_an_unknown_kind() {
    refused_in_one_line(&Bench::new(&[("f.txt", "hello")]), &["diff", "f.txt"], &["f.txt"]);
}

#[test]
fn a_source_that_does_not_compile() {
    let bench = Bench::new(&[("f.c", "double f(double x) { return x +; }\n")]);
    refused(&bench, &["diff", "f.c"], &["f.c", "clang"]);
    let run = bench.labrys(&["diff", "f.c"]);
    if !run.stderr.contains("expected expression") {
        run.fail("the compiler's own words are missing");
    }
}

#[test]
fn a_function_that_does_not_exist_suggests_near_names() {
    let bench = Bench::new(&[("f.c", PAIR)]);
    refused_in_one_line(&bench, &["diff", "f.c", "-f", "prodct"], &["prodct", "product"]);
}

#[test]
fn several_functions_and_no_choice() {
    refused_in_one_line(&Bench::new(&[("f.c", PAIR)]), &["diff", "f.c"], &["-f", "product", "quotient"]);
}

#[test]
fn a_parameter_that_cannot_be_driven() {
    let bench = Bench::new(&[("f.c", "double f(double x, double (*g)(double)) { return g(x); }\n")]);
    refused_in_one_line(&bench, &["diff", "f.c"], &["`g`"]);
}

#[test]
fn a_malformed_assumption() {
    let bench = Bench::new(&[("f.c", PRODUCT)]);
    refused_in_one_line(&bench, &["diff", "f.c", "--assume", "x >= "], &["x >= ", "column"]);
    refused_in_one_line(&bench, &["diff", "f.c", "--assume", "z > 1"], &["`z`", "x, y"]);
    refused_in_one_line(&bench, &["diff", "f.c", "--range", "x=1"], &["x=1", "LOW..HIGH"]);
}

#[test]
fn an_unknown_flag() {
    let bench = Bench::new(&[("f.c", PRODUCT)]);
    refused_in_one_line(&bench, &["diff", "f.c", "--asume", "x>1"], &["--asume", "--assume"]);
}

#[test]
fn a_compiler_that_is_not_there() {
    let bench = Bench::new(&[("f.c", PRODUCT)]);
    refused_in_one_line(&bench, &["diff", "f.c", "--variant", "nosuchcc -O3"], &["nosuchcc"]);
}

#[test]
fn an_output_folder_that_cannot_be_written() {
    let bench = Bench::new(&[("f.c", PRODUCT), ("out", "a file, not a folder")]);
    refused_in_one_line(&bench, &["diff", "f.c", "-o", "out"], &["out"]);
    refused_in_one_line(&bench, &["diff", "f.c", "-o", "/proc/labrys"], &["/proc/labrys"]);
}

#[test]
fn contradictory_or_missing_subjects() {
    let bench = Bench::new(&[("f.c", PRODUCT)]);
    refused_in_one_line(&bench, &["diff"], &["FILE"]);
    refused_in_one_line(&bench, &["diff", "f.c", "f.c", "f.c"], &["two"]);
    refused_in_one_line(&bench, &["diff", "--baseline-lib", "a.so", "--variant-lib", "b.so", "-f", "g"], &["a.so"]);
}

#[test]
fn an_unsatisfiable_assumption_leaves_no_input() {
    let bench = Bench::new(&[("f.c", PRODUCT)]);
    refused_in_one_line(&bench, &["diff", "f.c", "--assume", "x > 1 && x < 1"], &["no input"]);
}

#[test]
fn a_length_for_a_parameter_that_is_none() {
    let bench = Bench::new(&[("f.c", PRODUCT)]);
    refused_in_one_line(&bench, &["diff", "f.c", "--length", "z=8"], &["z"]);
}

#[test]
fn a_finding_that_is_none() {
    let bench = Bench::new(&[("x.json", "{\"schema\": \"other/9\"}"), ("y.json", "not json")]);
    refused_in_one_line(&bench, &["replay", "x.json"], &["x.json", "labrys-report/1"]);
    refused_in_one_line(&bench, &["replay", "y.json"], &["y.json"]);
    refused_in_one_line(&bench, &["replay", "z.json"], &["z.json"]);
}

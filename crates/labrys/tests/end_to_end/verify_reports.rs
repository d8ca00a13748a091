//! What reports of `labrys verify` say, and what the files that go with a finding do.

use std::fs;

use labrys_testcase::{Invariant, Witness, WitnessContent};
use serde_json::Value;

use crate::harness::{Bench, commands_of};

fn report(bench: &Bench, arguments: &[&str]) -> Value {
    bench.labrys(&[&["verify"], arguments, &["--format", "json"]].concat()).json()
}

/// That exp is taken as any function near the true one stood in no reason: "the input that was found does not lead there" sounded like a defect.
#[test]
fn reasons_name_the_functions_that_are_taken_as_any() {
    let text = "#include <math.h>\n#include <assert.h>\ndouble __VERIFIER_nondet_double(void);\nint main(void) {\n  double x = __VERIFIER_nondet_double();\n  \
                if (x > 710 && x < 1e308)\n    assert(isinf(exp(x)));\n  return 0;\n}\n";
    let bench = Bench::new(&[("e.c", text)]);
    let run = bench.labrys(&["verify", "e.c", "--time", "20s"]);
    run.expect_code(3);
    let words = "leads there with another libm than this machine's: exp is taken as any function within 4 floats of the correctly rounded one";
    assert!(run.stdout.split_whitespace().collect::<Vec<_>>().join(" ").contains(words), "{}", run.stdout);
}

/// Assumptions that exclude each other, or a bound that no path comes past, made a proof of nothing look like one.
#[test]
fn a_proof_of_nothing_says_so() {
    let contradiction = "\
#include <assert.h>
#include <verifier.h>
int main(void) {
  int x = __VERIFIER_nondet_int();
  __VERIFIER_assume(x > 10);
  __VERIFIER_assume(x < 5);
  assert(0);
}
";
    let klee = "\
#include <assert.h>
#include <klee/klee.h>
int main(void) {
  double x;
  klee_make_symbolic(&x, sizeof x, \"x\");
  klee_assume(x > 1 && x < 0.5);
  assert(x == 7);
  return 0;
}
";
    let looping = "\
#include <assert.h>
int __VERIFIER_nondet_int(void);
int main(void) {
  int steps = 0, twice = 0, k;
  do { k = __VERIFIER_nondet_int(); steps++; twice += 2; } while (k != 7 || steps < 6);
  assert(twice == steps + steps);
  return 0;
}
";
    let plain = "int __VERIFIER_nondet_int(void);\nint main(void) { return __VERIFIER_nondet_int() > 0; }\n";
    let bench = Bench::new(&[("c.c", contradiction), ("k.c", klee), ("loop.c", looping), ("p.c", plain)]);
    for (file, place) in [("c.c", "c.c:6"), ("k.c", "k.c:6")] {
        let run = bench.labrys(&["verify", file]);
        run.expect_code(0);
        for words in ["holds vacuously: no input satisfies the assumption at", place, "warning: nothing was checked"] {
            assert!(run.stdout.contains(words), "{words} is not in\n{}", run.stdout);
        }
        assert_eq!(report(&bench, &[file])["verdict"], "holds");
    }
    let run = bench.labrys(&["verify", "loop.c", "--loop-bound", "3"]);
    run.expect_code(3);
    let words = "holds vacuously within bounds: no input comes to the program's end within --loop-bound 3";
    assert!(run.stdout.contains(words), "{}", run.stdout);
    assert!(report(&bench, &["p.c"]).get("vacuous").is_none());
}

/// A program that never ends has no path to its end. What value ranges prove of it holds all the same, with an invariant in the witness; what they do not
/// is looked for on paths.
#[test]
fn a_program_without_an_end_is_proved_by_value_ranges() {
    let program = |limit: &str| {
        format!(
            "#include <assert.h>\n#include <verifier.h>\nint main(void) {{\n  double level = 0;\n  while (1) {{\n    double flow = __VERIFIER_nondet_double();\n    \
             if (!(flow >= -1 && flow <= 1)) flow = 0;\n    level = 0.5 * level + flow;\n    assert(level <= {limit});\n  }}\n}}\n"
        )
    };
    let bench = Bench::new(&[("holds.c", &program("2")), ("fails.c", &program("1.9"))]);
    let run = bench.labrys(&["verify", "holds.c", "--witness", "w.yml"]);
    run.expect_code(0);
    assert!(run.stdout.contains("holds on every path, by value ranges: no path had to be followed"), "{}", run.stdout);
    assert_eq!(report(&bench, &["holds.c"])["is_by_ranges"], true);
    let witness = fs::read_to_string(bench.path().join("w.yml")).expect("a witness");
    assert!(witness.contains("-0x1p+1 <= level && level <= 0x1p+1"), "{witness}");
    let run = bench.labrys(&["verify", "fails.c", "--time", "20s"]);
    run.expect_code(1);
    assert!(run.stdout.contains("fails.c:9"), "{}", run.stdout);
    // Tests are of paths.
    let source =
        "int __VERIFIER_nondet_int(void);\nint main(void) { if (__VERIFIER_nondet_int() > 0) return 1; return 0; }\n";
    let bench = Bench::new(&[("p.c", source)]);
    bench.labrys(&["verify", "p.c", "--tests", "tests"]).expect_code(0);
    assert!(bench.path().join("tests/test000002.ktest").exists());
}

/// Relations that ranges do not know, in loops that no path comes to the end of: by induction, and its twin is violated.
#[test]
fn a_loop_is_proved_by_induction() {
    let program = |step: &str| {
        format!(
            "#include <assert.h>\n#include <verifier.h>\nint main(void) {{\n  int n = __VERIFIER_nondet_int(), i = 0, j = n;\n  double done = 0;\n  \
             if (n < 0) return 0;\n  while (i < n) {{\n    i++;\n    j -= {step};\n    done += 1;\n    assert(i + j == n && done == i);\n  }}\n  assert(j == 0);\n}}\n"
        )
    };
    let bench = Bench::new(&[("holds.c", &program("1")), ("fails.c", &program("1 + (i == 3)"))]);
    let run = bench.labrys(&["verify", "holds.c", "--time", "60s"]);
    run.expect_code(0);
    assert!(run.stdout.contains("holds on every path, by induction over the loop at holds.c:7:3: "), "{}", run.stdout);
    let report = report(&bench, &["holds.c", "--time", "60s"]);
    assert_eq!(
        (&report["by_induction"][0]["line"], report["verdict"].as_str()),
        (&7.into(), Some("holds")),
        "{report}"
    );
    bench.labrys(&["verify", "fails.c", "--time", "30s"]).expect_code(1);
}

/// A function's own name, what an assertion says, and no word of the executor's.
#[test]
fn reasons_are_in_the_users_words() {
    let source = "\
#include <cassert>
namespace lib { struct Box { int side; }; int volume(const Box &box, double scale); }
extern \"C\" int __VERIFIER_nondet_int(void);
int main() {
  lib::Box box{__VERIFIER_nondet_int()};
  if (box.side > 3) return lib::volume(box, 2.5);
  return 0;
}
";
    let bench = Bench::new(&[("f.cpp", source)]);
    let reasons = report(&bench, &["f.cpp"])["reasons"].to_string();
    assert!(reasons.contains("lib::volume(") && !reasons.contains("_ZN"), "{reasons}");
}

/// An assumption about NaNs is noise where there are no floats.
#[test]
fn only_what_is_relied_on_is_assumed() {
    let integers = "int __VERIFIER_nondet_int(void);\nint main(void) { return __VERIFIER_nondet_int() / 3 > 7; }\n";
    let floats =
        "double __VERIFIER_nondet_double(void);\nint main(void) { return __VERIFIER_nondet_double() * 3 > 7; }\n";
    let arrays = "#include <stdlib.h>\nunsigned __VERIFIER_nondet_uint(void);\n\
        int main(void) { int *p = malloc(40); if (!p) return 1; p[__VERIFIER_nondet_uint() % 10] = 1; free(p); return 0; }\n";
    let bench = Bench::new(&[("i.c", integers), ("f.c", floats), ("a.c", arrays)]);
    let assumptions = |file: &str| report(&bench, &[file])["assumptions"].to_string();
    let of_integers = assumptions("i.c");
    for words in ["floating-point", "NaN", "fmin", "malloc", "objects lie apart", "whole objects"] {
        assert!(!of_integers.contains(words), "{words}: {of_integers}");
    }
    assert!(of_integers.contains("one thread") && assumptions("f.c").contains("of two NaN operands"));
    let of_arrays = assumptions("a.c");
    assert!(of_arrays.contains("malloc") && of_arrays.contains("whole objects") && !of_arrays.contains("NaN"));
}

/// The witness of 0.1f said 0.1, which no float equals, and none of a zero's sign or an infinity.
#[test]
fn a_witness_holds_floats_exactly() {
    let source = "\
#include <assert.h>
#include <math.h>
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);
int main(void) {
  float a = __VERIFIER_nondet_float();
  double b = __VERIFIER_nondet_double();
  float c = __VERIFIER_nondet_float();
  double d = __VERIFIER_nondet_double();
  if (a == 0.1f && b == 0 && signbit(b) && c == -INFINITY && isnan(d))
    assert(0);
  return 0;
}
";
    let bench = Bench::new(&[("f.c", source)]);
    bench.labrys(&["verify", "f.c", "--witness", "w.yml"]).expect_code(1);
    let text = fs::read_to_string(bench.path().join("w.yml")).expect("a witness");
    for constraint in ["0x1.99999ap-4", "1.0 / \\\\result < 0", "-1.0 / 0.0", "\\\\result != \\\\result"] {
        assert!(text.contains(constraint) || text.contains(&constraint.replace("\\\\", "\\")), "{constraint}: {text}");
    }
    let again = bench.labrys(&["verify", "f.c", "--replay", "w.yml", "--format", "json"]);
    again.expect_code(1);
    assert_eq!(again.json()["findings"][0]["line"], 11);
}

/// A program's text with the invariants of its witness checked wherever the condition of their loop is evaluated.
fn with_checks(text: &str, invariants: &[Invariant]) -> String {
    let lines: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut places: Vec<(usize, String)> = invariants
        .iter()
        .map(|Invariant { location, value, .. }| {
            let at = lines[location.line as usize - 1] + location.column.expect("a column") as usize - 1;
            let separator = if text[at..].starts_with("for") { ';' } else { '(' };
            (at + text[at..].find(separator).expect("a condition") + 1, format!("assert({value}), "))
        })
        .collect();
    places.sort();
    let mut checked = text.to_owned();
    places.into_iter().rev().for_each(|(at, check)| checked.insert_str(at, &check));
    checked
}

/// The invariants of a proof's witness hold where the format says: the program that checks them is proved, too, and with one that says a little more
/// it is not.
#[test]
fn invariants_of_a_witness_hold_at_their_loops() {
    let source = "\
#include <assert.h>
#include <verifier.h>
static float mean(const float *of, unsigned n) {
  float sum = 0;
  for (unsigned i = 0; i < n; i++) sum += of[i];
  return sum / n;
}
int main(void) {
  double x = __VERIFIER_nondet_double(), s = 0;
  float values[4];
  __VERIFIER_assume(x >= 1 && x <= 40);
  int n = __VERIFIER_nondet_int(), i = 7;
  if (n < 3 || n > 20) return 0;
  for (int i = 0; i < n; i += 2) {
    s += x / 16;
    if (s > 9) s = 9;
    int n = i;
    while (n > 1) n /= 2;
  }
  for (unsigned k = 0; k < 4; k++) values[k] = (float)x;
  assert(mean(values, 4) < 41 && s <= 9 && i == 7);
  return 0;
}
";
    let bench = Bench::new(&[("f.c", source)]);
    bench.labrys(&["verify", "f.c", "--witness", "w.yml"]).expect_code(0);
    let text = fs::read_to_string(bench.path().join("w.yml")).expect("a witness");
    let witness = Witness::from_yaml(&text).expect("a witness");
    let WitnessContent::Correctness(invariants) = witness.content else { panic!("not of a proof: {text}") };
    let lines: Vec<u32> = invariants.iter().map(|of| of.location.line).collect();
    assert_eq!(lines, [5, 14, 18, 20], "{text}");
    // The loop's own variables, and those that it hides not.
    assert!(["0 <= i && i <= 20", "0 <= i && i <= 21"].iter().any(|of| invariants[1].value.contains(of)), "{text}");
    assert!(!invariants[1].value.contains('7') && invariants[3].value.contains("7 <= i && i <= 7"), "{text}");
    fs::write(bench.path().join("checked.c"), with_checks(source, &invariants)).expect("a file");
    bench.labrys(&["verify", "checked.c"]).expect_code(0);
    let mut wrong = invariants;
    wrong[1].value = wrong[1].value.replace("s <= 0x1.2p+3", "s < 0x1.2p+3");
    fs::write(bench.path().join("wrong.c"), with_checks(source, &wrong)).expect("a file");
    bench.labrys(&["verify", "wrong.c"]).expect_code(1);
}

/// What runs before the program and after it may enter its loops, too; and what rounds otherwise has other sums.
#[test]
fn no_invariants_where_other_code_runs_or_rounds() {
    let f = "#include <fenv.h>\n#include <stdlib.h>\nvoid f(int n) { for (int i = 0; i < n; i++); }\nvoid all(void) { f(9); }\n";
    let bench = Bench::new(&[
        (
            "before.c",
            &format!(
                "{f}__attribute__((constructor)) void first(void) {{ all(); }} int main(void) {{ f(3); return 0; }}\n"
            ),
        ),
        ("after.c", &format!("{f}int main(void) {{ atexit(all); f(3); return 0; }}\n")),
        ("round.c", &format!("{f}int main(void) {{ fesetround(FE_UPWARD); f(3); return 0; }}\n")),
    ]);
    let cases = [("before.c", "run before the program"), ("after.c", "at its end"), ("round.c", "rounding mode")];
    for (file, why) in cases {
        let run = bench.labrys(&["verify", file, "--witness", "w.yml"]);
        run.expect_code(0);
        assert!(run.stdout.contains("the witness has no invariants") && run.stdout.contains(why), "{}", run.stdout);
        let text = fs::read_to_string(bench.path().join("w.yml")).expect("a witness");
        assert!(text.contains("content: []"), "{text}");
    }
}

/// Runs the commands in a finding's C file; what its run says.
fn reproduced(bench: &Bench, id: &str) -> String {
    let text = fs::read_to_string(bench.path().join(format!("out/{id}.c"))).expect("a C file");
    let script = commands_of(&text).join(" && ").replace("$(labrys ", &format!("$({} ", env!("CARGO_BIN_EXE_labrys")));
    let shown = bench.program("sh", &["-c", &format!("cd out && {script}")]);
    shown.stdout + &shown.stderr
}

/// C++'s main had another symbol, one without a return gave any exit code, and decisions by memory that was never written need another sanitizer.
#[test]
fn a_findings_c_file_builds_and_shows_it() {
    let cpp = "\
#include <vector>
extern \"C\" int __VERIFIER_nondet_int(void);
int main() {
  std::vector<int> v(3);
  int n = __VERIFIER_nondet_int();
  if (n > 70 && n < 80) v[0] = 10 / (n - 75);
}
";
    let uninitialised = "\
int __VERIFIER_nondet_int(void);
int main(void) {
  int x;
  if (__VERIFIER_nondet_int() == 9) x = 1;
  if (x == 1) return 3;
  return 0;
}
";
    let bench = Bench::new(&[("f.cpp", cpp), ("u.c", uninitialised)]);
    for (file, kind) in [("f.cpp", "division-by-zero"), ("u.c", "uninitialised")] {
        let run = bench.labrys(&["verify", file, "-o", "out", "--format", "json"]);
        run.expect_code(1);
        let finding = run.finding(kind, |finding| finding["kind"] == kind);
        let shown = reproduced(&bench, finding["id"].as_str().unwrap_or_default());
        assert!(shown.contains("as recorded") && !shown.contains("NOT"), "{file}: {shown}");
    }
}

/// The C file named an executable that nothing built and said neither what is wrong nor what its exit code means; an index within a struct, which no
/// sanitizer was asked about, hid the assertion that was found; the mended program stopped for want of inputs.
#[test]
fn a_findings_c_file_says_and_shows_what_was_found() {
    let source = "\
#include <assert.h>
#include <verifier.h>
struct { double ring[4], sum; int at; } mean;
int main(void) {
  for (int i = 0; i < 10; i++) {
    double x = __VERIFIER_nondet_double();
    __VERIFIER_assume(x >= 1 && x <= 10);
    mean.sum += x - mean.ring[mean.at];
    mean.ring[mean.at] = x;
    mean.at = (mean.at + 1) % 5;
    assert(mean.sum <= 40 + 1e-9);
  }
  return 0;
}
";
    let bench = Bench::new(&[("mean.c", source)]);
    let run = bench.labrys(&["verify", "mean.c", "-o", "out", "--format", "json", "--time", "60s"]);
    run.expect_code(1);
    let finding = run.finding("assertion", |finding| finding["kind"] == "assertion");
    assert_eq!(finding["inputs"][0]["variable"], "x", "{finding:#}");
    assert_eq!(finding["inputs"][0]["name"], "__VERIFIER_nondet_double#1", "{finding:#}");
    let id = finding["id"].as_str().unwrap_or_default();
    let text = fs::read_to_string(bench.path().join(format!("out/{id}.c"))).expect("a C file");
    let head = text.split("*/").next().unwrap_or_default();
    for part in [
        "/* the assertion `mean.sum <= 40 + 1e-9` fails at mean.c:11",
        "  x = 0x",
        "(__VERIFIER_nondet_double#1)",
        "The exit code is 0 where the program ends by an error",
        &format!("add_test(NAME {id} COMMAND {id} {id})"),
    ] {
        assert!(head.contains(part), "{part} is not in {head}");
    }
    let shown = reproduced(&bench, id);
    assert!(shown.contains("LABRYS end\tassertion\t11") && shown.contains(": as recorded"), "{shown}");
    assert!(!shown.contains("runtime error"), "{shown}");
    // Mended, it asks for more; zeros are not what it assumes, and nothing is wrong with that.
    fs::write(bench.path().join("mean.c"), source.replace("% 5", "% 4")).expect("a source");
    let shown = reproduced(&bench, id);
    assert!(shown.contains("NOT as recorded"), "{shown}");
    assert!(!shown.contains("inputs-exhausted") && !shown.contains("LABRYS end"), "{shown}");
}

/// That an assertion failed as far as an induction knew was told of loops of three rounds, where nobody had asked for one.
#[test]
fn notes_on_inductions_are_told_of_long_loops_and_claim_nothing() {
    let program = |rounds: &str| {
        format!(
            "#include <assert.h>\n#include <verifier.h>\nint main(void) {{\n  double s = 1, t = 1;\n  for (int i = 0; i < {rounds}; i++) {{\n    \
             double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double(), z = __VERIFIER_nondet_double();\n    \
             __VERIFIER_assume(x > 1 && x < 2 && y > 1 && y < 2 && z > 1 && z < 2);\n    double d = x / y * z - z * x / y;\n    \
             s += d * d;\n    if (x > y) t += s * 1e-30;\n    assert(d * d < 1e-29 && s < 2 && t < 2);\n  }}\n  return 0;\n}}\n"
        )
    };
    let bench = Bench::new(&[("short.c", &program("3")), ("long.c", &program("1000000000"))]);
    for (file, is_told) in [("short.c", false), ("long.c", true)] {
        let run = bench.labrys(&["verify", file, "--time", "12s"]);
        run.expect_code(3);
        assert!(!run.stdout.contains("as far as it knows"), "{}", run.stdout);
        let told = run.stdout.contains("no proof by induction over loops: what it has found to hold");
        assert!(is_told || !told, "{file}: {}", run.stdout);
    }
}

/// A function with pointers was refused: `v of at is no number`.
#[test]
fn an_entry_with_pointers_is_given_memory() {
    let source = "\
struct Pair { double low, high; };
int at(const int v[4], int n) {
  if (n < 0 || n > 4) return -1;
  return v[n];
}
double width(const struct Pair *p, int *error) {
  if (!p || !error) return 0;
  *error = p->high < p->low;
  return p->high - p->low;
}
static int sum(const unsigned char *bytes, unsigned count) {
  int all = 0;
  for (unsigned i = 0; i < count; i++) all += bytes[i];
  return 100 / (all + 1 - 256);
}
int call(void) { return sum(0, 0); }
";
    let bench = Bench::new(&[("f.c", source)]);
    let run = bench.labrys(&["verify", "f.c", "--entry", "at", "-o", "out", "--format", "json"]);
    run.expect_code(1);
    let finding = run.finding("v[4]", |finding| finding["kind"] == "out-of-bounds");
    assert_eq!(finding["line"], 4, "{finding:#}");
    let id = finding["id"].as_str().unwrap_or_default();
    let shown = reproduced(&bench, id);
    assert!(shown.contains("as recorded") && !shown.contains("NOT"), "{shown}");
    bench.labrys(&["replay", &format!("out/{id}.json")]).expect_code(1);
    bench.labrys(&["verify", "f.c", "--entry", "at", "--assume", "n != 4"]).expect_code(0);
    bench.labrys(&["verify", "f.c", "--entry", "width"]).expect_code(0);
    let arguments = ["verify", "f.c", "--entry", "sum", "--length", "bytes=count:2", "--format", "json"];
    let run = bench.labrys(&arguments);
    run.expect_code(1);
    let finding = run.finding("all is 255", |finding| finding["kind"] == "division-by-zero");
    assert_eq!(finding["line"], 14, "{finding:#}");
    let refused = bench.labrys(&["verify", "f.c", "--assume", "n > 2"]);
    refused.expect_code(2);
    assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
}

/// Memory had room for the greatest length, whatever the length was: an access between was neither told nor, in the native run, seen.
#[test]
fn memory_of_an_entry_ends_where_its_length_says() {
    let source = "\
double total(const double *x, int n) {
  double all = 0;
  for (int i = 0; i <= n; i++) all += x[i];
  return all;
}
void scale(float *y, const float *x, unsigned char n, float by) {
  for (int i = 0; i < n; i++) y[i] = by * x[i];
}
double value(const double *c, int degree) { return c[degree]; }
";
    let bench = Bench::new(&[("f.c", source)]);
    let run = bench.labrys(&["verify", "f.c", "--entry", "total", "--length", "x=n", "--format", "json"]);
    run.expect_code(1);
    let finding = run.finding("x[n]", |finding| finding["kind"] == "out-of-bounds");
    assert_eq!(finding["line"], 3, "{finding:#}");
    // What labrys calls it with is in a temporary file, which stacks named, and vacuous proofs.
    let stack = finding["stack"].as_array().cloned().unwrap_or_default();
    assert!(stack.len() == 1 && stack[0]["function"] == "total", "{stack:?}");
    assert!(!run.stdout.contains("labrys-calling"), "{}", run.stdout);
    let none = ["verify", "f.c", "--entry", "total", "--length", "x=n", "--assume", "n > 5 && n < 3"];
    let vacuous = bench.labrys(&none);
    vacuous.expect_code(0);
    let words = "holds vacuously: no input satisfies --assume \"n > 5 && n < 3\"";
    assert!(vacuous.stdout.contains(words) && !vacuous.stdout.contains("/tmp"), "{}", vacuous.stdout);
    for assumption in ["n == 0", "n == 3"] {
        let arguments = ["verify", "f.c", "--entry", "total", "--length", "x=n", "--assume", assumption];
        bench.labrys(&arguments).expect_code(1);
    }
    let scale = ["verify", "f.c", "--entry", "scale", "--length", "x=n", "--length", "y=n"];
    bench.labrys(&scale).expect_code(0);
    bench.labrys(&["verify", "f.c", "--entry", "value", "--length", "c=degree+1"]).expect_code(0);
    bench.labrys(&["verify", "f.c", "--entry", "value", "--length", "c=degree"]).expect_code(1);
}

/// KLEE's --sym-args: between so many arguments, each any text, and the native run has them on its command line.
#[test]
fn arguments_may_be_any_text() {
    let source = "\
#include <assert.h>
#include <string.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  assert(argv[argc] == 0);
  if (argc == 3 && strcmp(argv[1], \"-n\") == 0) {
    int n = atoi(argv[2]);
    return 10 / (n - 42);
  }
  for (int i = 1; i < argc; i++) assert(strlen(argv[i]) <= 2);
  return argc - 1;
}
";
    let bench = Bench::new(&[("f.c", source), ("g.c", &source.replace("n - 42", "n - 420"))]);
    let run = bench.labrys(&["verify", "f.c", "--sym-args", "0", "2", "2", "-o", "out", "--format", "json"]);
    run.expect_code(1);
    let finding = run.finding("-n 42", |finding| finding["kind"] == "division-by-zero");
    assert_eq!(finding["line"], 8, "{finding:#}");
    assert_eq!(finding["arguments"], serde_json::json!(["2d6e", "3432"]), "{finding:#}");
    let shown = reproduced(&bench, finding["id"].as_str().unwrap_or_default());
    assert!(shown.contains("as recorded") && !shown.contains("NOT"), "{shown}");
    // Two digits are no 420; at most two arguments are no three.
    let run = bench.labrys(&["verify", "g.c", "--sym-args", "0", "2", "2", "--format", "json"]);
    run.expect_code(0);
    assert!(run.json()["assumptions"].to_string().contains("0 to 2 arguments may be any"), "{}", run.stdout);
    let run = bench.labrys(&["verify", "g.c", "--sym-args", "3", "2", "1"]);
    run.expect_code(2);
    assert!(run.stderr.contains("MIN at most MAX"), "{}", run.stderr);
}

//! `labrys verify --stdin` and `labrys cover --stdin`: standard input that may be any text, and the native run that reads it from a pipe.

use std::fs;

use labrys_testcase::{Ktest, input_of_suite, read_test_xml};

use crate::harness::{Bench, commands_of};

const DIVIDES: &str = "\
#include <stdio.h>
#include <verifier.h>
int main(void) {
  int n, m = __VERIFIER_nondet_int();
  if (scanf(\"%d\", &n) != 1) return 2;
  int c = getchar();
  if (c == 'k' && m == 5) return 10 / (n - 42);
  return 0;
}
";

#[test]
fn an_error_hangs_on_what_is_read() {
    let bench = Bench::new(&[("f.c", DIVIDES)]);
    let run = bench.labrys(&["verify", "f.c", "--stdin", "3", "-o", "out", "--tests", "tests", "--format", "json"]);
    run.expect_code(1);
    let finding = run.finding("42k", |finding| finding["kind"] == "division-by-zero");
    assert_eq!(finding["line"], 7, "{finding:#}");
    assert_eq!(finding["objects"][0], serde_json::json!({"name": "stdin", "bytes": "34326b"}), "{finding:#}");
    let names: Vec<&str> =
        finding["inputs"].as_array().into_iter().flatten().filter_map(|of| of["name"].as_str()).collect();
    assert_eq!(names, ["stdin", "__VERIFIER_nondet_int"], "{finding:#}");
    let id = finding["id"].as_str().unwrap_or_default();
    // The finding, its input, and its C file run it again.
    bench.labrys(&["replay", &format!("out/{id}.json")]).expect_code(1);
    bench.labrys(&["verify", "f.c", "--replay", &format!("out/{id}.ktest")]).expect_code(1);
    let text = fs::read_to_string(bench.path().join(format!("out/{id}.c"))).expect("a C file");
    let script = commands_of(&text).join(" && ");
    let script = script.replace("$(labrys verify --print-include-dir)", "../tests/include");
    bench.labrys(&["verify", "f.c", "--stdin", "3", "--tests", "tests", "--test-format", "c"]).expect_code(1);
    let shown = bench.program("sh", &["-c", &format!("cd out && {script}")]);
    assert!(shown.stdout.contains("as recorded") && !shown.stdout.contains("NOT"), "{}{}", shown.stdout, shown.stderr);
    // Without anything to read there is no error, and two characters are too few.
    bench.labrys(&["verify", "f.c"]).expect_code(0);
    let run = bench.labrys(&["verify", "f.c", "--stdin", "2", "--format", "json"]);
    run.expect_code(0);
    assert!(run.json()["assumptions"].to_string().contains("standard input has at most 2 bytes"), "{}", run.stdout);
    bench.labrys(&["verify", "f.c", "--stdin", "100000"]).expect_code(2);
}

/// Any number of bytes up to the bound may be there; what KLEE's object says is read back.
#[test]
fn tests_carry_what_is_read() {
    let source = "\
#include <stdio.h>
#include <unistd.h>
int main(void) {
  char line[8];
  ssize_t n = read(0, line, 1);
  if (n == 0) return 0;
  if (line[0] != 'a') return 1;
  if (fgets(line, sizeof line, stdin) == NULL) return 2;
  if (line[0] == 'b') return 3;
  return 4;
}
";
    let bench = Bench::new(&[("f.c", source)]);
    bench.labrys(&["verify", "f.c", "--stdin", "4", "--tests", "k"]).expect_code(0);
    let mut read: Vec<Vec<u8>> = Vec::new();
    for file in fs::read_dir(bench.path().join("k")).expect("tests").flatten() {
        let bytes = fs::read(file.path()).expect("a file");
        let input = Ktest::from_bytes(&bytes).expect("a .ktest file").into_input();
        read.push(input.standard_input().expect("standard input").to_vec());
    }
    read.sort();
    assert_eq!(read[0], b"");
    assert!(read.iter().any(|bytes| bytes == b"a") && read.iter().any(|bytes| bytes.starts_with(b"ab")), "{read:?}");
    bench.labrys(&["verify", "f.c", "--stdin", "4", "--tests", "x", "--test-format", "test-comp"]).expect_code(0);
    let mut texts: Vec<Vec<u8>> = Vec::new();
    for file in fs::read_dir(bench.path().join("x")).expect("tests").flatten() {
        if file.file_name() == "metadata.xml" {
            continue;
        }
        let text = fs::read_to_string(file.path()).expect("a file");
        let input = input_of_suite(&read_test_xml(&text).expect("XML")).expect("inputs");
        texts.push(input.standard_input().unwrap_or_default().to_vec());
    }
    texts.sort();
    assert_eq!(texts, read);
    let run = bench.labrys(&[
        "cover",
        "f.c",
        "--stdin",
        "4",
        "--goal",
        "branches",
        "--tests",
        "c",
        "--test-format",
        "c",
        "--format",
        "json",
    ]);
    run.expect_code(0);
    let goals = &run.json()["coverage"]["goals"];
    let covered = goals.as_array().into_iter().flatten().filter(|goal| goal["status"] == "covered").count();
    assert_eq!(Some(covered), goals.as_array().map(Vec::len), "{goals:#}");
}

/// An index of a row, or of a struct's member, beyond its end: within the object, and an error where it is asked about.
#[test]
fn indices_stay_within_their_arrays() {
    let source = "\
#include <verifier.h>
struct S { int a[3]; int b; };
int m[2][3];
int main(void) {
  int i = __VERIFIER_nondet_int();
  if (i < 0 || i > LAST) return 0;
  struct S s = {{1, 2, 3}, 4};
  if (i < 4) m[1][0] = s.a[i];
  return m[0][i];
}
";
    let bench = Bench::new(&[("f.c", source)]);
    bench.labrys(&["verify", "f.c", "--", "-DLAST=5"]).expect_code(0);
    let run = bench.labrys(&["verify", "f.c", "--property", "bounds", "--format", "json", "--", "-DLAST=5"]);
    run.expect_code(1);
    let mut lines: Vec<u64> =
        run.json()["findings"].as_array().into_iter().flatten().filter_map(|of| of["line"].as_u64()).collect();
    lines.sort_unstable();
    assert_eq!(lines, [8, 9], "{}", run.stdout);
    bench.labrys(&["verify", "f.c", "--property", "bounds", "--", "-DLAST=2"]).expect_code(0);
}

/// A function's file was compiled without the headers that programs include.
#[test]
fn functions_of_files_with_inputs_are_covered() {
    let source = "\
#include <klee/klee.h>
int f(int x) { return x > 41 ? 1 : 0; }
int main(void) { int x; klee_make_symbolic(&x, sizeof x, \"x\"); return f(x); }
";
    let bench = Bench::new(&[("f.c", source)]);
    let run = bench.labrys(&["cover", "f.c", "-f", "f", "--goal", "branches", "--format", "json"]);
    run.expect_code(0);
}

/// Without a folder a finding has no file: the command that is printed runs the program on its input, and does nothing else.
#[test]
fn the_command_of_a_finding_runs_its_input() {
    let source = "#include <assert.h>\n#include <verifier.h>\nint main(void) {\n  double x = __VERIFIER_nondet_double();\n  int n = __VERIFIER_nondet_int();\n  \
                  assert(!(x == 1.5 && n == 7));\n  return 0;\n}\n";
    let bench = Bench::new(&[("f.c", source)]);
    let run = bench.labrys(&["verify", "f.c"]);
    run.expect_code(1);
    let input = "__VERIFIER_nondet_double=000000000000f83f,__VERIFIER_nondet_int=07000000";
    let given = format!("'--input={input}'");
    let line = run.stdout.lines().find(|line| line.trim_start().starts_with("replay: ")).unwrap_or_default();
    assert!(line.contains("labrys verify f.c") && line.contains(&given), "{line}");
    let again = bench.labrys(&["verify", "f.c", "--input", input]);
    again.expect_code(1);
    assert!(again.stdout.contains("f.c:6"), "{}", again.stdout);
    bench.labrys(&["verify", "f.c", "--input", &input.replace("07", "08")]).expect_code(3);
    for wrong in ["x", "x=1", "=00", "x=zz"] {
        let run = bench.labrys(&["verify", "f.c", "--input", wrong]);
        run.expect_code(2);
        assert!(run.stderr.lines().count() == 1 && run.stderr.contains("--input"), "{wrong}: {}", run.stderr);
    }
}

//! How `labrys verify` shows inputs, and what it says of where an error is and what is assumed.

use serde_json::Value;

use crate::harness::Bench;

const SHAPES: &str = "\
#include <assert.h>
#include <stdint.h>
#include <klee/klee.h>
struct pt { double x, y; };
struct mixed { float lo; uint8_t count[2][2]; struct pt at; union { double d; uint64_t u; } of; };
static struct pt tri[2];
int main(void) {
  struct mixed m;
  uint8_t b;
  char text[6];
  klee_make_symbolic(tri, sizeof tri, \"tri\");
  klee_make_symbolic(&m, sizeof m, \"m\");
  klee_make_symbolic(&b, sizeof b, \"b\");
  klee_make_symbolic(text, sizeof text, \"text\");
  klee_assume(tri[1].y == 1.5);
  klee_assume(m.lo == -2);
  klee_assume(m.count[1][0] == 200);
  klee_assume(m.at.y == 0.25);
  klee_assume(m.of.d == 4);
  klee_assume(b == 202);
  klee_assume(text[0] == '0' && text[1] == '-' && text[2] == '(' && text[3] == 0 && text[4] == 0 && text[5] == 0);
  assert(b != 202);
  return 0;
}
";

/// Structs were listed byte by byte or as one integer, `uint8_t` was signed, and a text was a list of numbers.
#[test]
fn inputs_are_shown_by_their_types_in_the_source() {
    let bench = Bench::new(&[("s.c", SHAPES)]);
    let run = bench.labrys(&["verify", "s.c", "--time", "30s"]);
    run.expect_code(1);
    let lines: Vec<String> =
        run.stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for line in [
        "tri[1].y = 1.5 0x1.8p+0 0x3ff8000000000000",
        "m.lo = -2 -0x1p+1 0xc0000000",
        "m.count[2] = 200 0xc8 0xc8",
        "m.at.y = 0.25 0x1p-2 0x3fd0000000000000",
        "m.of.d = 4 0x1p+2 0x4010000000000000",
        "b = 202 0xca 0xca",
        "text = \"0-(\"",
    ] {
        assert!(lines.iter().any(|of| of == line), "no {line}:\n{}", run.stdout);
    }
    let report = bench.labrys(&["verify", "s.c", "--time", "30s", "--format", "json"]).json();
    let inputs = report["findings"][0]["inputs"].as_array().cloned().unwrap_or_default();
    let named = |name: &str| inputs.iter().find(|of| of["name"] == name).cloned().unwrap_or_default();
    assert_eq!(named("tri")["type"], "pt[2]");
    assert_eq!(named("tri")["elements"][1]["elements"][1]["name"], "tri[1].y");
    assert_eq!(named("b")["type"], "uint8_t");
    assert_eq!(named("text")["type"], "char[6]");
}

const WRITES: &str = "\
#include <klee/klee.h>
struct m { double a[4]; };
static struct m stack[3];
int main(void) {
  int top;
  klee_make_symbolic(&top, sizeof top, \"top\");
  klee_assume(top >= 0 && top < 3);
  stack[top + 1] = stack[top];
  return 0;
}
";

/// A struct that is assigned to where nothing may be written was marked at what is read; the path of what was observed was absolute.
#[test]
fn a_write_stands_at_what_is_written() {
    let bench = Bench::new(&[("w.c", WRITES)]);
    let run = bench.labrys(&["verify", "w.c", "--time", "30s"]);
    run.expect_code(1);
    assert!(run.stdout.contains("--> w.c:8:3"), "{}", run.stdout);
    assert!(run.stdout.contains("main at w.c:8:3"), "{}", run.stdout);
    assert!(run.stdout.contains("bounds at w.c:8\n"), "{}", run.stdout);
}

/// Of a program that tests a class alone, what `fmin` and the NaNs of `fma` are was assumed, too.
#[test]
fn a_test_of_a_class_assumes_nothing_of_other_functions() {
    let text = "#include <assert.h>\n#include <math.h>\ndouble __VERIFIER_nondet_double(void);\nint main(void) {\n  double x = __VERIFIER_nondet_double();\n  \
                if (fabs(x) <= 8) assert(isfinite(2 * x + 1));\n  return 0;\n}\n";
    let min = text.replace("2 * x + 1", "fmin(x, 2)");
    let bench = Bench::new(&[("c.c", text), ("m.c", &min)]);
    let assumed = |file: &str| {
        let report = bench.labrys(&["verify", file, "--time", "30s", "--format", "json"]).json();
        assert_eq!(report["verdict"], "holds", "{report}");
        let all = report["assumptions"].as_array().cloned().unwrap_or_default();
        let all: Vec<String> = all.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        ["fmin and fmax", "fma, fmod"].map(|words| all.iter().any(|of| of.contains(words)))
    };
    assert_eq!(assumed("c.c"), [false, false]);
    assert_eq!(assumed("m.c"), [true, true]);
}

/// Members of a parameter's structs were those of what labrys calls the function with.
#[test]
fn parameters_have_the_names_of_their_members() {
    let text = "#include <assert.h>\nstruct pt { double x, y; };\nint f(struct pt p, const struct pt q[2]) {\n  if (q[1].x == 0.5 && p.y == 3) assert(0);\n  return 0;\n}\n";
    let bench = Bench::new(&[("p.c", text)]);
    let run = bench.labrys(&["verify", "p.c", "--entry", "f", "--time", "30s"]);
    run.expect_code(1);
    for words in ["p.y ", "q[1].x "] {
        assert!(run.stdout.contains(words), "{}", run.stdout);
    }
}

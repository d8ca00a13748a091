//! `labrys verify` as a user meets it, and its law: an error that no native run shows is no finding, whatever execution says.

use std::fs;
use std::path::Path;

use labrys_analysis::verify::{Engine, Property, Request, verify_with};
use labrys_analysis::{Done, Silent};
use labrys_executor::{CallSite, Options, Outcome, PathCounts, Unexplored, Violation, ViolationKind};
use labrys_program::{FunctionId, Origin, Program};
use labrys_report::ProgramVerdict;
use labrys_testcase::{InputObject, Ktest, TestInput};

use crate::harness::{Bench, commands_of};

/// An engine that says what a test wants it to.
struct Says<F>(F);

impl<F: Fn(&Program) -> Outcome> Engine for Says<F> {
    fn execute(&self, program: &Program, _options: &Options) -> Outcome {
        (self.0)(program)
    }
}

fn request(bench: &Bench, source: &str) -> Request {
    Request {
        command: vec!["labrys".to_owned(), "verify".to_owned(), source.to_owned()],
        origin: Origin::User,
        sources: vec![bench.path().join(source)],
        compiler: None,
        flags: Vec::new(),
        entry: "main".to_owned(),
        calling: None,
        arguments: Vec::new(),
        any_arguments: labrys_executor::AnyArguments::default(),
        standard_input: 0,
        properties: Property::DEFAULT.to_vec(),
        loop_bound: None,
        time: Some(std::time::Duration::from_secs(120)),
        memory_mib: 1024,
        max_paths: usize::MAX,
        seed: 0,
        run_time: std::time::Duration::from_secs(10),
        output: None,
        tests: None,
        witness: None,
        launcher: vec![env!("CARGO_BIN_EXE_labrys").into(), "__replay".into(), "open".into()],
    }
}

/// The activation at a line of a function.
fn site(program: &Program, function: &str, line: u32) -> CallSite {
    let id = program.function(function).unwrap_or(FunctionId(0));
    let blocks = &program.functions[id.index()].blocks;
    let locations = blocks.iter().flat_map(|block| block.instructions.iter().filter_map(|of| of.location));
    let location = locations.into_iter().find(|location| program.locations[location.index()].line == line);
    CallSite { function: id, location }
}

fn input(value: i32) -> TestInput {
    let object = InputObject { name: "__VERIFIER_nondet_int".to_owned(), bytes: value.to_le_bytes().to_vec() };
    TestInput { arguments: Vec::new(), objects: vec![object] }
}

const DIVIDES: &str = "\
int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = 10 / (x - 3);
  return y > 2;
}
";

fn found(kind: ViolationKind, line: u32, value: i32) -> impl Fn(&Program) -> Outcome {
    move |program| Outcome {
        violations: vec![Violation {
            kind: kind.clone(),
            stack: vec![site(program, "main", line)],
            input: input(value),
            decisions: Vec::new(),
        }],
        paths: PathCounts { violated: 1, completed: 1, ..PathCounts::default() },
        ..Outcome::default()
    }
}

fn run(bench: &Bench, says: impl Fn(&Program) -> Outcome) -> Done {
    verify_with(&request(bench, "f.c"), &Says(says), &Silent).expect("a report")
}

fn verdict(done: &Done) -> ProgramVerdict {
    done.report.verification.as_ref().map(|of| of.verdict).unwrap_or_default()
}

#[test]
fn only_what_a_native_run_shows_is_a_finding() {
    let bench = Bench::new(&[("f.c", DIVIDES)]);
    let done = run(&bench, found(ViolationKind::DivisionByZero, 4, 3));
    assert_eq!((verdict(&done), done.report.findings.len()), (ProgramVerdict::Violated, 1));
    assert_eq!(done.report.findings[0].inputs[0].decimal.as_deref(), Some("3"));
    // Another input, another line, another kind: the run shows none of them.
    for (kind, line, value) in [
        (ViolationKind::DivisionByZero, 4, 4),
        (ViolationKind::DivisionByZero, 3, 3),
        (ViolationKind::OutOfBounds { is_write: false, size: 4 }, 4, 3),
        (ViolationKind::Uninitialised, 4, 3),
    ] {
        let done = run(&bench, found(kind.clone(), line, value));
        let reasons = done.report.verification.as_ref().map(|of| of.reasons.clone()).unwrap_or_default();
        assert_eq!(
            (verdict(&done), done.report.findings.len()),
            (ProgramVerdict::Unknown, 0),
            "{kind:?} {line} {value}"
        );
        assert!(reasons.len() == 1 && reasons[0].contains("natively"), "{reasons:?}");
        assert_eq!(done.report.exit_code(), 3);
    }
    // More inputs than there are.
    let done = run(&bench, |program| {
        let mut outcome = found(ViolationKind::DivisionByZero, 4, 3)(program);
        outcome.violations[0].input.objects.clear();
        outcome
    });
    assert_eq!(verdict(&done), ProgramVerdict::Unknown);
}

#[test]
fn nothing_holds_that_was_not_followed() {
    let bench = Bench::new(&[("f.c", DIVIDES)]);
    let all = PathCounts { completed: 2, ..PathCounts::default() };
    let complete = Outcome { paths: all, ..Outcome::default() };
    let unexplored =
        |why: &str, is_bound| Unexplored { why: why.into(), stack: Vec::new(), is_bound, is_question: false };
    let cases = [
        (complete.clone(), ProgramVerdict::Holds, 0),
        (Outcome::default(), ProgramVerdict::Unknown, 3),
        (Outcome { unexplored: vec![unexplored("time", false)], ..complete.clone() }, ProgramVerdict::Unknown, 3),
        (
            Outcome { unexplored: vec![unexplored("loop bound", true)], ..complete.clone() },
            ProgramVerdict::HoldsWithinBounds,
            3,
        ),
        (
            Outcome { unexplored: vec![unexplored("loop bound", true), unexplored("time", false)], ..complete.clone() },
            ProgramVerdict::Unknown,
            3,
        ),
        (Outcome { paths: PathCounts { waiting: 1, ..all }, ..complete.clone() }, ProgramVerdict::Unknown, 3),
        (Outcome { paths: PathCounts { given_up: 1, ..all }, ..complete }, ProgramVerdict::Unknown, 3),
    ];
    for (outcome, expected, code) in cases {
        let done = run(&bench, |_| outcome.clone());
        assert_eq!((verdict(&done), done.report.exit_code()), (expected, code), "{outcome:?}");
    }
    // Signed overflow was not asked about, and nothing is known of what comes behind it.
    let done = run(&bench, found(ViolationKind::SignedOverflow, 4, 3));
    assert_eq!(verdict(&done), ProgramVerdict::Unknown);
    // A program that ends itself by an assertion goes no further: not asked about, it hides nothing.
    let mut request = request(&bench, "f.c");
    request.properties = vec![Property::SignedOverflow];
    let engine = Says(found(ViolationKind::Assertion("x".into()), 4, 3));
    assert_eq!(verdict(&verify_with(&request, &engine, &Silent).expect("a report")), ProgramVerdict::Holds);
}

/// The run shows the first of two assertions on a line, whichever of them was found.
#[test]
fn of_two_assertions_on_a_line_the_other_one_is_not_shown() {
    let source = "#include <assert.h>\nint __VERIFIER_nondet_int(void);\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  assert(x != 3); assert(x < 3);\n}\n";
    let bench = Bench::new(&[("f.c", source)]);
    for (text, expected) in [("x != 3", ProgramVerdict::Violated), ("x < 3", ProgramVerdict::Unknown)] {
        let done = run(&bench, found(ViolationKind::Assertion(text.into()), 5, 3));
        assert_eq!(verdict(&done), expected, "{text}");
    }
}

/// Divisors, widths and terms that were never written, or that a function which prints gave, prove nothing.
#[test]
fn checks_of_numbers_that_nobody_knows_are_made() {
    let head = "#include <stdio.h>\n#include <stdlib.h>\n";
    let program = |body: &str| format!("{head}int main(void) {{\n{body}\n}}\n");
    let texts = [
        ("divisor.c", program("int k; return 10 / (k - 4);"), 1),
        (
            "recycled.c",
            program(
                "int *p = malloc(8); p[1] = 4; free(p); int *q = malloc(8); int r = 10 / (q[1] - 4); free(q); return r;",
            ),
            1,
        ),
        ("printed.c", program("return 10 / (printf(\"abcd\") - 4);"), 3),
        ("shifted.c", program("return 1 << (10 * printf(\"abcd\"));"), 3),
        ("character.c", program("return 10 / (putchar(65) - 65);"), 3),
        ("added.c", program("int k = printf(\"abcd\"); return (k + 2147483644) != 0;"), 3),
        ("unused.c", program("int k = printf(\"abcd\"); if (k < 0) return 1; return puts(\"x\") < 0;"), 0),
    ];
    let files: Vec<(&str, &str)> = texts.iter().map(|(name, text, _)| (*name, text.as_str())).collect();
    let bench = Bench::new(&files);
    for (name, _, code) in &texts {
        let properties = if *name == "added.c" { "no-overflow" } else { "assertions,memory,division,shift" };
        bench.labrys(&["verify", name, "--property", properties]).expect_code(*code);
    }
}

#[test]
fn programs_that_cannot_be_executed_are_one_line() {
    let bench = Bench::new(&[
        ("nomain.c", "int f(int x) { return x; }\n"),
        ("environment.c", "int main(int c, char **v, char **e) { return e != 0; }\n"),
        ("header.c", "#include <no/such/header.h>\nint main(void) { return 0; }\n"),
        ("target.ll", "target triple = \"armv7-unknown-linux-gnueabihf\"\ndefine i32 @main() { ret i32 0 }\n"),
        ("apart.ll", "target triple = \"riscv64-unknown-linux-gnu\"\ndefine i32 @main() { ret i32 0 }\n"),
        ("f.rs", "fn main() {}\n"),
        ("twice.c", "int f(int x) { return -x; }\nint main(void) { return f(0); }\n"),
        ("good.c", "int main(void) { return 0; }\n"),
        ("floor.c", "#include <stdlib.h>\nint main(void) { return atoi(\"0\"); }\n"),
        ("bad.ktest", "KTEST"),
    ]);
    let cases: [(&[&str], &str); 12] = [
        (&["nomain.c"], "no function `main` is defined in nomain.c; --entry names"),
        (&["good.c", "--entry", "mian"], "did you mean `main`?"),
        (&["environment.c"], "`main` has 3 parameters"),
        (&["target.ll"], "target"),
        (&["apart.ll"], "riscv64-unknown-linux-gnu"),
        (&["f.rs", "f.rs"], "a program is one Rust source"),
        (&["nomain.c", "twice.c"], "twice.c cannot be linked"),
        (&["missing.c"], "missing.c: no such file"),
        (&["good.c", "--property", "termination"], "termination is not supported"),
        (&["good.c", "--property", "speed"], "`speed` is no property"),
        (&["good.c", "--replay", "bad.ktest"], "ends within the version"),
        (
            &["floor.c", "--", "-fshort-wchar"],
            "libc.bc cannot be linked: wchar_t has another size in one of them (-fshort-wchar)",
        ),
    ];
    for (arguments, words) in cases {
        let run = bench.labrys(&[&["verify"], arguments].concat());
        run.expect_code(2);
        if !run.stderr.contains(words) || run.stderr.lines().count() != 1 || !run.stdout.is_empty() {
            run.fail(&format!("one line with: {words}"));
        }
    }
    let run = bench.labrys(&["verify", "header.c"]);
    run.expect_code(2);
    assert!(run.stderr.contains("no/such/header.h"), "{}", run.stderr);
}

#[test]
fn a_finding_has_files_that_show_it_again() {
    let bench = Bench::new(&[("f.c", DIVIDES)]);
    let run = bench.labrys(&["verify", "f.c", "-o", "out", "--witness", "w.yml", "--format", "json"]);
    run.expect_code(1);
    let report = run.json();
    assert_eq!(report["verdict"], "violated", "{report:#}");
    let finding = &report["findings"][0];
    for (member, expected) in [("kind", "division-by-zero"), ("file", "f.c")] {
        assert_eq!(finding[member], expected, "{finding:#}");
    }
    assert_eq!((finding["line"].as_u64(), finding["replayed"].as_bool()), (Some(4), Some(true)), "{finding:#}");
    assert_eq!(finding["stack"][0]["function"], "main");
    assert_eq!(finding["inputs"][0]["decimal"], "3");
    let id = finding["id"].as_str().unwrap_or_default();
    let again = bench.labrys(&["replay", &format!("out/{id}.json")]);
    again.expect_code(1);
    let ktest = fs::read(bench.path().join(format!("out/{id}.ktest"))).expect("a file");
    assert_eq!(Ktest::from_bytes(&ktest).expect("a .ktest file").into_input(), input(3));
    for file in [format!("out/{id}.ktest"), "w.yml".to_owned()] {
        let given = bench.labrys(&["verify", "f.c", "--replay", &file, "--format", "json"]);
        given.expect_code(1);
        assert_eq!(given.json()["findings"][0]["line"], 4, "{}", given.stdout);
    }
    // The C file's own commands, with labrys' headers in the test's folder.
    let text = fs::read_to_string(bench.path().join(format!("out/{id}.c"))).expect("a file");
    let script: Vec<String> = commands_of(&text);
    let script = script.join(" && ").replace("$(labrys verify --print-include-dir)", ".");
    let shown = bench.program("sh", &["-c", &format!("cd out && {script}")]);
    assert!(shown.stdout.contains("as recorded") && !shown.stdout.contains("NOT"), "{}{}", shown.stdout, shown.stderr);
    let text = bench.labrys(&["verify", "f.c"]);
    text.expect_code(1);
    for words in [
        "error: violated",
        "divided by zero",
        "--> f.c:4",
        "x = 3  0x3  0x00000003  (__VERIFIER_nondet_int)",
        "violated: 1 error",
    ] {
        let words = words.trim_start_matches("error: ");
        assert!(text.stdout.contains(words), "{words} is not in\n{}", text.stdout);
    }
    fs::write(bench.path().join("f.c"), DIVIDES.replace("x - 3", "x == 3 ? 1 : 2")).expect("a file");
    bench.labrys(&["replay", &format!("out/{id}.json")]).expect_code(0);
}

/// A program of each family of the C library's functions, and its wrong twin with the line of its error.
const LIBRARY_TWINS: [(&str, &str, &str, u64); 5] = [
    (
        "char t[3]; char *e; klee_make_symbolic(t, 3, \"t\"); t[2] = 0;\n long v = strtol(t, &e, 10);\n assert(v >= -9 && v <= 99 && e <= t + 2);",
        "t[2] = 0;",
        "",
        7,
    ),
    (
        "int v[3]; klee_make_symbolic(v, sizeof v, \"v\");\n qsort(v, 3, sizeof *v, compare);\n assert(v[0] <= v[1] && v[1] <= v[2]);",
        "compare",
        "subtract",
        8,
    ),
    (
        "int x = klee_range(0, 1000, \"x\"); char t[5];\n sprintf(t, \"%d\", x);\n assert(atoi(t) == x);",
        "char t[5]",
        "char t[3]",
        7,
    ),
    (
        "char t[3]; int x = 5; klee_make_symbolic(t, 3, \"t\"); t[2] = 0;\n if (sscanf(t, \"%d\", &x) == 1)\n assert(x <= 99 && x >= -9);",
        "x <= 99",
        "x <= 98",
        8,
    ),
    (
        "char t[] = \"a=1,b=2\"; int sum = 0;\n for (char *p = strtok(t, \",\"); p; p = strtok(NULL, \",\")) sum += atoi(strchr(p, '=') + 1);\n assert(sum == 3);",
        "b=2",
        "b=3",
        8,
    ),
];

#[test]
fn c_library_functions_are_executed() {
    for (body, right, wrong, line) in LIBRARY_TWINS {
        let text = |body: &str| {
            format!(
                "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <klee/klee.h>\n\
                 static int compare(const void *a, const void *b) {{ int x = *(int *)a, y = *(int *)b; return (x > y) - (x < y); }} \
                 static int subtract(const void *a, const void *b) {{ return *(int *)a - *(int *)b; }} int main(void) {{ {body} }}\n"
            )
        };
        let bench = Bench::new(&[("right.c", &text(body)), ("wrong.c", &text(&body.replace(right, wrong)))]);
        bench.labrys(&["verify", "right.c"]).expect_code(0);
        let run = bench.labrys(&["verify", "wrong.c", "--format", "json"]);
        run.expect_code(1);
        // What goes wrong in the library is at the program's call.
        assert_eq!(run.json()["findings"][0]["line"].as_u64(), Some(line), "{body}\n{}", run.stdout);
    }
}

/// Without the library the reason says how to get it.
#[test]
fn without_the_c_library_its_functions_are_unknown() {
    let bench = Bench::new(&[("f.c", "#include <stdlib.h>\nint main(void) { return atoi(\"1\") != 1; }\n")]);
    let without = bench.path().join("labrys");
    fs::copy(env!("CARGO_BIN_EXE_labrys"), &without).expect("a copy of the binary");
    let run = bench.program(&without.display().to_string(), &["verify", "f.c"]);
    for words in ["call of atoi, which is neither defined nor modelled", "make setup"] {
        assert!(run.stdout.contains(words), "{words} is not in\n{}{}", run.stdout, run.stderr);
    }
}

#[test]
fn what_holds_has_its_assumptions_and_tests() {
    let source = "#include <assert.h>\n#include <verifier.h>\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n\
        __VERIFIER_assume(x > 0 && x < 10);\n  assert(10 / x > 0);\n  return x > 5 ? 3 : 4;\n}\n";
    let bench = Bench::new(&[("f.c", source)]);
    let run = bench.labrys(&["verify", "f.c", "--tests", "t", "--format", "json"]);
    run.expect_code(0);
    let report = run.json();
    assert_eq!(report["verdict"], "holds", "{report:#}");
    assert!(report["assumptions"].as_array().is_some_and(|list| !list.is_empty()), "{report:#}");
    let count = |folder: &str, suffix: &str| {
        let files = fs::read_dir(bench.path().join(folder)).map(|list| list.flatten().collect::<Vec<_>>());
        files
            .unwrap_or_default()
            .iter()
            .filter(|file| Path::new(&file.file_name()).extension().is_some_and(|of| of == suffix))
            .count()
    };
    assert!(count("t", "ktest") >= 1, "{}", count("t", "ktest"));
    bench.labrys(&["verify", "f.c", "--tests", "x", "--test-format", "test-comp"]).expect_code(0);
    assert!(count("x", "xml") >= 2);
    bench.labrys(&["verify", "f.c", "--tests", "c", "--test-format", "c"]).expect_code(0);
    assert!(fs::read_to_string(bench.path().join("c/tests.c")).is_ok_and(|text| text.contains("labrys_bytes_0_0")));
}

/// A pointer to a variable of an inner block was good behind it: clang marks ends of blocks only where it is asked to. And in code that
/// reads the exceptions comparisons are other instructions of the IR, on which paths ended.
#[test]
fn blocks_end_lives_and_comparisons_raise() {
    let scope = "int main(void) {\n  int *p;\n  { int inner = 4; p = &inner; *p = 5; }\n  return *p != 5;\n}\n";
    let flags = "\
#include <assert.h>
#include <fenv.h>
double __VERIFIER_nondet_double(void);
#pragma STDC FENV_ACCESS ON
int main(void) {
  double x = __VERIFIER_nondet_double();
  feclearexcept(FE_ALL_EXCEPT);
  int less = x < 1.0;
  int invalid = fetestexcept(FE_INVALID) != 0;
  assert(invalid == (x != x));
  assert(!(invalid && less));
  return 0;
}
";
    // Start-up code that flags have linked flushes subnormal numbers.
    let subnormal = "#include <assert.h>\ndouble __VERIFIER_nondet_double(void);\n\
                     int main(void) { double x = __VERIFIER_nondet_double(); if (x > 0.0) assert(x * 1.0 != 0.0); return 0; }\n";
    let flushed = Bench::new(&[("subnormal.c", subnormal)]);
    flushed.labrys(&["verify", "subnormal.c"]).expect_code(0);
    for flag in ["-mdaz-ftz", "-fdenormal-fp-math=preserve-sign"] {
        let run = flushed.labrys(&["verify", "subnormal.c", "--", flag]);
        run.expect_code(3);
        assert!(run.stdout.contains("flushed to zero"), "{}", run.stdout);
    }
    // They are nothing to a program without floats.
    let integers = "#include <assert.h>\nint __VERIFIER_nondet_int(void);\n\
                    int main(void) { int n = __VERIFIER_nondet_int(); if (n > 3 && n < 10) assert(2 * n < 20); return 0; }\n";
    let integers = Bench::new(&[("integers.c", integers)]);
    for flag in ["-ffast-math", "-fdenormal-fp-math=preserve-sign"] {
        integers.labrys(&["verify", "integers.c", "--", flag]).expect_code(0);
    }
    // What sources say where AddressSanitizer is asked for is another program.
    let sanitized = |condition: &str| {
        format!(
            "#include <assert.h>\nint __VERIFIER_nondet_int(void);\n#ifndef __has_feature\n#define __has_feature(x) 0\n#endif\n\
             int main(void) {{\n  int n = __VERIFIER_nondet_int();\n#if {condition}\n  assert(n != 5);\n#endif\n  return 0;\n}}\n"
        )
    };
    let (within, without) =
        (sanitized("__has_feature(address_sanitizer)"), sanitized("!__has_feature(address_sanitizer)"));
    let bench = Bench::new(&[("scope.c", scope), ("flags.c", flags), ("within.c", &within), ("without.c", &without)]);
    bench.labrys(&["verify", "within.c"]).expect_code(0);
    // The input that ends the program as it is built does not end it where a sanitizer could show it.
    bench.labrys(&["verify", "without.c"]).expect_code(3);
    let run = bench.labrys(&["verify", "scope.c", "--time", "120s", "--format", "json"]);
    run.expect_code(1);
    let finding = run.finding("the use of inner", |finding| finding["kind"] == "use-after-return");
    assert_eq!(finding["line"], 4, "{finding:#}");
    bench.labrys(&["verify", "flags.c", "--time", "120s"]).expect_code(0);
}

/// Functions of libm of inputs, calls of the null pointer, leaks to which something stale on the stack pointed, bytes that were never
/// written: each is shown by a native run, and what holds of any libm is proved, with the assumption in the report.
#[test]
fn what_was_not_followed_up_is() {
    let head = "#include <assert.h>\n#include <math.h>\n#include <stdlib.h>\n#include <verifier.h>\n";
    let proved = "int main(void) { double x = __VERIFIER_nondet_double(); __VERIFIER_assume(fabs(x) <= 3.0);\n  assert(exp(x) > 0.049 && exp(x) < 20.1); return 0; }\n";
    let seeded = "int main(void) { double x = __VERIFIER_nondet_double(); __VERIFIER_assume(fabs(x) <= 3.0);\n  assert(exp(x) < 20.0); return 0; }\n";
    let null = "int main(void) { int (*f)(int) = __VERIFIER_nondet_int() == 7 ? NULL : abs;\n  return f(1) == 2; }\n";
    let leak = "static int work(int n) { int *a = malloc(16); if (!a) return 0; *a = n; if (*a < 0) return -1; free(a); return 0; }\n\
        int main(void) { work(__VERIFIER_nondet_int()); return 0; }\n";
    let texts = [proved, seeded, null, leak].map(|text| format!("{head}{text}"));
    let bench =
        Bench::new(&[("proved.c", &texts[0]), ("seeded.c", &texts[1]), ("null.c", &texts[2]), ("leak.c", &texts[3])]);
    let run = bench.labrys(&["verify", "proved.c", "--time", "120s", "--format", "json"]);
    run.expect_code(0);
    let assumptions = run.json()["assumptions"].to_string();
    assert!(assumptions.contains("within 4 floats"), "{assumptions}");
    for (file, kind, line) in
        [("seeded.c", "assertion", Some(6)), ("null.c", "null", Some(6)), ("leak.c", "leak", None)]
    {
        let property = "assertions,memory,leaks";
        let run =
            bench.labrys(&["verify", file, "--time", "120s", "--property", property, "--format", "json", "--", "-lm"]);
        run.expect_code(1);
        let finding = run.finding(file, |finding| finding["kind"] == kind);
        assert!(line.is_none_or(|line| finding["line"] == line), "{finding:#}");
        assert_eq!(finding["replayed"], true);
    }
}

/// clang's `__LINE__` of an assertion over several lines is not the line that debug information has, and no such error was ever confirmed.
#[test]
fn an_assertion_may_have_several_lines() {
    let text = "#include <verifier.h>\n#include <assert.h>\nint main(void) {\n  int n = __VERIFIER_nondet_int();\n  \
                assert(n != 5 &&\n         n != 7 &&\n         n != 9);\n  return 0;\n}\n";
    let bench = Bench::new(&[("f.c", text)]);
    bench.labrys(&["verify", "f.c", "--time", "20s"]).expect_code(1);
}

/// The way to the error parts from the others in the first round, and waited behind those of all later rounds.
#[test]
fn a_loop_that_never_ends_does_not_keep_its_first_rounds_waiting() {
    let text = "#include <verifier.h>\n#include <assert.h>\nstatic int f(int n) {\n  int s = 0;\n  for (int i = 0; i < n; i++)\n    \
                for (int j = 0; j < n; j++) {\n      if (i == j) continue;\n      s += 2;\n    }\n  return s;\n}\n\
                int main(void) {\n  for (;;) {\n    int k = __VERIFIER_nondet_int();\n    assert(f(k & 3) < 12);\n  }\n}\n";
    let bench = Bench::new(&[("f.c", text)]);
    bench.labrys(&["verify", "f.c", "--time", "20s"]).expect_code(1);
}

/// clang executes what gcc compiles: where gcc is known to do otherwise nothing holds.
#[test]
fn nothing_holds_where_gcc_is_known_to_compute_something_else() {
    let text = "#include <verifier.h>\n#include <assert.h>\nint main(void) {\n  double x = __VERIFIER_nondet_double();\n  \
                if (!(x >= 1 && x <= 2)) return 0;\n  volatile double y = x, z = x;\n  volatile double p = y * z;\n  double m = x * x;\n  \
                assert(m - p == 0);\n  return 0;\n}\n";
    let bench = Bench::new(&[("f.c", text)]);
    let verify = |flags: &[&str]| {
        bench.labrys(&[&["verify", "f.c", "--time", "20s", "--compiler", "gcc", "--"], flags].concat())
    };
    verify(&["-O2"]).expect_code(0);
    verify(&["-O2", "-mfma", "-ffp-contract=off"]).expect_code(0);
    let fused = verify(&["-O2", "-mfma"]);
    fused.expect_code(3);
    assert!(fused.stdout.contains("gcc may make one operation of a product and a sum"), "{}", fused.stdout);
}

/// A path without an end kept the others waiting: each has its turn.
#[test]
fn paths_without_an_end_do_not_keep_others_waiting() {
    let source = "#include <assert.h>\nint __VERIFIER_nondet_int(void);\nvoid __VERIFIER_assume(int);\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  \
                  if (x > 5)\n    __VERIFIER_assume(x < 10);\n  while (1)\n    assert(x != 9);\n}\n";
    let bench = Bench::new(&[("f.c", source)]);
    let run = bench.labrys(&["verify", "f.c", "--time", "30s", "--format", "json"]);
    run.expect_code(1);
}

/// What glibc's functions do is not what clang's instructions do with signaling NaNs, and what an optimiser knows nobody else does.
#[test]
fn functions_and_optimisers_are_no_instructions() {
    let head = "#include <assert.h>\n#include <math.h>\ndouble __VERIFIER_nondet_double(void);\n";
    let maximum = format!(
        "{head}int main(void) {{\n  double x = __VERIFIER_nondet_double(), y = fmax(x, 3.0);\n  assert(y >= 3.0);\n}}\n"
    );
    let constant = format!(
        "{head}static int f(int x) {{ return __builtin_constant_p(x); }}\nint main(void) {{ assert(!f(7)); }}\n"
    );
    let bench = Bench::new(&[("f.c", maximum.as_str()), ("g.c", constant.as_str())]);
    bench.labrys(&["verify", "f.c", "--time", "30s"]).expect_code(0);
    bench.labrys(&["verify", "f.c", "--time", "30s", "--", "-fno-builtin"]).expect_code(1);
    bench.labrys(&["verify", "f.c", "--time", "30s", "--compiler", "gcc"]).expect_code(1);
    bench.labrys(&["verify", "g.c", "--time", "30s", "--", "-O1"]).expect_code(3);
}

/// Paths that wait in endless loops are more than are ever followed; what another thread finds is a finding as any other, and ends the run.
#[test]
fn what_goes_wrong_after_many_rounds_is_found() {
    let source = "#include <assert.h>\nint __VERIFIER_nondet_int(void);\nint main(void) {\n  int t[8], n = 0, head = 0;\n  while (1) {\n    int k = __VERIFIER_nondet_int();\n    \
                  if (k == 1) {\n      if (n <= 8) { t[(head + n) % 8] = k; n++; }\n    } else if (k == 2) {\n      if (n > 0) { head = (head + 1) % 8; n--; }\n    }\n    \
                  assert(n <= 8);\n  }\n}\n";
    let bench = Bench::new(&[("f.c", source)]);
    let run = bench.labrys(&["verify", "f.c", "--time", "60s", "--format", "json"]);
    run.expect_code(1);
    let finding = run.finding("the assertion", |finding| finding["severity"] == "violated");
    assert_eq!(finding["line"], 12, "{finding:#}");
    assert!(run.json()["timing"]["wall_s"].as_f64().is_some_and(|seconds| seconds < 50.0), "an error ends the run");
}

/// Code generation calls the program's own `memset`, or does without: the one was called impossible, the other an error.
#[test]
fn own_functions_that_fill_memory_are_not_taken_for_the_librarys() {
    let head = "#include <assert.h>\n#include <string.h>\nstatic int calls;\nvoid *memset(void *to, int byte, unsigned long size) {\n  calls++;\n  \
                for (unsigned long i = 0; i < size; i++) ((volatile char *)to)[i] = byte;\n  return to;\n}\n";
    let program = |asserted: &str| {
        format!(
            "{head}int main(void) {{\n  char b[64];\n  memset(b, 1, 64);\n  assert({asserted});\n  return b[0] != 1;\n}}\n"
        )
    };
    let bench = Bench::new(&[("f.c", &program("calls == 0")), ("g.c", &program("calls == 1"))]);
    for file in ["f.c", "g.c"] {
        let run = bench.labrys(&["verify", file, "--time", "20s"]);
        run.expect_code(3);
        assert!(run.stdout.contains("where the program defines memset"), "{}", run.stdout);
        bench.labrys(&["verify", file, "--time", "20s", "--compiler", "gcc"]).expect_code(3);
    }
    // Then it is called.
    bench.labrys(&["verify", "g.c", "--time", "20s", "--", "-ffreestanding"]).expect_code(0);
}

/// libstdc++ asks what is constant: unoptimised nothing is.
#[test]
fn a_search_in_a_vector_is_followed() {
    let source = |bound: &str| {
        format!(
            "#include <algorithm>\n#include <cassert>\n#include <vector>\nextern \"C\" double __VERIFIER_nondet_double(void);\nint main() {{\n  \
             std::vector<double> v{{1, 2, 4, 8}};\n  double x = __VERIFIER_nondet_double();\n  if (!(x >= 1 && x <= {bound})) return 0;\n  \
             auto it = std::lower_bound(v.begin(), v.end(), x);\n  assert(it != v.end());\n  assert(*it >= x);\n}}\n"
        )
    };
    let bench = Bench::new(&[("f.cpp", &source("8")), ("g.cpp", &source("9"))]);
    bench.labrys(&["verify", "f.cpp", "--time", "30s"]).expect_code(0);
    bench.labrys(&["verify", "g.cpp", "--time", "30s"]).expect_code(1);
}

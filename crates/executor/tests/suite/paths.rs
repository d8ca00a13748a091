//! Paths and inputs.

use labrys_executor::{Options, ViolationKind};

use crate::support::{compile, holds, options, run, run_with, violates};

#[test]
fn a_program_without_inputs_has_one_path() {
    let outcome =
        holds("int main(void) { int s = 0; for (int i = 0; i < 100; i++) s += i; assert(s == 4950); return 0; }", 1);
    assert_eq!(outcome.tests.len(), 1);
    assert!(outcome.tests.get(0).is_some_and(|test| test.objects.is_empty()));
}

#[test]
fn branches_on_inputs_part_paths_and_each_has_a_test() {
    let text =
        "int main(void) { int x = __VERIFIER_nondet_int(); if (x > 7) return 1; if (x == 3) return 2; return 0; }";
    let outcome = run_with(text, &Options { merges: false, ..options() });
    assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty() && outcome.paths.completed == 3);
    let values: Vec<i32> = outcome
        .tests
        .iter()
        .map(|test| {
            assert_eq!(test.objects[0].name, "__VERIFIER_nondet_int");
            i32::from_le_bytes(test.objects[0].bytes.clone().try_into().unwrap())
        })
        .collect();
    assert!(values.iter().any(|x| *x > 7) && values.contains(&3), "{values:?}");
    assert!(values.iter().any(|x| *x <= 7 && *x != 3), "{values:?}");
}

#[test]
fn assertions_fail_with_an_input_that_makes_them() {
    let text =
        "int main(void) { unsigned x; klee_make_symbolic(&x, sizeof x, \"x\"); assert(x * 3u != 123u); return 0; }";
    let violation = violates(text, ViolationKind::Assertion("x * 3u != 123u".into()));
    let object = &violation.input.objects[0];
    let x = u32::from_le_bytes(object.bytes.clone().try_into().unwrap());
    assert_eq!((object.name.as_str(), x.wrapping_mul(3)), ("x", 123));
    assert_eq!(violation.stack.len(), 1);
}

#[test]
fn assumptions_exclude_inputs() {
    holds(
        "int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 0 && x < 1000); assert(x * x >= x); return 0; }",
        1,
    );
    holds("int main(void) { int x = klee_range(3, 9, \"x\"); assert(x >= 3 && x < 9); return 0; }", 1);
    let text = "int main(void) { int x = __VERIFIER_nondet_int(); klee_assume(x > 0); assert(x != 77); return 0; }";
    violates(text, ViolationKind::Assertion("x != 77".into()));
}

/// A hash that nobody can take apart, of a byte that is one of three.
#[test]
fn few_inputs_are_tried_all() {
    let hash = |mode: u32| {
        (0..300).fold(mode, |hash, step| (hash ^ (hash >> 15)).wrapping_mul(2_654_435_761).wrapping_add(step))
    };
    let text = |wanted: [u32; 3]| {
        let [a, b, c] = wanted;
        format!(
            "int main(void) {{ unsigned char m = __VERIFIER_nondet_uchar(); __VERIFIER_assume(m == 1 || m == 7 || m == 200);\n\
             unsigned h = m; for (unsigned i = 0; i < 300; i++) h = (h ^ h >> 15) * 2654435761u + i;\n\
             assert(h == {a}u || h == {b}u || h == {c}u); return 0; }}"
        )
    };
    let wanted = [1, 7, 200].map(hash);
    let outcome = run(&text(wanted));
    assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{:?}", outcome.unexplored);
    let outcome = run(&text([wanted[0], wanted[1] + 1, wanted[2]]));
    assert_eq!(outcome.violations.len(), 1);
    assert_eq!(outcome.violations[0].input.objects[0].bytes, [7]);
}

#[test]
fn errors_aborts_and_exits_end_paths() {
    let text = "int main(void) { if (__VERIFIER_nondet_bool()) reach_error(); return 0; }";
    violates(text, ViolationKind::ErrorReached("reach_error".into()));
    violates("int main(void) { if (__VERIFIER_nondet_char() == 'q') abort(); return 0; }", ViolationKind::Abort);
    violates(
        "int main(void) { if (__VERIFIER_nondet_char() == 'q') __builtin_trap(); return 0; }",
        ViolationKind::Abort,
    );
    let text = "int main(void) { if (__VERIFIER_nondet_char() == 'q') __builtin_unreachable(); return 0; }";
    violates(text, ViolationKind::Unreachable);
    holds("int main(void) { if (__VERIFIER_nondet_char() == 'q') exit(3); return 0; }", 2);
}

#[test]
fn what_nobody_knows_is_said_with_its_reason() {
    let outcome =
        run("int mystery(int); int main(void) { if (__VERIFIER_nondet_bool()) return mystery(3); return 0; }");
    let [unexplored] = outcome.unexplored.as_slice() else { panic!("{outcome:?}") };
    assert_eq!(&*unexplored.why, "call of mystery, which is neither defined nor modelled");
    assert_eq!((outcome.paths.completed, outcome.paths.given_up), (1, 1));
    let outcome = run("int f(void) { return 0; }");
    assert_eq!(&*outcome.unexplored[0].why, "the program defines no function main");
}

#[test]
fn arguments_constructors_and_globals_are_there() {
    let text = "int ready; int table[3] = {1, 2, 3};
        __attribute__((constructor)) static void make(void) { ready = 5; }
        int main(int argc, char **argv) { assert(ready == 5 && table[2] == 3); assert(argc == 2 && argv[2] == 0);
          assert(strcmp(argv[1], \"-v\") == 0); return 0; }";
    let outcome = run_with(text, &Options { arguments: vec![b"-v".to_vec()], ..options() });
    assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{outcome:?}");
    assert_eq!(outcome.tests.get(0).unwrap().arguments, [b"-v"]);
}

#[test]
fn other_functions_get_any_arguments() {
    let text = "int f(int a, double b) { if (a == 12 && b == 0.5) reach_error(); return 0; }";
    let outcome = run_with(text, &Options { entry: "f".to_owned(), ..options() });
    let [violation] = outcome.violations.as_slice() else { panic!("{outcome:?}") };
    assert_eq!(violation.input.objects[0].name, "argument 1");
    assert_eq!(violation.input.objects[1].bytes, 0.5f64.to_le_bytes());
}

#[test]
fn recursion_and_loops_over_inputs_come_to_an_end() {
    holds("unsigned f(unsigned n) { return n == 0 ? 0 : 1 + f(n - 1); }
        int main(void) { unsigned n = __VERIFIER_nondet_uint(); __VERIFIER_assume(n < 6); assert(f(n) == n); return 0; }", 6);
    holds(
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(), s = 0; __VERIFIER_assume(n <= 8);
        for (unsigned i = 0; i < n; i++) s += 2; assert(s == 2 * n); return 0; }",
        9,
    );
}

#[test]
fn floats_are_compared_bit_for_bit() {
    violates(
        "int main(void) { double x = __VERIFIER_nondet_double(); assert(x == x); return 0; }",
        ViolationKind::Assertion("x == x".into()),
    );
    holds(
        "int main(void) { float x = __VERIFIER_nondet_float(); if (x > 1.0f && x < 2.0f) assert(x * x >= x); return 0; }",
        3,
    );
    violates(
        "int main(void) { double x = __VERIFIER_nondet_double(); __VERIFIER_assume(x > 0 && x < 1e17); assert(x + 1 != x); return 0; }",
        ViolationKind::Assertion("x + 1 != x".into()),
    );
}

#[test]
fn stacks_and_decisions_are_told() {
    let text = "void g(int x) { if (x == 4) reach_error(); }\nvoid f(int x) { g(x + 1); }\nint main(void) { int x = __VERIFIER_nondet_int(); if (x < 10) f(x); return 0; }";
    let violation = violates(text, ViolationKind::ErrorReached("reach_error".into()));
    assert_eq!((violation.stack.len(), violation.decisions.len()), (3, 2));
    assert_eq!(i32::from_le_bytes(violation.input.objects[0].bytes.clone().try_into().unwrap()), 3);
}

#[test]
fn texts_of_symbolic_bytes_part_paths() {
    let text = "int main(void) { char s[4]; klee_make_symbolic(s, 4, \"s\"); s[3] = 0; if (strcmp(s, \"ok\") == 0) reach_error(); return 0; }";
    let violation = violates(text, ViolationKind::ErrorReached("reach_error".into()));
    assert_eq!(&violation.input.objects[0].bytes[..3], b"ok\0");
    holds(
        "int main(void) { char s[3] = \"a\"; s[0] = __VERIFIER_nondet_char(); assert(strlen(s) <= 1); return 0; }",
        2,
    );
}

#[test]
fn rounding_modes_and_flags_are_the_paths() {
    holds("#include <fenv.h>
        int main(void) { volatile double x = 1, y = 3; double d = x / y; assert(fegetround() == FE_TONEAREST);
        assert(fesetround(FE_UPWARD) == 0); double u = x / y; assert(u > d && fetestexcept(FE_INEXACT));
        feclearexcept(FE_ALL_EXCEPT); assert(!fetestexcept(FE_ALL_EXCEPT)); x = x / 0.0; assert(fetestexcept(FE_ALL_EXCEPT) == FE_DIVBYZERO); return 0; }", 1);
}

#[test]
fn characters_are_those_of_the_c_locale() {
    holds(
        "#include <ctype.h>
        int main(void) { unsigned char c = __VERIFIER_nondet_uchar(); if (isdigit(c)) assert(c >= '0' && c <= '9');
        else assert(c < '0' || c > '9'); assert(tolower('Q') == 'q'); return 0; }",
        3,
    );
}

#[test]
fn limits_are_reasons() {
    let text = "int main(void) { unsigned n = __VERIFIER_nondet_uint(); while (n) n--; return 0; }";
    let outcome = run_with(text, &Options { max_paths: 5, ..options() });
    assert_eq!(outcome.paths.completed, 5);
    assert!(
        outcome.paths.waiting >= 1 && outcome.unexplored.iter().any(|it| it.why.contains("as many paths")),
        "{outcome:?}"
    );
    let begun = std::time::Instant::now();
    let deadline = Some(begun + std::time::Duration::from_secs(2));
    let outcome = run_with(text, &Options { deadline, ..Options::default() });
    assert!(outcome.unexplored.iter().any(|it| &*it.why == "the time was over"), "{outcome:?}");
}

#[test]
fn loops_are_bounded_where_asked_for() {
    let text = "int main(void) { unsigned n = __VERIFIER_nondet_uint(), i = 0; while (i < n) i++; assert(i == n);
        for (i = 0; i < 100; i++); return 0; }";
    let outcome = run_with(text, &Options { loop_bound: Some(4), ..options() });
    assert!(outcome.violations.is_empty() && outcome.unexplored.iter().all(|it| it.is_bound), "{outcome:?}");
    assert_eq!((outcome.unexplored.len(), outcome.paths.completed), (1, 5));
}

#[test]
fn what_is_printed_is_read() {
    holds("int main(void) { printf(\"%d %s\\n\", 3, \"text\"); return 0; }", 1);
    let text = "int main(void) { char s[2] = {'a', 'b'}; printf(\"%s\", s); return 0; }";
    violates(text, ViolationKind::OutOfBounds { is_write: false, size: 1 });
}

/// The input of each path takes a path of its own, to the same end.
#[test]
fn tests_take_their_paths() {
    let text = "int main(void) { char s[4]; klee_make_symbolic(s, 4, \"s\"); double x = __VERIFIER_nondet_double();
        int a[3] = {5, 6, 7}; unsigned i = __VERIFIER_nondet_uint(); if (i > 2) exit(1);
        if (s[0] == 'a' && s[1] > s[2]) return a[i] > 6; if (x > 0.5) return x * x < 2.0 ? 3 : 4; return 5; }";
    let program = crate::support::compile(text);
    let options = options();
    let outcome = labrys_executor::execute(&program, &options);
    assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{outcome:?}");
    assert_eq!(outcome.tests.len() as u64, outcome.paths.completed);
    for test in outcome.tests.iter() {
        let run = labrys_executor::replay(&program, &options, &test);
        assert!(
            run.violations.is_empty() && run.unexplored.is_empty() && run.paths.completed == 1,
            "{test:?}: {run:?}"
        );
    }
}

#[test]
fn a_replay_ends_where_the_violation_was() {
    let text = "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); if (x > y && x - y == 1234) abort(); return 0; }";
    let program = crate::support::compile(text);
    let outcome = labrys_executor::execute(&program, &options());
    let [violation] = outcome.violations.as_slice() else { panic!("{outcome:?}") };
    let run = labrys_executor::replay(&program, &options(), &violation.input);
    assert_eq!((&run.violations[0].kind, &run.violations[0].stack), (&violation.kind, &violation.stack));
    let other = labrys_executor::replay(&program, &options(), &Default::default());
    assert!(other.violations.is_empty() && other.paths.completed == 1);
}

/// A question that no solver decides in seconds does not keep a run from its deadline.
#[test]
fn deadlines_hold_inside_the_solver() {
    let text = "int main(void) { unsigned long x = __VERIFIER_nondet_ulong(), y = __VERIFIER_nondet_ulong();
        if (x > 1 && y > 1 && x < 0x100000000 && y < 0x100000000 && x * y == 0xffffffea00000055) reach_error(); return 0; }";
    let begun = std::time::Instant::now();
    let limit = std::time::Duration::from_secs(3);
    let outcome = run_with(text, &Options { deadline: Some(begun + limit), ..Options::default() });
    // Tests share the processor: a tenth is what a quiet machine keeps.
    assert!(begun.elapsed() < 3 * limit, "{:?}", begun.elapsed());
    assert!(!outcome.unexplored.is_empty() || !outcome.violations.is_empty(), "{outcome:?}");
}

/// Where a path is given up, its input and some near by are run: what goes wrong then is told with an input that shows it.
#[test]
fn inputs_of_what_is_given_up_are_tried() {
    let text = |last: &str| {
        format!(
            "int main(void) {{ char b[4] = {{0}}; unsigned n = __VERIFIER_nondet_uint(); if (n < 1 || n > 4) return 0;
                klee_make_symbolic(b, n, \"b\"); {last} return 0; }}"
        )
    };
    let outcome = run(&text("assert(b[0] < 5);"));
    let [violation] = outcome.violations.as_slice() else { panic!("{outcome:?}") };
    let [n, b] = violation.input.objects.as_slice() else { panic!("{violation:?}") };
    assert_eq!(b.bytes.len(), usize::from(n.bytes[0]));
    assert!(b.bytes[0] as i8 >= 5, "{violation:?}");
    // What was given up stays so.
    assert_eq!(outcome.unexplored.len(), 1, "{outcome:?}");
    let none = run(&text("assert(b[0] < 128);"));
    assert!(none.violations.is_empty() && none.unexplored.len() == 1, "{none:?}");
}

/// A loop that only asks for inputs ends with the time, on known inputs too.
#[test]
fn deadlines_hold_where_nothing_but_inputs_is_asked_for() {
    let program = compile("int main(void) { while (__VERIFIER_nondet_int() != 7) ; return 0; }");
    let begun = std::time::Instant::now();
    let limit = std::time::Duration::from_millis(300);
    let options = Options { deadline: Some(begun + limit), ..Options::default() };
    let outcome = labrys_executor::replay(&program, &options, &Default::default());
    assert!(begun.elapsed() < 20 * limit, "{:?}", begun.elapsed());
    assert!(outcome.unexplored.len() == 1 && outcome.paths.completed == 0, "{outcome:?}");
}

/// A loop in which every round asks what one side alone can be true of ends with the time: it never comes to the end of a stretch.
#[test]
fn deadlines_hold_where_every_round_parts() {
    let text = "short g = 8; int a = 5, s = 10; int main(void) { unsigned long v = g; for (double x = 0.25; x < 2; x *= 1) {
        if (g < 4) s = (int)((unsigned long)s - (unsigned long)(s < 1 ? a : v)); else { g = (short)__VERIFIER_nondet_int(); v = g; } }
        return 0; }";
    let begun = std::time::Instant::now();
    let limit = std::time::Duration::from_secs(1);
    let outcome = run_with(text, &Options { deadline: Some(begun + limit), ..Options::default() });
    assert!(begun.elapsed() < 20 * limit, "{:?}", begun.elapsed());
    assert!(!outcome.unexplored.is_empty() && outcome.paths.completed == 0, "{outcome:?}");
}

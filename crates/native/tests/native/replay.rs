//! Programs under sanitizers: each kind of error is told with its line, and so is every other way to end.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use labrys_native::{Ending, ErrorKind, Replay, ReplayBuild, ReplayLimits, Sanitizers, entry_main};
use labrys_program::{Origin, WholeSpec, build_whole};
use labrys_testcase::{InputObject, TestInput, write_headers};

/// One error for each value of the first input; the line of each ends with its number in a comment.
const ERRORS: &str = r#"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <klee/klee.h>
#include <verifier.h>
static int global[4];
static const int constant[2] = {1, 2};
int *kept;
struct pair { int first[2]; int second[2]; };
__attribute__((noinline)) static int at(int *p, int i) {
    return p[i]; /* 1 2 3 */
}
__attribute__((noinline)) static void keep(void) { int local[4]; local[0] = 1; int *volatile p = local; kept = p; }
__attribute__((noinline)) static int divide(int a, int b) {
    return a / b; /* 10 11 */
}
int main(int count, char **words) {
    int k = __VERIFIER_nondet_int();
    int local[4] = {1, 2, 3, 4};
    int *heap = malloc(16);
    char *text = malloc(16);
    struct pair pair = {{0, 0}, {0, 0}};
    volatile int n = __VERIFIER_nondet_int();
    if (k == 1) at(heap, n);
    if (k == 2) at(local, n);
    if (k == 3) at(global, n);
    free(heap);
    if (k == 4) return heap[1]; /* 4 */
    if (k == 5) free(heap); /* 5 */
    if (k == 6) free(local + 1); /* 6 */
    keep();
    if (k == 7) return kept[0]; /* 7 */
    if (k == 8) return ((volatile int *)0)[0]; /* 8 */
    if (k == 9) *(volatile int *)(0x10000000000 + 4l * n) = 1; /* 9 */
    if (k == 10) divide(n, 0);
    if (k == 11) divide(-2147483647 - 1, -1);
    if (k == 12) return 1 << n; /* 12 */
    if (k == 13) return 2147483647 + n; /* 13 */
    if (k == 14) __builtin_unreachable(); /* 14 */
    if (k == 15) memcpy(text + 1, text, 1 + n); /* 15 */
    if (k == 16) assert(k != 16 && "text"); /* 16 */
    if (k == 17) abort(); /* 17 */
    if (k == 18) reach_error(); /* 18 */
    if (k == 19) klee_report_error(__FILE__, __LINE__, "no", "err"); /* 19 */
    if (k == 20) exit(n + count - 1);
    if (k == 21) __VERIFIER_assume(n == 77);
    if (k == 22) __VERIFIER_nondet_double();
    if (k == 23) { double d; klee_make_symbolic(&d, sizeof d, "d"); }
    if (k == 24) for (;;) ;
    if (k == 25) raise(k); 
    if (k == 26) *(volatile int *)constant = 1; /* 26 */
    if (k == 27) __builtin_trap(); /* 27 */
    if (k == 28) return pair.first[n]; /* 28 */
    if (k == 29) klee_silent_exit(n);
    if (k == 30) { char *p; for (;;) { p = malloc(1 << 20); if (p) memset(p, 1, 1 << 20); } }
    if (k == 31) text = 0;
    if (k == 32) __VERIFIER_assert(n == 0); /* 32 */
    if (k == 33) { int *lost = 0; { int inner = n; lost = &inner; } return *lost; } /* 33 */
    return text == 0 ? 0 : (free(text), 0);
}
"#;

struct Bench {
    folder: tempfile::TempDir,
    spec: WholeSpec,
}

impl Bench {
    fn new(files: &[(&str, &str)], compiler: Option<&str>) -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        let headers = folder.path().join("headers");
        write_headers(&headers).expect("headers");
        let write = |(name, text): &(&str, &str)| {
            let path = folder.path().join(name);
            fs::write(&path, text).expect("a source");
            path
        };
        let sources: Vec<PathBuf> = files.iter().map(write).collect();
        let spec = WholeSpec {
            sources,
            compiler: compiler.map(str::to_owned),
            flags: vec!["-w".to_owned(), "-include".to_owned(), "signal.h".to_owned()],
            checks: Vec::new(),
            headers,
            library: None,
            entry: "main".to_owned(),
            aside: None,
            coverage: None,
            origin: Origin::User,
        };
        Bench { folder, spec }
    }

    fn build(&self, sanitizers: Sanitizers, main: Option<&str>, mode: &str) -> ReplayBuild {
        let launcher = [env!("CARGO_BIN_EXE_labrys-native-worker"), "replay", mode].map(OsString::from).to_vec();
        let deadline = Instant::now() + Duration::from_secs(120);
        ReplayBuild::compile(&self.spec, sanitizers, main, launcher, (self.folder.path(), deadline))
            .expect("it compiles")
    }
}

fn object(name: &str, bytes: &[u8]) -> InputObject {
    InputObject { name: name.to_owned(), bytes: bytes.to_vec() }
}

fn ints(values: &[i32]) -> TestInput {
    let of = |value: &i32| object("__VERIFIER_nondet_int", &value.to_le_bytes());
    TestInput { arguments: Vec::new(), objects: values.iter().map(of).collect() }
}

fn limits() -> ReplayLimits {
    ReplayLimits { time: Duration::from_secs(4), memory_mib: 512, deadline: None }
}

/// The line of `ERRORS` whose comment has a number.
fn line_of(number: i32) -> u32 {
    let has = |line: &str| {
        let comment = line.rsplit_once("/* ").map(|(_, comment)| comment.trim_end_matches(" */").trim());
        comment.is_some_and(|numbers| numbers.split(' ').any(|of| of == number.to_string()))
    };
    ERRORS.lines().position(has).map_or(0, |index| index as u32 + 1)
}

const ADDRESS: Sanitizers = Sanitizers::Address { types: false, shift: true, signed_overflow: true, traps: false };

fn expect(build: &ReplayBuild, compiler: &str, k: i32, n: i32, kind: &ErrorKind) {
    let replay = build.run(&ints(&[k, n]), false, limits()).expect("it runs");
    let line = replay.place.as_ref().map_or(0, |place| place.line);
    assert_eq!((&replay.ending, line), (&Ending::Error(kind.clone()), line_of(k)), "{compiler}: {k}: {replay:#?}");
    let main = replay.stack.last().map(|frame| frame.function.as_str());
    assert_eq!(main, Some("main"), "{compiler}: {k}: {:#?}", replay.stack);
}

#[test]
fn each_kind_of_error_is_told_with_its_line() {
    for compiler in ["clang", "gcc"] {
        let bench = Bench::new(&[("errors.c", ERRORS)], Some(compiler));
        let build = bench.build(ADDRESS, None, "open");
        let kinds = [
            (1, 4, ErrorKind::OutOfBounds),
            (2, 5, ErrorKind::OutOfBounds),
            (3, 4, ErrorKind::OutOfBounds),
            (4, 0, ErrorKind::UseAfterFree),
            (5, 0, ErrorKind::DoubleFree),
            (6, 0, ErrorKind::InvalidFree),
            (7, 0, ErrorKind::UseAfterReturn),
            (8, 0, ErrorKind::Null),
            // It is the look at what is known of the address that fails, which reads.
            (9, 0, ErrorKind::WildAccess { is_write: Some(false) }),
            (10, 7, ErrorKind::DivisionByZero),
            (12, 32, ErrorKind::Shift),
            (13, 1, ErrorKind::SignedOverflow),
            (14, 0, ErrorKind::Unreachable),
            (15, 4, ErrorKind::Overlap),
            (16, 0, ErrorKind::Assertion("k != 16 && \"text\"".to_owned())),
            (17, 0, ErrorKind::Abort),
            (18, 0, ErrorKind::ErrorReached("reach_error".to_owned())),
            (19, 0, ErrorKind::ErrorReached("klee_report_error".to_owned())),
            (26, 0, ErrorKind::WildAccess { is_write: Some(true) }),
            (27, 0, ErrorKind::Trap),
            (32, 1, ErrorKind::ErrorReached("__VERIFIER_assert".to_owned())),
            (33, 1, ErrorKind::UseAfterScope),
        ];
        for (k, n, kind) in kinds {
            expect(&build, compiler, k, n, &kind);
        }
        // clang counts it among the overflows of signed integers, gcc among the divisions.
        expect(&build, compiler, 11, 0, &ErrorKind::DivisionOverflow);
    }
}

/// What has more than 128 bits, UndefinedBehaviorSanitizer does not print: it fails itself. Traps have names in debug information.
#[test]
fn errors_of_wide_integers_are_told_by_traps() {
    let wide = "int __VERIFIER_nondet_int(void); int main(void) {\nint k = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();\n\
                _BitInt(256) a = (_BitInt(256))1 << 254, b = n;\nif (k == 1) return (a + a + n) > 0;\nif (k == 2) return (a * b) > 0;\n\
                if (k == 3) return (b << 256 + n) > 0;\nif (k == 4) return (a / b) > 0;\nif (k == 5) return (-(-a - a)) > 0;\nreturn 0; }\n";
    let bench = Bench::new(&[("wide.c", wide)], None);
    let traps = Sanitizers::Address { types: false, shift: true, signed_overflow: true, traps: true };
    let build = bench.build(traps, None, "open");
    let kinds = [
        (1, ErrorKind::SignedOverflow),
        (2, ErrorKind::SignedOverflow),
        (3, ErrorKind::Shift),
        (4, ErrorKind::DivisionTrap),
        (5, ErrorKind::SignedOverflow),
    ];
    for (k, kind) in kinds {
        let n = if k == 4 { 0 } else { 4 };
        let replay = build.run(&ints(&[k, n]), false, limits()).expect("it runs");
        let line = replay.place.as_ref().map_or(0, |place| place.line);
        assert_eq!((&replay.ending, line), (&Ending::Error(kind), 3 + k as u32), "{k}: {replay:#?}");
    }
    assert_eq!(build.run(&ints(&[0, 0]), false, limits()).expect("it runs").ending, Ending::Exited(0));
}

#[test]
fn every_other_way_to_end_is_told() {
    let bench = Bench::new(&[("errors.c", ERRORS)], None);
    let build = bench.build(ADDRESS, None, "open");
    let run = |objects: &TestInput| build.run(objects, false, limits()).expect("it runs").ending;
    assert_eq!(run(&ints(&[0, 0])), Ending::Exited(0));
    assert_eq!(run(&ints(&[20, 7])), Ending::Exited(7));
    assert_eq!(run(&ints(&[29, 9])), Ending::Exited(9));
    assert_eq!(run(&ints(&[21, 76])), Ending::AssumptionFailed("__VERIFIER_assume".to_owned()));
    let name = "__VERIFIER_nondet_double".to_owned();
    assert_eq!(run(&ints(&[22, 0])), Ending::InputsExhausted { given: 2, name });
    let name = "d".to_owned();
    assert_eq!(run(&ints(&[23, 0, 1])), Ending::InputSize { recorded: 4, asked: 8, name });
    assert_eq!(run(&ints(&[24, 0])), Ending::TimedOut);
    assert_eq!(run(&ints(&[25, 0])), Ending::Signal(25));
    assert_eq!(run(&ints(&[30, 0])), Ending::OutOfMemory);
    let with_arguments = TestInput { arguments: vec![b"a".to_vec(), b"b".to_vec()], ..ints(&[20, 7]) };
    assert_eq!(run(&with_arguments), Ending::Exited(9));
    // Only where it is asked for: an error of every other program would be one of this kind.
    assert_eq!(run(&ints(&[31, 0])), Ending::Exited(0));
    let leak = build.run(&ints(&[31, 0]), true, limits()).expect("it runs").ending;
    assert_eq!(leak, Ending::Error(ErrorKind::Leak));
}

/// An index beyond an array within a larger object is no access outside it: shown where types are asked about.
#[test]
fn what_only_types_tell_is_asked_for() {
    let bench = Bench::new(&[("errors.c", ERRORS)], None);
    let narrow = bench.build(ADDRESS, None, "open");
    assert_eq!(narrow.run(&ints(&[28, 2]), false, limits()).expect("it runs").ending, Ending::Exited(0));
    let wide = bench.build(
        Sanitizers::Address { types: true, shift: false, signed_overflow: false, traps: false },
        None,
        "open",
    );
    expect(&wide, "clang", 28, 2, &ErrorKind::OutOfBounds);
    expect(&wide, "clang", 8, 0, &ErrorKind::Null);
    // Not asked about, so that it hides nothing.
    let ending = |k, n| wide.run(&ints(&[k, n]), false, limits()).expect("it runs").ending;
    assert!(matches!(ending(12, 32), Ending::Exited(_)) && matches!(ending(13, 1), Ending::Exited(_)));
    assert_eq!(ending(11, 0), Ending::Error(ErrorKind::DivisionTrap));
}

#[test]
fn decisions_by_uninitialised_memory_are_seen_and_copies_are_not() {
    let source = "\
        #include <stdlib.h>\nint __VERIFIER_nondet_int(void);\n\
        static int same(int x) { return x; }\n\
        int main(void) {\n  int *p = malloc(8), k = __VERIFIER_nondet_int();\n  p[0] = k;\n\
          int q = same(p[k]);\n  if (q > 0) /* here */\n    return 1;\n  return 0;\n}\n";
    let bench = Bench::new(&[("f.c", source)], None);
    let build = bench.build(Sanitizers::Memory, None, "open");
    let run = |k| build.run(&ints(&[k]), false, limits()).expect("it runs");
    let seen: Replay = run(1);
    assert_eq!((seen.ending, seen.place.map(|place| place.line)), (Ending::Error(ErrorKind::Uninitialised), Some(8)));
    assert_eq!(run(0).ending, Ending::Exited(0));
}

#[test]
fn inputs_are_told_with_their_calls() {
    let source = "double __VERIFIER_nondet_double(void);\nint __VERIFIER_nondet_int(void);\n\
        int main(void) {\n  int n = __VERIFIER_nondet_int();\n  double x = 1 +\n    __VERIFIER_nondet_double();\n  return n + (x > 1);\n}\n";
    let bench = Bench::new(&[("f.c", source)], None);
    let build = bench.build(ADDRESS, None, "open");
    let input = TestInput {
        arguments: Vec::new(),
        objects: vec![object("n", &3i32.to_le_bytes()), object("x", &2f64.to_le_bytes())],
    };
    let replay = build.run(&input, false, limits()).expect("it runs");
    assert_eq!(replay.ending, Ending::Exited(4));
    let calls: Vec<(&str, u32, u32)> =
        replay.inputs.iter().map(|input| (input.name.as_str(), input.call.line, input.call.column)).collect();
    assert_eq!(calls, [("__VERIFIER_nondet_int", 4, 11), ("__VERIFIER_nondet_double", 6, 5)]);
}

#[test]
fn a_function_can_be_entered_in_place_of_main() {
    let source = "int f(int a, double b, long double c) {\n  return 100 / (a + (b > 1) + (c > 1)); }\nint main(void) { return 1; }\n";
    let mut bench = Bench::new(&[("f.c", source)], None);
    bench.spec.entry = "f".to_owned();
    let whole =
        build_whole(&bench.spec, bench.folder.path(), Instant::now() + Duration::from_secs(60)).expect("a program");
    let main = entry_main(&whole.program.functions[whole.entry.index()]).expect("numbers");
    let build = bench.build(ADDRESS, Some(&main), "open");
    let mut long_double = [0u8; 16];
    long_double[7..10].copy_from_slice(&[0x80, 0x00, 0x40]);
    let input = |a: i32| TestInput {
        arguments: Vec::new(),
        objects: vec![object("a", &a.to_le_bytes()), object("b", &2f64.to_le_bytes()), object("c", &long_double)],
    };
    let ending = |a| build.run(&input(a), false, limits()).expect("it runs").ending;
    assert_eq!((ending(0), ending(-2)), (Ending::Exited(0), Ending::Error(ErrorKind::DivisionByZero)));
}

/// Accesses of bitcode are watched, too, though no front end said so.
#[test]
fn bitcode_is_run_under_sanitizers() {
    let text = format!(
        "target triple = \"{}-unknown-linux-gnu\"\n\
         declare ptr @malloc(i64)\ndeclare i32 @__VERIFIER_nondet_int()\n\
         define i32 @main() {{ %p = call ptr @malloc(i64 4) %i = call i32 @__VERIFIER_nondet_int() store i32 5, ptr %p\n\
         %q = getelementptr i32, ptr %p, i32 %i %v = load i32, ptr %q ret i32 %v }}\n",
        std::env::consts::ARCH
    );
    let bench = Bench::new(&[("f.ll", &text)], None);
    let build = bench.build(ADDRESS, None, "open");
    let ending = |i| build.run(&ints(&[i]), false, limits()).expect("it runs").ending;
    assert_eq!((ending(0), ending(1)), (Ending::Exited(5), Ending::Error(ErrorKind::OutOfBounds)));
}

/// What nobody trusts neither writes files nor opens sockets, nor does what it runs.
#[test]
fn a_strangers_program_is_confined() {
    let source = "#include <fcntl.h>\n#include <unistd.h>\n#include <sys/socket.h>\n#include <stdlib.h>\nint main(void) {\n\
        int file = open(\"made\", O_CREAT | O_WRONLY, 0600), wire = socket(AF_INET, SOCK_STREAM, 0);\n\
        int ran = system(\"echo > made-by-shell\");\n return (file >= 0) + 2 * (wire >= 0) + 4 * (ran == 0);\n}\n";
    let bench = Bench::new(&[("f.c", source)], None);
    for (mode, expected) in [("confined", 0), ("open", 5)] {
        let build = bench.build(ADDRESS, None, mode);
        assert_eq!(build.run(&ints(&[]), false, limits()).expect("it runs").ending, Ending::Exited(expected), "{mode}");
        assert_eq!(bench.folder.path().join("made-by-shell").exists(), mode == "open");
    }
}

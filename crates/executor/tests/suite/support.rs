//! C programs, compiled and executed.

use std::process::Command;
use std::time::{Duration, Instant};

use labrys_executor::{Options, Outcome, Violation, ViolationKind, execute};
use labrys_program::Program;

/// What programs find in headers.
const DECLARATIONS: &str = r#"
#include <stddef.h>
void klee_make_symbolic(void *, size_t, const char *);
void klee_assume(unsigned long);
int klee_range(int, int, const char *);
int klee_int(const char *);
_Bool __VERIFIER_nondet_bool(void);
char __VERIFIER_nondet_char(void);
unsigned char __VERIFIER_nondet_uchar(void);
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);
void *__VERIFIER_nondet_pointer(void);
void __VERIFIER_assume(int);
void reach_error(void);
void abort(void) __attribute__((noreturn));
void exit(int) __attribute__((noreturn));
void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);
void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t); int memcmp(const void *, const void *, size_t);
size_t strlen(const char *); int strcmp(const char *, const char *); char *strcpy(char *, const char *);
char *strchr(const char *, int); int strncmp(const char *, const char *, size_t);
int printf(const char *, ...);
void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
double exp(double);
#define assert(c) ((c) ? (void)0 : __assert_fail(#c, __FILE__, __LINE__, __func__))
#line 1 "test.c"
"#;

/// Compiles a program without optimisation.
pub fn compile(text: &str) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let (source, output) = (folder.path().join("test.c"), folder.path().join("test.bc"));
    std::fs::write(&source, format!("{DECLARATIONS}{text}")).unwrap();
    let mut command = Command::new("clang-22");
    command.args(["-c", "-emit-llvm", "-g", "-O0", "-w", "-o"]).arg(&output).arg(&source);
    let result = command.output().unwrap();
    assert!(result.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&result.stderr));
    Program::from_bitcode_file(&output).unwrap()
}

/// Options with a deadline that tests never reach if all is well.
pub fn options() -> Options {
    Options { deadline: Some(Instant::now() + Duration::from_secs(60)), ..Options::default() }
}

/// Executes a program.
pub fn run(text: &str) -> Outcome {
    run_with(text, &options())
}

/// Executes a program with options.
pub fn run_with(text: &str, options: &Options) -> Outcome {
    let program = compile(text);
    let outcome = execute(&program, options);
    for violation in &outcome.violations {
        let innermost = violation.stack.first().and_then(|site| site.location);
        let line = innermost.map(|location| program.locations[location.index()].line);
        println!("{:?} at line {line:?}", violation.kind);
    }
    println!("{:?} {:?}", outcome.unexplored, outcome.paths);
    outcome
}

/// The program is proved correct, on so many paths.
#[track_caller]
pub fn holds(text: &str, paths: u64) -> Outcome {
    let outcome = run(text);
    assert!(outcome.violations.is_empty() && outcome.unexplored.is_empty(), "{outcome:?}");
    assert_eq!(outcome.paths.completed, paths, "{:?}", outcome.paths);
    outcome
}

/// The program has one violation, and nothing else is open.
#[track_caller]
pub fn violates(text: &str, kind: ViolationKind) -> Violation {
    let outcome = run(text);
    assert!(outcome.unexplored.is_empty(), "{:?}", outcome.unexplored);
    let [violation] = outcome.violations.as_slice() else { panic!("{:?}", outcome.violations) };
    assert_eq!(violation.kind, kind);
    violation.clone()
}

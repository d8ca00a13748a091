//! What is proved of a program no run of it does otherwise: random programs, each run on thousands of inputs with the compiler's checks; and of each kind
//! of error a program with it and its twin without.
//!
//! `LABRYS_PROOF_PROGRAMS` sets the number of programs (240, in batches of 40), `LABRYS_PROOF_SEED` the first seed (0), for longer runs.
#![cfg(target_arch = "x86_64")]

mod concrete;
mod generator;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use labrys_formulas::Random;
use labrys_program::{
    BlockId, Callee, Constant, Function, FunctionId, Instruction, InstructionKind, Operand, Program, VerifierCall,
};
use labrys_ranges::{Checked, Open, prove};
use rustc_hash::FxHashSet;

/// How long a proof may take.
const LIMIT: Duration = Duration::from_millis(300);

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn verifier_call(function: &Function) -> Option<VerifierCall> {
    match function.name.as_str() {
        "assume" => Some(VerifierCall::Assume),
        "check" => Some(VerifierCall::Assert),
        "any_memory" => Some(VerifierCall::Memory),
        "error" => Some(VerifierCall::Error),
        "reach" => Some(VerifierCall::Nothing),
        name => name.starts_with("any_").then_some(VerifierCall::Value),
    }
}

fn compile(folder: &Path, arguments: &[&str]) {
    let result = Command::new("clang-22").current_dir(folder).args(["-w", "-O0"]).args(arguments).output();
    let result = result.expect("clang-22 is installed");
    assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
}

/// The IR with the marks of variables' lives, as whole programs are analysed.
const IR: [&str; 5] = ["-c", "-emit-llvm", "-Xclang", "-fsanitize-address-use-after-scope", "-fwrapv"];

#[test]
fn what_is_proved_no_run_violates() {
    const BATCH: u64 = 40;
    let (count, first) = (setting("LABRYS_PROOF_PROGRAMS", 240), setting("LABRYS_PROOF_SEED", 0));
    let (mut proved, mut wrong, mut excluded, mut safe) = (0, 0, 0, 0);
    let mut random = Random::new(first);
    for seed in (first..first + count).step_by(BATCH as usize) {
        let folder = tempfile::tempdir().expect("a folder");
        let text = generator::batch(&mut Random::new(seed), BATCH as usize);
        std::fs::write(folder.path().join("programs.c"), &text).expect("a file");
        std::fs::write(folder.path().join("runtime.c"), include_str!("runtime.c")).expect("a file");
        compile(folder.path(), &[&IR[..], &["programs.c"]].concat());
        let checks = "-fsanitize=bounds,shift-exponent,integer-divide-by-zero,object-size";
        let checks = ["-fwrapv", checks, "-fsanitize-trap=all", "-fsanitize=local-bounds", "-c", "programs.c"];
        compile(folder.path(), &checks);
        compile(folder.path(), &["-o", "programs", "programs.o", "runtime.c", "-lm"]);
        let program = Program::from_bitcode_file(&folder.path().join("programs.bc")).expect("bitcode");
        let output = Command::new("./programs").current_dir(folder.path()).output().expect("it runs");
        assert!(output.status.success(), "{output:?}\n{text}");
        let output = String::from_utf8(output.stdout).expect("text");
        for (number, line) in output.lines().enumerate() {
            let entry = program.function(&format!("p{number}")).expect("a program");
            let has_failed = !line.starts_with("0 ");
            let found = prove(&program, entry, &verifier_call, Checked::default(), Some(Instant::now() + LIMIT));
            proved += u64::from(found.is_ok());
            wrong += u64::from(has_failed);
            assert!(!(found.is_ok() && has_failed), "seed {seed}: p{number}: {line}\n{text}");
            let reached: u64 = line.rsplit(' ').next().and_then(|bits| bits.parse().ok()).expect("bits");
            let Err(Open { facts, .. }) = found else { continue };
            for mark in marks(&program, &facts.unreached) {
                excluded += 1;
                assert_eq!(reached >> mark & 1, 0, "seed {seed}: p{number} comes to {mark}\n{text}");
            }
            let seen = concrete::observe(&program, entry, &facts, &mut random, 40);
            assert_eq!(seen.wrong, None, "seed {seed}: p{number}\n{text}");
            safe += seen.safe;
        }
        assert_eq!(output.lines().count(), BATCH as usize);
    }
    // The comparison means something only if there is something to compare.
    let is_enough = 5 * proved > count && 5 * wrong > count && 8 * excluded > count && safe > 1000 * count;
    assert!(
        is_enough,
        "{proved} of {count} proved, {wrong} wrong, {excluded} places excluded, {safe} safe instructions"
    );
}

/// The marks in some blocks.
fn marks(program: &Program, blocks: &FxHashSet<(FunctionId, BlockId)>) -> Vec<u128> {
    let blocks = blocks.iter().map(|(id, block)| &program.functions[id.index()].blocks[block.index()]);
    let mark = |instruction: &Instruction| match &instruction.kind {
        InstructionKind::Call(Callee::Function(id), operands) if program.functions[id.index()].name == "reach" => {
            let Some(Operand::Constant(Constant::Int { value, .. })) = operands.first() else { return None };
            u128::try_from(value.clone()).ok()
        }
        _ => None,
    };
    blocks.flat_map(|block| &block.instructions).filter_map(mark).collect()
}

fn is_proved(body: &str, checked: Checked) -> Result<(), Open> {
    let text = format!(
        "void check(int); void assume(int); void error(void); int any_int(void); double any_double(void); void any_memory(void *, unsigned long);
         void *malloc(unsigned long); double sin(double); double sqrt(double); void abort(void); void exit(int); int printf(const char *, ...);
         static const int fixed[4] = {{1, 2, 3, 4}}; static int table[8]; static int deep(int n) {{ return n <= 0 ? 0 : 1 + deep(n - 1); }}
         static int first(const int *p) {{ return *p; }}
         int main(void) {{ {body} return 0; }}"
    );
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("f.c"), &text).expect("a file");
    compile(folder.path(), &[&IR[..4], &["f.c"]].concat());
    let program = Program::from_bitcode_file(&folder.path().join("f.bc")).expect("bitcode");
    let entry = program.function("main").expect("main");
    prove(&program, entry, &verifier_call, checked, Some(Instant::now() + LIMIT))
}

/// Programs, each right and wrong by one thing.
const TWINS: [(&str, &str); 22] = [
    ("int i = any_int() & 7; table[i] = 1;", "int i = any_int() & 15; table[i] = 1;"),
    (
        "int a[4] = {0}; int i = any_int(); if (i >= 0 && i < 4) a[i] = 1;",
        "int a[4] = {0}; int i = any_int(); if (i < 4) a[i] = 1;",
    ),
    ("int x = 3; if (any_int()) x = 4; check(x > 2);", "int x; if (any_int()) x = 4; check(x > 2 || x <= 2);"),
    ("int n = any_int(); check(10 / ((n & 7) + 1) >= 0);", "int n = any_int(); check(10 / (n & 7) >= 0);"),
    ("int n = any_int(); if (n > -100) check(n / -1 < 100);", "int n = any_int(); n = n / -1;"),
    ("int n = any_int(); n = 1 << (n & 31);", "int n = any_int(); n = 1 << (n & 63);"),
    (
        "double x = any_double(); if (x == x) check(x <= 0 || x > 0);",
        "double x = any_double(); check(x <= 0 || x > 0);",
    ),
    ("for (int i = 0; i < 1000; i++) check(i < 1000);", "for (int i = 0; i <= 1000; i++) check(i < 1000);"),
    ("int *p = table; if (any_int()) p = table + 3; *p = 2;", "int *p = table; if (any_int()) p = 0; *p = 2;"),
    ("int i = any_int() & 3; table[0] = fixed[i];", "int i = any_int() & 3; *(int *)&fixed[i] = 2;"),
    ("int *p = table; { int x = 1; p = &x; *p = 2; }", "int *p = table; { int x = 1; p = &x; } *p = 2;"),
    (
        "for (int i = 0; i < 3; i++) { int x = 0; if (i == 0) x = 1; check(x >= 0); }",
        "for (int i = 0; i < 3; i++) { int x; if (i == 0) x = 1; check(x >= 0 || x < 0); }",
    ),
    ("if (any_int() > 5) exit(3);", "if (any_int() > 5) abort();"),
    (
        "switch (any_int() & 1) { case 0: case 1: break; default: __builtin_unreachable(); }",
        "switch (any_int() & 3) { case 0: case 1: break; default: __builtin_unreachable(); }",
    ),
    (
        "int x; any_memory(&x, sizeof x); if (x > 3) x = 3; check(x <= 3);",
        "int x; any_memory(&x, 2); if (x > 3) x = 3; check(x <= 3);",
    ),
    (
        "struct s { int a, b; } s = {1, 2}, t; __builtin_memcpy(&t, &s, sizeof t); check(t.b == 2);",
        "struct s { int a, b; } s, t; s.a = 1; __builtin_memcpy(&t, &s, sizeof t); check(t.b == 2 || t.b != 2);",
    ),
    (
        "double x = 0; for (;;) { double u = any_double(); if (!(u >= -1 && u <= 1)) u = 0; x = 0.5 * x + u; check(x <= 4); }",
        "double x = 0; for (;;) { double u = any_double(); if (!(u >= -1 && u <= 1)) u = 0; x = 1.5 * x + u; check(x <= 4); }",
    ),
    ("if (any_int() > 7) __builtin_trap(); else return 0; while (1);", "check(sqrt(4) > 3);"),
    ("check(first(table + 7) == 0);", "check(first(table + 8) == 0);"),
    ("int n = any_int(); assume(n > 3); check(n > 2);", "int n = any_int(); check(n > 2);"),
    (
        "for (;;) { int n = any_int(); assume(n > 3); check(n > 2); }",
        "for (;;) { int n = any_int(); assume(n > 3 && n < 2); check(n > 2); }",
    ),
    ("int n = any_int(); assume(n > 3); exit(0);", "int n = any_int(); assume(n > 3); abort();"),
];

#[test]
fn of_each_kind_the_right_program_is_proved_and_its_twin_is_not() {
    for (index, (right, wrong)) in TWINS.into_iter().enumerate() {
        let found = is_proved(wrong, Checked::default());
        assert!(found.is_err(), "{wrong}");
        // One that traps has no right twin.
        if !right.contains("trap") {
            assert_eq!(is_proved(right, Checked::default()), Ok(()), "{index}: {right}");
        } else {
            assert!(is_proved(right, Checked::default()).is_err(), "{right}");
        }
    }
    let signed_overflow = Checked { signed_overflow: true };
    assert!(is_proved("int n = any_int(); n = n + 1;", signed_overflow).is_err());
    assert_eq!(is_proved("int n = any_int(); if (n < 5) n = n + 1;", signed_overflow), Ok(()));
    assert_eq!(is_proved("int n = any_int(); n = n + 1;", Checked::default()), Ok(()));
}

/// What is not followed is not proved, whatever is said of it.
#[test]
fn what_is_not_followed_is_not_proved() {
    for body in [
        "int *p = malloc(4); if (p) *p = 1;",
        "check(sin(any_double()) < 2);",
        "check(deep(any_int() & 15) < 50);",
        "long double x = any_double(); check(x == x || x != x);",
        "int (*f)(const int *) = first; f(table);",
        "int n = any_int() & 7; int a[n + 1]; a[0] = 1;",
        "const char *s = (const char *)table; printf(\"%s\", s);",
        "assume(0);",
        "int a[4], b[4]; check(a + 4 != b);",
        "int a[2], b[2]; check(a < b || a >= b);",
        "int v[4]; check(v - 1 < v);",
        "int n = (int)any_double();",
    ] {
        assert!(is_proved(body, Checked::default()).is_err(), "{body}");
    }
    assert_eq!(is_proved("printf(\"%d\\n\", any_int());", Checked::default()), Ok(()));
}

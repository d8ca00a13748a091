//! Known values computed directly, and instruction by instruction: what a program comes to must be the same, and what the processor
//! gives. Programs call random functions (the interpreter's generator makes them), with known arguments and with a few that are not.
//!
//! `LABRYS_EXECUTOR_PROGRAMS` sets the number of functions (24), `LABRYS_EXECUTOR_SEED` the seed (0), for longer runs.

#[path = "../../../interp/tests/native/generator.rs"]
mod generator;

use std::fmt::Write;
use std::process::Command;

use generator::Arguments;
use labrys_executor::{Options, execute};
use rand::{SeedableRng, rngs::StdRng};

use crate::support::{compile, options};

/// Functions of one program.
const FUNCTIONS: usize = 4;

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn literal(value: f64) -> String {
    match value {
        _ if value.is_nan() => "__builtin_nan(\"\")".to_owned(),
        _ if value.is_infinite() => format!("{}__builtin_inf()", if value < 0.0 { "-" } else { "" }),
        _ => format!("{value:e}"),
    }
}

/// A program that calls functions and mixes all that they give into one number. `known` says of the i-th integer whether it is.
fn program(seed: u64, with_flags: bool, known: impl Fn(usize) -> bool) -> String {
    let mut random = StdRng::seed_from_u64(seed);
    let mut text = generator::file(seed, FUNCTIONS);
    text += "int feclearexcept(int); int fetestexcept(int);\nstatic unsigned long h = 14695981039346656037ul;\n\
             static void add(unsigned long x) { h = (h ^ x) * 1099511628211ul; }\n\
             static unsigned long all(void) {\n";
    for index in 0..FUNCTIONS {
        let Arguments { x, y, s, n, m, v, w } = generator::arguments(&mut random);
        let doubles: Vec<String> = v.iter().map(|value| literal(*value)).collect();
        let integer = |i: usize| if known(i) { w[i].to_string() } else { format!("klee_range(0, 3, \"w{index}{i}\")") };
        let integers: Vec<String> = (0..4).map(integer).collect();
        let _ = writeln!(
            text,
            "{{ double v[4] = {{ {} }}; int w[4] = {{ {} }}; add(bits(f{index}({}, {}, {}, {n}, {m}L, v, w)));\n\
             for (int i = 0; i < 4; i++) {{ add(bits(v[i])); add((unsigned)w[i]); }} }}",
            doubles.join(", "),
            integers.join(", "),
            literal(x),
            literal(y),
            literal(s.into()),
        );
        if with_flags {
            text += "add(fetestexcept(61)); feclearexcept(61);\n";
        }
    }
    text + "return h; }\n"
}

/// What the processor gives.
fn native(text: &str) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let (source, output) = (folder.path().join("test.c"), folder.path().join("test"));
    std::fs::write(
        &source,
        format!("{text}int printf(const char *, ...);\nint main(void) {{ printf(\"%lu\", all()); }}"),
    )
    .unwrap();
    let mut command = Command::new("clang-22");
    command.args(["-O0", "-w", "-o"]).arg(&output).arg(&source).arg("-lm");
    let result = command.output().unwrap();
    assert!(result.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&result.stderr));
    String::from_utf8(Command::new(&output).output().unwrap().stdout).unwrap().parse().unwrap()
}

#[test]
fn known_programs_give_the_processors_result_directly_or_not() {
    let seed = setting("LABRYS_EXECUTOR_SEED", 0);
    for index in 0..setting("LABRYS_EXECUTOR_PROGRAMS", 24).div_ceil(FUNCTIONS as u64) {
        let seed = seed + index * FUNCTIONS as u64;
        let text = program(seed, index % 3 == 2, |_| true);
        let expected = native(&text);
        let compiled = compile(&format!("{text}int main(void) {{ assert(all() == {expected}ul); return 0; }}"));
        let [direct, stepped] = [true, false].map(|is_direct| execute(&compiled, &Options { is_direct, ..options() }));
        assert!(direct.violations.is_empty() && direct.unexplored.is_empty(), "seed {seed}: {direct:?}\n{text}");
        assert_eq!(direct, stepped, "seed {seed}\n{text}");
    }
}

#[test]
fn partly_known_programs_come_to_the_same_directly_or_not() {
    let seed = setting("LABRYS_EXECUTOR_SEED", 0);
    for index in 0..setting("LABRYS_EXECUTOR_PROGRAMS", 24).div_ceil(FUNCTIONS as u64) {
        let seed = 1_000_000 + seed + index * FUNCTIONS as u64;
        let text = program(seed, false, |i| i as u64 != index % 4);
        let compiled = compile(&format!("{text}int main(void) {{ return (int)all(); }}"));
        let [direct, stepped] = [true, false].map(|is_direct| {
            execute(&compiled, &Options { is_direct, max_paths: 24, checks: checks(index), ..options() })
        });
        assert_eq!(direct, stepped, "seed {seed}\n{text}");
    }
}

/// Every second program's sums are checked for overflow.
fn checks(index: u64) -> labrys_executor::Checks {
    labrys_executor::Checks { signed_overflow: index % 2 == 1, ..Default::default() }
}

/// Errors are found where they are.
#[test]
fn errors_are_the_same_directly_or_not() {
    let programs = [
        "int main(void) { int a[8]; for (int i = 0; i <= 8; i++) a[i] = i; return 0; }",
        "int main(void) { int a[8]; int s = 0; for (int i = 0; i < 8; i++) s += a[i]; return s > 3; }",
        "int main(void) { int *p = malloc(8); *p = 3; free(p); return *p; }",
        "int f(int *p, int n) { int s = 0; while (n--) s += *p++; return s; } int main(void) { int x = 5; return f(&x, 2); }",
        "int main(void) { int s = 1 << 30; for (int i = 0; i < 4; i++) s += s; return s; }",
        "int main(void) { int z = 3; for (;;) { int y = 7 / z; z--; (void)y; } }",
        "int main(void) { int s = 0; for (int i = 0; i < 40; i++) s ^= 1 << i; return s; }",
        "const int t[2] = { 1, 2 }; int main(void) { int *p = (int *)t; *p = *p + 1; return *p; }",
        "int main(void) { int *p = 0; int i = 4; if (i > 3) *p = i; return 0; }",
        "int main(void) { char *c = malloc(16); memset(c, 0, 16); int *p = (int *)c; p[1] = 7; long *q = (long *)c; assert(q[0] == 7L << 32); assert(c[4] == 7); return 0; }",
        "int main(void) { union { double d; unsigned long u; float f[2]; } x; x.u = 0x3ff0000000000000ul; assert(x.d == 1.0); x.f[1] = 2.0f; assert(x.u == 0x4000000000000000ul); return 0; }",
    ];
    for text in programs {
        let compiled = compile(text);
        let checks = checks(1);
        let [direct, stepped] =
            [true, false].map(|is_direct| execute(&compiled, &Options { is_direct, checks, ..options() }));
        assert_eq!(direct, stepped, "{text}");
    }
}

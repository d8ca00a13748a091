//! Proofs by induction over loops: what they prove, and that it is true.
//!
//! Random programs are finite machines: an endless loop changes some bytes by a random step and an input. All states that they reach are found by running the
//! step natively on each; what is asserted of them is as tight as what is true, or just not true.
//!
//! `LABRYS_MACHINES` sets the number of programs (40), `LABRYS_MACHINES_SEED` the first seed (0), for longer runs; `LABRYS_MACHINES_FOLDER` a folder for their texts.

use std::fmt::Write;
use std::process::Command;
use std::time::{Duration, Instant};

use labrys_executor::{Options, Proof, prove};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::support::{compile, options};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

#[track_caller]
fn proves(text: &str) -> Proof {
    match prove(&compile(text), &options()) {
        Ok(proof) => proof,
        Err(why) => panic!("{text}\nis not proved: {}", why.why),
    }
}

#[track_caller]
fn proves_not(text: &str, because: &str) {
    match prove(&compile(text), &options()) {
        Ok(proof) => panic!("{text}\nis said to hold: {proof:?}"),
        Err(why) => assert!(why.why.contains(because), "{why:?}"),
    }
}

/// Relations of counters, of what does not change, of floats and integers; rings, sums, inner loops, arrays, calls.
#[test]
fn loops_are_proved() {
    for body in [
        "int i = 0; double d = 0; while (i < 1000000) { if (__VERIFIER_nondet_int()) { i++; d += 1; } assert(d == i); } assert(i == 1000000);",
        "int n = __VERIFIER_nondet_int(), i = 0, j = n; if (n < 0) return 0; while (i < n) { i++; j--; assert(i + j == n); } assert(j == 0);",
        "int a = 0, b = 0; for (int i = 0; i < 100000; i++) { if (__VERIFIER_nondet_bool()) a++; else b++; assert(a + b == i + 1); }",
        "int n = __VERIFIER_nondet_int(), a = 1, b = 2, c = 3; for (int i = 0; i < n; i++) { int t = a; a = b; b = c; c = t; assert(a + b + c == 6); }",
        "double s = 1; int n = __VERIFIER_nondet_int(); if (n < 0 || n > 1000) return 0; for (int i = 0; i < n; i++) { if (i > 2000) s = 0; s += 2; } assert(s == 2 * n + 1);",
        "unsigned n = __VERIFIER_nondet_uint(), x = 0, y = 0; while (x < n) { x += 1; y += 3; } assert(y == 3 * x);",
        "int n = __VERIFIER_nondet_int(), t = 0; if (n < 1 || n > 100000) return 0; double most = -1e300, least = 1e300; for (int i = 0; i < n; i++) { \
         double x = __VERIFIER_nondet_double(); if (!(x >= -1 && x <= 1)) x = 0; if (x > most) most = x; if (x < least) least = x; t += 2; } assert(least <= most && t == 2 * n);",
        "unsigned x = 5; for (;;) { if (__VERIFIER_nondet_bool()) x = x << 1 | x >> 31; else x = x >> 1 | x << 31; assert(x); }",
        "int t[8] = {0}; for (;;) { int k = __VERIFIER_nondet_int(); if (k < 0 || k >= 8) continue; t[k] = k; assert(t[k] == k); }",
        "int t[4] = {0}, at = 0; for (;;) { at = (at + 1) % 4; for (int i = 0; i <= at; i++) if (__VERIFIER_nondet_bool()) t[i] = i; assert(t[at] <= at); }",
        "float s = 0; int n = 0; while (n < 1000) { float x = __VERIFIER_nondet_float(); if (!(x >= 0 && x <= 1)) continue; s += x; n++; assert(s <= n); }",
        "double most = -1e300; for (;;) { double x = __VERIFIER_nondet_double(); if (!(x >= -1e300)) continue; if (x > most) most = x; assert(x <= most); }",
        "unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(); if (!a || !b) return 0; while (b) { unsigned r = a % b; a = b; b = r; } assert(a);",
        "int last; int has = 0; for (;;) { int k = __VERIFIER_nondet_int(); if (k & 1) { last = k; has = 1; } else if (has == 7) assert(last); }",
        "double a[2] = {1, 1}, b[2], *from = a, *to = b; for (;;) { to[0] = from[1] / 2; to[1] = from[0]; double *t = from; from = to; to = t; assert(from[0] >= 0 && from[0] <= 1); }",
        "unsigned x = 0, y = 0, *p = &x; for (;;) { ++*p; p = p == &x ? &y : &x; assert(x - y <= 1); }",
        "int buffer[4] = {0}, *cache = 0; for (;;) { int k = __VERIFIER_nondet_int(); if (!cache) cache = buffer; cache[k & 3] = k & 1; assert(buffer[2] >= 0 && buffer[2] <= 1); }",
        "int up = 1; double x = 1; fesetround(FE_UPWARD); for (;;) { fesetround(up ? FE_DOWNWARD : FE_UPWARD); up = !up; assert((fegetround() == FE_UPWARD) == up); }",
        "long double s = 1; for (;;) { int k = __VERIFIER_nondet_int(); if (k > 5) s = 3; else s = -s; assert(s == s || k); if (s != 3) s = 1; }",
    ] {
        let proof = proves(&format!("#include <fenv.h>\nint main(void) {{ {body} return 0; }}"));
        assert!(!proof.loops.is_empty() && proof.paths.completed > 0, "{proof:?}");
    }
    let states = "static int n; static void one(void), two(void); static void (*next)(void) = one;\n\
         static void one(void) { n = 1; if (__VERIFIER_nondet_bool()) next = two; } static void two(void) { assert(n); n = 2; next = one; }\n\
         int main(void) { for (;;) { next(); assert(n == (next == two ? 1 : n)); } }";
    proves(states);
    let called = "static int most(int n) { int r = 0; for (int i = 0; i < n; i++) if (__VERIFIER_nondet_bool()) r++; return r; }\n\
         int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0) return 0; int r = most(n) + most(0); assert(r >= 0 && r <= n); return 0; }";
    assert_eq!(proves(called).loops.len(), 1);
}

/// Each differs from a program that holds by what happens in one round of very many, in another variable than is asked about, or behind the loop.
#[test]
fn what_fails_is_not_proved() {
    for (body, because) in [
        (
            "int i = 0; double d = 0; while (i < 1000000) { if (__VERIFIER_nondet_int()) { i++; d += 1; } if (i == 70000) d += 1; assert(d == i); }",
            "assertion",
        ),
        (
            "int n = __VERIFIER_nondet_int(), i = 0, j = n; if (n < 0) return 0; while (i < n) { i++; j--; if (i == 70000) j--; } assert(j == 0);",
            "assertion",
        ),
        (
            "unsigned x = 5; for (;;) { unsigned k = __VERIFIER_nondet_uint(); x = x << 1 | x >> 31; if (k == 77 && x == 40) x = 0; assert(x); }",
            "assertion",
        ),
        // What is asked for in a round is not what was asked for before it by the same name.
        (
            "int n = __VERIFIER_nondet_int(), r = __VERIFIER_nondet_int(), x = 0; if (r < 0) return 0; for (int i = 0; i < n; i++) { int old = r; r = __VERIFIER_nondet_int(); \
             if (i > 70000 && r == 5) x = 1; else if (x == 1 && r != 5) x = 2; if (old == 7) x = x == 2 ? 2 : 0; } assert(x != 2);",
            "assertion",
        ),
        (
            "int n = __VERIFIER_nondet_int(), t = 0; if (n < 0) return 0; for (int i = 0; i < n; i++) { t += 2; if (i == 70000) t++; } assert(t == 2 * n);",
            "assertion",
        ),
        (
            "int t[8] = {0}, *q = &t[3]; for (;;) { int k = __VERIFIER_nondet_int(); if (k < 0 || k >= 8) continue; t[k] = k; *q = 3; if (k == 5) q = &t[5]; assert(t[k] == k); }",
            "assertion",
        ),
        (
            "int t[4] = {0}, at = 0; for (;;) { at = (at + 1) % 4; t[at] = 1; if (__VERIFIER_nondet_int() == 3) at++; t[at]++; }",
            "bounds",
        ),
        (
            "int last, has = 0; for (;;) { int k = __VERIFIER_nondet_int(); if (k == 1) last = 1; if (k == 2) has = 1; if (has && k == 3) assert(last); }",
            "never written",
        ),
        (
            "int x = 0, y = 0, *p = &x; for (;;) { if (*p < 70000) ++*p; p = p == &x ? &y : &x; assert(x >= y && y < 70000); }",
            "assertion",
        ),
        (
            "int t[9] = {0}, u[4], *p = t; unsigned n = 0; for (;;) { p[n % (n < 70000 ? 4 : 5)] = 1; n++; p = __VERIFIER_nondet_bool() ? t : u; }",
            "bounds",
        ),
        (
            "int up = 0; for (int n = 0;; n++) { if (n == 70000) up = 1; fesetround(up ? FE_UPWARD : FE_TONEAREST); double x = 1; assert(x + 1e-30 == 1); }",
            "assertion",
        ),
        (
            "char *t = malloc(8); for (;;) { int k = __VERIFIER_nondet_int(); if (k == 1) { free(t); t = malloc(8); } if (k == 2) free(t); }",
            "",
        ),
        (
            "int i = 0; for (;;) { if (__VERIFIER_nondet_bool()) i += 16; assert((i & 15) == 0 || i == 7); if (i == 70000 * 16) i = 5; }",
            "assertion",
        ),
    ] {
        proves_not(&format!("#include <fenv.h>\nint main(void) {{ {body} return 0; }}"), because);
    }
}

/// What is a number in the native search is a pointer into one of two objects, or to one of two functions, where it is proved.
const HEAD: &str = "
typedef struct state state;
#ifdef NATIVE
struct state { unsigned char a, b; signed char c; unsigned char t[4], n, x[2], to, calls; float f; int i; };
#define X0 s->x[0]
#define X1 s->x[1]
#define AT s->x[s->to]
#define POINT(which) (s->to = (which) & 1)
#define CALL (s->calls ? other : one)(s, k)
#define CHOOSE(which) (s->calls = (which) & 1)
#else
struct state { unsigned char a, b; signed char c; unsigned char t[4], n, *p; float f; int i; void (*calls)(state *, int); };
static unsigned char x0, x1;
#define X0 x0
#define X1 x1
#define AT (*s->p)
#define POINT(which) (s->p = (which) & 1 ? &x1 : &x0)
#define CALL s->calls(s, k)
#define CHOOSE(which) (s->calls = (which) & 1 ? other : one)
#endif
static void one(state *s, int k) { if (AT < 9) AT++; }
static void other(state *s, int k) { if (s->n < 5) s->n++; AT = k; }
";

/// A random step of a machine.
struct Machines {
    random: Pcg64,
    text: String,
    /// Variables of loops in use.
    counters: usize,
}

impl Machines {
    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.random.random_range(0..of.len())]
    }

    fn integer(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.random_range(0..3) == 0 {
            return match self.random.random_range(0..7) {
                0 => self.random.random_range(0..20).to_string(),
                1 => "k".to_owned(),
                2 if self.counters > 0 => format!("j{}", self.random.random_range(0..self.counters)),
                3 => format!("s->t[{} & 3]", self.one(&["k", "s->a", "s->n", "s->i", "1"])),
                4 => self.one(&["AT", "X0", "X1"]).to_owned(),
                _ => self.one(&["s->a", "s->b", "s->c", "s->n", "s->i"]).to_owned(),
            };
        }
        let (a, b) = (self.integer(depth - 1), self.integer(depth - 1));
        match self.random.random_range(0..8) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} & {b})"),
            3 => format!("({a} ^ {b})"),
            4 => format!("({a} % {})", self.random.random_range(2..9)),
            5 => format!("({} ? {a} : {b})", self.condition(0)),
            6 => format!("(({a} & 15) << {})", self.random.random_range(0..3)),
            _ => format!("({a} | {})", self.random.random_range(0..8)),
        }
    }

    fn condition(&mut self, depth: u32) -> String {
        if self.random.random_range(0..5) == 0 {
            let bound = self.one(&["0", "1.5f", "10", "s->i", "-3"]);
            return format!("s->f {} {bound}", self.one(&["<", ">", "==", ">="]));
        }
        let (a, b) = (self.integer(depth), self.integer(depth));
        format!("{a} {} {b}", self.one(&["<", "<=", "==", "!=", ">"]))
    }

    fn statement(&mut self, depth: u32) {
        let text = match self.random.random_range(0..if depth == 0 { 9 } else { 12 }) {
            0 | 1 => format!("{} = {};", self.one(&["s->a", "s->b", "s->c", "s->n"]), self.integer(2)),
            2 => format!("s->t[{} & 3] = {};", self.integer(1), self.integer(1)),
            3 => format!("s->i = ({}) & {};", self.integer(2), self.one(&["1023", "7", "63", "12"])),
            4 => format!(
                "if (s->{0} < {1}) s->{0}++; else s->{0} = {2};",
                self.one(&["a", "b", "n", "i"]),
                self.random.random_range(2..30),
                self.random.random_range(0..3)
            ),
            5 => format!(
                "s->f = {};",
                self.one(&[
                    "s->f * 0.5f + k",
                    "s->i",
                    "-s->f",
                    "s->f > 10 ? 0 : s->f + 1",
                    "s->f < k ? k : s->f",
                    "s->a * 0.25f"
                ])
            ),
            6 => self.one(&["swap(&s->a, &s->b);", "s->n = most(s, k);", "if (k == 1) return;"]).to_owned(),
            7 => format!("{}({});", self.one(&["POINT", "POINT", "CHOOSE"]), self.integer(1)),
            8 => match self.random.random_range(0..2) {
                0 => "CALL;".to_owned(),
                _ => format!("AT = {};", self.integer(1)),
            },
            9 | 10 => {
                let condition = self.condition(1);
                let _ = write!(self.text, "if ({condition}) {{ ");
                self.statements(depth - 1);
                if self.random.random_range(0..2) == 0 {
                    self.text.push_str("} else { ");
                    self.statements(depth - 1);
                }
                "}".to_owned()
            }
            _ => {
                let counter = self.counters;
                let bound = self.one(&["2", "3", "k", "(s->a & 3)", "s->n % 4"]);
                let _ = write!(self.text, "for (int j{counter} = 0; j{counter} < {bound}; j{counter}++) {{ ");
                self.counters += 1;
                self.statements(depth - 1);
                self.counters -= 1;
                "}".to_owned()
            }
        };
        self.text.push_str(&text);
        self.text.push(' ');
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..self.random.random_range(1..4) {
            self.statement(depth);
        }
    }
}

fn step(seed: u64) -> String {
    let mut machines = Machines { random: Pcg64::seed_from_u64(seed), text: String::new(), counters: 0 };
    machines.statements(2);
    let text = machines.text;
    format!(
        "static void swap(unsigned char *a, unsigned char *b) {{ unsigned char c = *a; *a = *b; *b = c; }}\n\
         static int most(state *s, int k) {{ int m = k; for (int i = 0; i < 4; i++) if (s->t[i] > m) m = s->t[i]; return m; }}\n\
         static void step(state *s, int k) {{ {text}}}\n"
    )
}

/// Runs a step on all states that are reached from zeros, and prints of each member the least and the greatest after a step; nothing where there are
/// too many.
const SEARCH: &str = r#"
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#define MANY (1 << 17)
static state all[MANY]; static unsigned table[4 * MANY]; static unsigned count;
static void add(const state *s) {
    const unsigned char *bytes = (const unsigned char *)s; unsigned h = 2166136261u;
    for (unsigned i = 0; i < sizeof *s; i++) h = (h ^ bytes[i]) * 16777619u;
    for (h %= 4 * MANY; table[h]; h = (h + 1) % (4 * MANY)) if (!memcmp(&all[table[h] - 1], s, sizeof *s)) return;
    if (count == MANY) exit(0);
    all[count++] = *s; table[h] = count;
}
#define EACH(x) { int first = 1; double low = 0, high = 0; int nan = 0; for (unsigned n = 1; n < count; n++) { state *s = &all[n]; double v = s->x; \
    if (v != v) { nan = 1; continue; } if (first || v < low) low = v; if (first || v > high) high = v; first = 0; } printf("%d %.9g %.9g\n", nan, low, high); }
int main(void) {
    static state s; add(&s);
    for (unsigned n = 0; n < count; n++) for (int k = 0; k < 4; k++) { s = all[n]; step(&s, k); add(&s); }
    if (count < 2) return 0;
    EACH(a) EACH(b) EACH(c) EACH(n) EACH(t[0]) EACH(t[3]) EACH(i) EACH(f)
    return 0;
}
"#;

const MEMBERS: [&str; 8] = ["s.a", "s.b", "s.c", "s.n", "s.t[0]", "s.t[3]", "s.i", "s.f"];

/// What is asserted of members whose values are between two numbers: all that is true, or something that is not.
fn asserted(ranges: &[(bool, f64, f64)], wrong: Option<(usize, bool)>) -> String {
    let mut all = Vec::new();
    for (place, (member, &(has_nan, low, high))) in MEMBERS.iter().zip(ranges).enumerate() {
        let integral = !member.ends_with('f');
        let step = |value: f64, up: bool| match integral {
            true => value + if up { 1.0 } else { -1.0 },
            false => f64::from(if up { (value as f32).next_up() } else { (value as f32).next_down() }),
        };
        let low = if wrong == Some((place, false)) { step(low, true) } else { low };
        let high = if wrong == Some((place, true)) { step(high, false) } else { high };
        let (low, high) =
            if integral { (format!("{low}"), format!("{high}")) } else { (format!("{low:e}"), format!("{high:e}")) };
        let nan = if has_nan { format!("{member} != {member} || ") } else { String::new() };
        all.push(format!("assert({nan}({member} >= {low} && {member} <= {high}));"));
    }
    all.join(" ")
}

/// The ranges of members over all states that are reached.
fn reached(step: &str) -> Option<Vec<(bool, f64, f64)>> {
    let folder = tempfile::tempdir().unwrap();
    let (source, output) = (folder.path().join("search.c"), folder.path().join("search"));
    std::fs::write(&source, format!("#define NATIVE\n{HEAD}{step}{SEARCH}")).unwrap();
    let built = Command::new("clang-22")
        .args(["-O1", "-w", "-ffp-contract=off", "-o"])
        .arg(&output)
        .arg(&source)
        .output()
        .unwrap();
    assert!(built.status.success(), "{step}\n{}", String::from_utf8_lossy(&built.stderr));
    let printed = String::from_utf8(Command::new(&output).output().unwrap().stdout).unwrap();
    let ranges: Vec<(bool, f64, f64)> = printed
        .lines()
        .map(|line| {
            let numbers: Vec<f64> = line.split(' ').map(|number| number.parse().unwrap()).collect();
            (numbers[0] != 0.0, numbers[1], numbers[2])
        })
        .collect();
    (!ranges.is_empty()).then_some(ranges)
}

/// No false assertion is proved, whatever the machine; of true ones, which say how far values go and no more, some are.
#[test]
fn machines_are_proved_only_where_every_state_is_as_asserted() {
    let (count, seed) = (setting("LABRYS_MACHINES", 40), setting("LABRYS_MACHINES_SEED", 0));
    let folder = std::env::var("LABRYS_MACHINES_FOLDER").ok();
    let (mut asked, mut proved) = (0, 0);
    for seed in seed..seed + count {
        let step = step(seed);
        let Some(ranges) = reached(&step) else { continue };
        let mut random = Pcg64::seed_from_u64(seed ^ 0x5eed);
        let place = random.random_range(0..MEMBERS.len());
        // A first state that is as the others would hide what is wrong of it.
        for wrong in [None, Some((place, true)), Some((place, false))] {
            let asserts = asserted(&ranges, wrong);
            let declared = ["static state s;", "", "volatile int v;"][random.random_range(0..3)];
            let local = if declared.is_empty() {
                "state s; memset(&s, 0, sizeof s); "
            } else if declared.starts_with("vol") {
                "static state s; v = 1; "
            } else {
                ""
            };
            let round = "step(&s, __VERIFIER_nondet_int() & 3);";
            // In each round, or behind as many as an input says.
            let rounds = if random.random_range(0..2) == 0 {
                format!("for (;;) {{ {round} {asserts} }}")
            } else {
                format!(
                    "unsigned n = __VERIFIER_nondet_uint(); if (!n) return 0; for (unsigned i = 0; i < n; i++) {round} {asserts}"
                )
            };
            let text =
                format!("{HEAD}{step}{declared}\nint main(void) {{ {local}s.p = &x0; s.calls = one; {rounds} }}");
            if let Some(folder) = &folder {
                let kind = wrong.map_or("true", |(_, up)| if up { "high" } else { "low" });
                std::fs::write(format!("{folder}/{seed}_{kind}.c"), &text).unwrap();
            }
            let limited = Options { deadline: Some(Instant::now() + Duration::from_secs(4)), ..options() };
            let result = prove(&compile(&text), &limited);
            match (wrong, result) {
                (Some(_), Ok(proof)) => panic!("machine {seed}: {text}\nis said to hold: {proof:?}"),
                (Some(_), Err(_)) => {}
                (None, result) => {
                    asked += 1;
                    proved += usize::from(result.is_ok());
                }
            }
        }
    }
    println!("{proved} of {asked} machines proved");
    assert!(asked == 0 || proved * 5 >= asked, "{proved} of {asked}");
}

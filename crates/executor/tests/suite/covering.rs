//! What is led to and what is said never to happen, beside native runs on all inputs.

use std::fmt::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use labrys_executor::{CoverOptions, CoverOutcome, FeatureSet, Features, Options, Standing, cover};
use labrys_program::Program;
use labrys_testcase::{InputObject, TestInput};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::support::{compile, options};

/// What bodies compute with: three numbers of which all values are tried natively.
const HEAD: &str = "\
static const int table[8] = {5, -3, 12, 0, 7, 7, -20, 31};
static int helper(int v, float w) {
  if (v > 9 && w < 2.0f) { MARK_A return v - 4; }
  if (w * w == 2.25f) { MARK_B }
  return v * 2 + 1;
}
";

/// A random body, and how many marks it has.
struct Maker {
    random: Pcg64,
    marks: usize,
    text: String,
}

impl Maker {
    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.random.random_range(0..choices.len())]
    }

    fn mark(&mut self) {
        let _ = write!(self.text, "h{}(); ", self.marks);
        self.marks += 1;
    }

    fn integer(&mut self) -> String {
        let first = self.pick(&["a", "b", "c", "i", "j"]);
        let constant = self.random.random_range(-3..20);
        match self.random.random_range(0..6) {
            0 => format!("({first} + {constant})"),
            1 => format!("({first} * {})", self.pick(&["b", "c", "j", "3"])),
            2 => format!("table[{first} & 7]"),
            3 => format!("({first} & {})", constant & 15),
            4 => format!("(int)(x * {constant})"),
            _ => first.to_owned(),
        }
    }

    fn condition(&mut self) -> String {
        let (left, right) = (self.integer(), self.integer());
        let constant = self.random.random_range(-5..40);
        match self.random.random_range(0..7) {
            0 => format!("{left} < {right}"),
            1 => format!("{left} == {constant}"),
            2 => format!("x * 4 > {constant}"),
            3 => format!("x + y == {}.25f", constant & 7),
            4 => format!("({left} > {constant} && {right} != 3)"),
            5 => format!("({left} == 7 || y < x)"),
            _ => format!("{left} > {constant}"),
        }
    }

    fn block(&mut self, depth: u32) {
        self.text.push_str("{ ");
        self.mark();
        for _ in 0..self.random.random_range(1..4) {
            self.statement(depth);
        }
        self.text.push_str("}\n");
    }

    fn statement(&mut self, depth: u32) {
        let kind = if depth == 0 { self.random.random_range(0..4) } else { self.random.random_range(0..10) };
        match kind {
            0 | 4 => {
                let (target, value) = (self.pick(&["i", "j"]), self.integer());
                let _ = writeln!(self.text, "{target} = {value} % 64;");
            }
            1 => {
                let value = self.pick(&["x + y", "y * 0.5f", "x - 1.5f", "(float)i", "x / (y + 1)"]);
                let target = self.pick(&["x", "y"]);
                let _ = writeln!(self.text, "{target} = {value};");
            }
            2 => {
                let value = self.integer();
                let _ = writeln!(self.text, "i = helper({value}, x) % 64;");
            }
            3 => {
                let condition = self.condition();
                let _ = write!(self.text, "if ({condition}) {{ ");
                self.mark();
                self.text.push_str("return i; }\n");
            }
            5..=7 => {
                let condition = self.condition();
                let _ = write!(self.text, "if ({condition}) ");
                self.block(depth - 1);
                if self.random.random() {
                    self.text.push_str("else ");
                    self.block(depth - 1);
                }
            }
            8 => {
                let condition = self.condition();
                let _ = write!(self.text, "for (int k{depth} = 0; k{depth} < 3 && {condition}; k{depth}++) ");
                self.block(depth - 1);
            }
            _ => {
                let value = self.integer();
                let _ = writeln!(self.text, "switch ({value}) {{");
                for case in [0, 7, 12] {
                    let _ = write!(self.text, "case {case}: ");
                    self.block(depth - 1);
                    if self.random.random() {
                        self.text.push_str("break;\n");
                    }
                }
                self.text.push_str("default: ");
                self.block(depth - 1);
                self.text.push_str("}\n");
            }
        }
    }
}

/// A program, its marks' number, and which of them native runs on all inputs come to.
fn random_program(seed: u64) -> (String, Vec<bool>) {
    let mut maker = Maker { random: Pcg64::seed_from_u64(seed), marks: 2, text: String::new() };
    maker.block(3);
    let count = maker.marks;
    let head = HEAD.replace("MARK_A", "h0();").replace("MARK_B", "h1();");
    let body = format!(
        "{head}int body(unsigned char a, unsigned char b, unsigned char c) {{\nint i = a, j = c; float x = a * 0.25f, y = b;\n{}return j;\n}}\n",
        maker.text
    );
    let marks = |does: &dyn Fn(usize) -> String| -> String {
        (0..count).map(|index| format!("void h{index}(void) {{ {} }}\n", does(index))).collect()
    };
    let native = format!(
        "#include <stdio.h>\nchar hit[{count}];\n{}{body}int main(void) {{\n\
         for (int n = 0; n < 4096; n++) body(n & 15, n >> 4 & 15, n >> 8);\n\
         for (int n = 0; n < {count}; n++) putchar(hit[n] ? '1' : '0');\nreturn 0; }}\n",
        marks(&|index| format!("hit[{index}] = 1;")),
    );
    let text = format!(
        "{}{body}int main(void) {{\nunsigned char a = __VERIFIER_nondet_uchar(), b = __VERIFIER_nondet_uchar(), c = __VERIFIER_nondet_uchar();\n\
         __VERIFIER_assume(a < 16 && b < 16 && c < 16);\nreturn body(a, b, c) & 1; }}\n",
        marks(&|_| String::new()),
    );
    let folder = tempfile::tempdir().expect("a folder");
    let (source, program) = (folder.path().join("n.c"), folder.path().join("n"));
    std::fs::write(&source, native).expect("a file");
    let compiled = Command::new("clang-22").args(["-O1", "-w", "-o"]).arg(&program).arg(&source).output();
    let compiled = compiled.expect("clang-22 runs");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let shown = Command::new(&program).output().expect("the program runs").stdout;
    assert_eq!(shown.len(), count);
    (text, shown.iter().map(|of| *of == b'1').collect())
}

/// The numbers of the entries of the functions that are called when a mark is come to.
fn entries(program: &Program, features: &Features, count: usize) -> Vec<usize> {
    let entry = |index: usize| program.function(&format!("h{index}")).and_then(|id| features.entry(id));
    (0..count).map(|index| entry(index).expect("a function")).collect()
}

fn everything(features: &Features) -> CoverOptions {
    CoverOptions {
        wanted: (0..features.len()).collect::<FeatureSet>(),
        seeds: Vec::new(),
        all_paths: false,
        path: None,
    }
}

/// Covered is what some input does, never what none does; and of most it is known.
#[test]
fn what_is_covered_and_what_never_is_are_so_on_all_inputs() {
    let (mut covered, mut never, mut open) = (0, 0, 0);
    for seed in 0..40 {
        let (text, hit) = random_program(seed);
        let program = compile(&text);
        let features = Features::of(&program);
        let options = Options { deadline: Some(Instant::now() + Duration::from_secs(20)), ..options() };
        let outcome = cover(&program, &options, everything(&features));
        for (index, number) in entries(&program, &features, hit.len()).into_iter().enumerate() {
            match outcome.standing(number) {
                Standing::Covered => {
                    assert!(hit[index], "seed {seed}: h{index} is covered, natively by no input\n{text}");
                    covered += 1;
                }
                Standing::Never => {
                    assert!(!hit[index], "seed {seed}: h{index} is said never to happen\n{text}");
                    never += 1;
                }
                Standing::Open(why) => {
                    println!("seed {seed}: h{index}: {why}");
                    open += 1;
                }
            }
        }
    }
    println!("{covered} covered, {never} never, {open} open");
    assert!(covered > 200 && never > 40, "{covered} covered, {never} never: the programs test nothing");
    assert!(open * 20 < covered + never, "{open} open");
}

/// Each test's own run covers what it is said to cover.
#[test]
fn tests_do_what_they_are_kept_for() {
    for seed in 100..110 {
        let (text, _) = random_program(seed);
        let program = compile(&text);
        let features = Features::of(&program);
        let outcome = cover(&program, &options(), everything(&features));
        let seeds: Vec<TestInput> = outcome.tests.iter().map(|test| test.input.clone()).collect();
        // Only the seeds are run: nothing is left of the number of paths.
        let alone = Options { max_paths: 0, ..options() };
        let again = cover(&program, &alone, CoverOptions { seeds, ..everything(&features) });
        assert_eq!(again.covered, outcome.covered, "seed {seed}\n{text}");
    }
}

fn covered_of(text: &str, seeds: Vec<TestInput>, options: &Options) -> (CoverOutcome, Features) {
    let program = compile(text);
    let features = Features::of(&program);
    let outcome = cover(&program, options, CoverOptions { seeds, ..everything(&features) });
    (outcome, features)
}

/// Whatever ends a run early leaves open what may lie behind it.
#[test]
fn nothing_is_never_where_paths_were_not_followed() {
    let text = "void behind(void) {}\nint main(void) { int x = __VERIFIER_nondet_int(); for (int i = 0; i < x; i++) \
        { if (i == 1000) behind(); } return 0; }";
    for options in [
        Options { loop_bound: Some(3), ..options() },
        Options { max_paths: 2, ..options() },
        Options { deadline: Some(Instant::now()), ..options() },
    ] {
        let program = compile(text);
        let features = Features::of(&program);
        let outcome = cover(&program, &options, everything(&features));
        let [number] = ["behind"].map(|name| features.entry(program.function(name).expect("it")).expect("an entry"));
        assert!(!matches!(outcome.standing(number), Standing::Never), "{options:?}");
        assert!(outcome.is_exhaustive().is_err() || outcome.covered.contains(number), "{options:?}");
    }
    // An error ends a path, and behind it anything may follow.
    let (outcome, features) = covered_of(
        "void behind(void) {}\nint main(void) { int t[2] = {1, 2}; if (t[__VERIFIER_nondet_int()] == 3) behind(); return 0; }",
        Vec::new(),
        &options(),
    );
    let open = features.iter().filter(|(number, _)| matches!(outcome.standing(*number), Standing::Open(_)));
    assert!(open.count() > 0);
}

/// An input that was given is used, and asks for as much as the run did.
#[test]
fn given_inputs_come_first() {
    let text = "void found(void) {}\nint main(void) { unsigned x = __VERIFIER_nondet_uint(); \
        if (x * x * 2654435760u + x == 0xdeadbeefu) found(); return 0; }";
    let given = (0..u32::MAX).find(|x| x.wrapping_mul(*x).wrapping_mul(2_654_435_760).wrapping_add(*x) == 0xdead_beef);
    let Some(given) = given else { panic!("no number does it") };
    let object = InputObject { name: "x".to_owned(), bytes: given.to_le_bytes().to_vec() };
    let seed = TestInput { arguments: Vec::new(), objects: vec![object] };
    let (outcome, _) = covered_of(text, vec![seed], &Options { max_paths: 0, ..options() });
    assert_eq!(outcome.tests.len(), 1);
    assert_eq!(outcome.tests[0].input.objects[0].bytes, given.to_le_bytes());
    assert_eq!(outcome.tests[0].input.objects[0].name, "__VERIFIER_nondet_uint");
}

#[test]
fn every_path_has_an_input() {
    let text = "int main(void) { unsigned char x = __VERIFIER_nondet_uchar(); int n = 0; while (x) { n++; x >>= 1; } return n; }";
    let program = compile(text);
    let features = Features::of(&program);
    let outcome = cover(&program, &options(), CoverOptions { all_paths: true, ..everything(&features) });
    assert!(outcome.is_exhaustive().is_ok());
    let mut lengths: Vec<u32> =
        outcome.tests.iter().map(|test| 8 - test.input.objects[0].bytes[0].leading_zeros()).collect();
    lengths.sort_unstable();
    lengths.dedup();
    assert_eq!(lengths, (0..=8).collect::<Vec<_>>());
}

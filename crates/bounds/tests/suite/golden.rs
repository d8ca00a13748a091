//! Certificates kept in `xtask/certificates`, where the checker's tests verify them and refuse altered ones. `BLESS=1` writes them anew.

use labrys_bounds::{Measure, Options, Outcome, Path, bound};
use labrys_float::{Float, Format, RoundingMode};
use labrys_term::{Op, TermId};

use crate::source::Program;

fn compare(name: &str, program: &Program, options: &Options) {
    let Outcome::Proved(found) = bound(&program.request(), options).expect("a valid request") else {
        panic!("{name}: nothing is proved")
    };
    for case in &found.cases {
        let suffix = if found.cases.len() == 1 { String::new() } else { format!("-{}-{}", case.computed, case.exact) };
        let path = format!("{}/../../xtask/certificates/{name}{suffix}.bounds", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, case.certificate.as_str()).unwrap_or_else(|error| panic!("{path}: {error}"));
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(kept == case.certificate.as_str(), "{path} has changed: BLESS=1 writes it anew");
    }
}

fn coarse() -> Options {
    Options { gap: 0.05, ..Options::default() }
}

#[test]
fn certificates_of_the_literature_are_the_kept_ones() {
    for name in ["doppler1", "logexp", "ratio", "turbine1"] {
        compare(name, &Program::example(name), &coarse());
    }
    let rounded = Options { rounded_constants: true, ..coarse() };
    compare("carbon_gas-rounded", &Program::example("carbon_gas"), &rounded);
    let relative = Options { measure: Measure::Relative, ..coarse() };
    compare("verhulst-relative", &Program::example("verhulst"), &relative);
}

#[test]
fn certificates_of_rare_operations_are_the_kept_ones() {
    let text = "// x in [0.5, 3]\n// y in [-2, -0.25]\n{ double a = fma(x, y, 0.75); return fmin(sqrt(x), fabs(a)) - fmax(x, y) * 0.1; }";
    compare("choices", &Program::read(text), &coarse());
    let text = "// x in [0.5, 3]\n// y in [1, 2]\n{ return pow(x, y) + atan2(x, y) + hypot(x, y) * tanh(x) + cbrt(y) - log1p(x) * asin(0.2 * x); }";
    compare("functions", &Program::read(text), &coarse());
    let text = "// x in [0.001, 0.01]\n{ return 2.0 * x - x / 4.0; }";
    compare("half", &Program::read_in(text, Format::BINARY16), &coarse());
}

/// |x·y − 1| by branches, where the program may take another than the truth; and a root that is taken only where there is one.
#[test]
fn certificates_of_paths_are_the_kept_ones() {
    let text = "// x in [0, 4]\n// y in [1, 2]\n{ double a = x * y - 1.0; double b = 1.0 - x * y; return a + b; }";
    let mut program = Program::read(text);
    let store = &mut program.store;
    let [x, y]: [TermId; 2] = [0, 1].map(|place: usize| program.inputs[place].variable);
    let mode = store.rounding_mode(RoundingMode::NearestEven);
    let one = store.float_const(Float::from_f64(1.0));
    let product = store.mk(Op::FpMul, &[mode, x, y]);
    let above = store.mk(Op::FpSub, &[mode, product, one]);
    let below = store.mk(Op::FpSub, &[mode, one, product]);
    let guard = store.mk(Op::FpLt, &[one, product]);
    let negation = store.not(guard);
    let root = store.mk(Op::FpSqrt, &[mode, above]);
    let half = store.float_const(Float::from_f64(2.0));
    let far = store.mk(Op::FpLe, &[half, product]);
    let alone = vec![Path { guards: vec![far], result: root }];
    program.paths = vec![Path { guards: vec![guard], result: above }, Path { guards: vec![negation], result: below }];
    compare("branches", &program, &Options { unstable: true, boxes: 400, ..coarse() });
    program.paths = alone;
    compare("guarded", &program, &coarse());
    // √a where a was rounded, and 0 elsewhere.
    let store = &mut program.store;
    let zero = store.float_const(Float::from_f64(0.0));
    let is_root = store.mk(Op::FpLe, &[zero, above]);
    let negation = store.not(is_root);
    program.paths = vec![Path { guards: vec![is_root], result: root }, Path { guards: vec![negation], result: zero }];
    compare("root", &program, &Options { unstable: true, boxes: 400, ..coarse() });
}

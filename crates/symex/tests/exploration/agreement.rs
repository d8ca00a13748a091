//! The terms against the soft-float interpreter: on concrete inputs exactly one path's condition holds, and its result
//! terms evaluate to what the interpreter computes.

use labrys_float::{Environment, Float};
use labrys_interp::{Limits, ScalarKind, interpret_record, leaf_kind};
use labrys_program::{Access, Parameter, ScalarType};
use labrys_symex::float_terms::settle_nans;
use labrys_symex::{Exploration, Options, StopReason, leaf_variable};
use labrys_term::{Evaluator, Model, Store, Value};
use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::support::{DOUBLE, FLOAT, INT, Subject, array, compile_text, run_pruned, run_with, subject, value};

/// Functions `f` of these parameters that use every family of operations.
const PROGRAMS: [&str; 13] = [
    "return x < y ? x / y : s * x;",
    "if (x != x) return 1; if (x > 1e10) return y; return x * y - s;",
    "double r = 0; for (int i = 0; i < 4; i++) if (v[i] > r) r = v[i]; else r -= 1; v[2] = r * x; return r;",
    "int k = (x > y) + 2 * (y > s); switch (k) { case 0: return x + y; case 1: return x - y; case 3: v[0] = k; default: return k; }",
    "return sqrt(fabs(x)) + floor(y) * ceil(s) - trunc(x / 3) + rint(y * 0.1) + round(x);",
    "return fmin(x + 1, y + 2) * fmax(s, 0.5) + copysign(3, x - 0.25);",
    "float t = (float)x; t = t * t + s; return t > 1 ? (double)t : fma(x, y, t);",
    "n = n & 3; double r = v[n]; v[3 - n] = x; return r + v[0] * v[3];",
    "long b; double a = x == x ? x : 1; memcpy(&b, &a, 8); b = (b & 0x7fffffffffffffff) + 1; memcpy(&a, &b, 8); return a == a ? a : 0;",
    "int i = fabs(x) < 1000 ? (int)x : 3; i = (i * n) ^ (n >> 2); return i + (double)(unsigned char)n;",
    "if (x > 0 && (y < 0 || s == 2)) return x * y; if (!(x <= y) && n % 3 == 1) return n / 7; return isnan(x) + isinf(y) + (n < 0);",
    "double r = x; int i = n & 7; while (i) { if (i & 1) r *= x; i >>= 1; } return fmod(r, 3) + ldexp(y, 5) - n;",
    "double r = x; if (x < 1) r += y; if (fabs(x) < 0.5 && x > 2) r -= 1; if (x >= 1 && x * x < 0.25) r *= 3; return x > 7 ? r : r + s;",
];

fn parameters() -> Vec<Parameter> {
    vec![
        value("x", DOUBLE),
        value("y", DOUBLE),
        value("s", FLOAT),
        value("n", INT),
        array("v", DOUBLE, 4, Access::InOut),
    ]
}

fn random_double(random: &mut StdRng) -> f64 {
    const SPECIAL: [f64; 8] = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324, f64::MAX, 2.0];
    match random.random_range(0..6) {
        0 => SPECIAL[random.random_range(0..SPECIAL.len())],
        1 => f64::from(random.random_range(-4..5)),
        2 => random.random_range(-10.0..10.0),
        _ => {
            let value = f64::from_bits(random.random());
            if value.is_nan() { 0.75 } else { value }
        }
    }
}

/// A random input record.
fn record(subject: &Subject, random: &mut StdRng) -> Vec<u8> {
    let layout = subject.signature.input_layout();
    let mut record = vec![0; layout.size];
    for leaf in &layout.leaves {
        let bits = match leaf.scalar {
            ScalarType::Float(_) if leaf.scalar == FLOAT => u128::from((random_double(random) as f32).to_bits()),
            ScalarType::Float(_) => u128::from(Float::from_f64(random_double(random)).to_f64().unwrap().to_bits()),
            _ => u128::from(random.random_range(-40i32..40) as u32),
        };
        leaf.write(&mut record, bits);
    }
    record
}

fn model(subject: &Subject, store: &mut Store, record: &[u8]) -> Model {
    let mut model = Model::new();
    for leaf in &subject.signature.input_layout().leaves {
        let bits = leaf.read(record);
        let value = match leaf_kind(leaf.scalar) {
            ScalarKind::Float(format) => Value::float(Float::from_bits(format, bits)),
            ScalarKind::Int(width) => Value::bit_vector(width, bits),
            ScalarKind::Pointer => Value::bit_vector(64, bits),
        };
        let variable = leaf_variable(store, leaf);
        assert!(model.set_term(store, variable, value));
    }
    model
}

/// Checks one program; returns how many choices the intervals ruled out.
fn check(program: usize, flags: &[&str]) -> usize {
    let text = format!(
        "#include <math.h>\n#include <string.h>\ndouble f(double x, double y, float s, int n, double v[4]) {{ {} }}",
        PROGRAMS[program]
    );
    let subject = subject(compile_text(&text, flags), "f", parameters(), DOUBLE);
    let mut store = Store::new();
    let options = Options { max_paths: 2000, ..Options::default() };
    let all = run_with(&subject, &mut store, &options);
    agree(program, flags, &subject, &mut store, &all);
    // Paths that the intervals rule out are those that no input takes.
    let pruned = run_pruned(&subject, &mut store, &options);
    assert!(pruned.paths.len() <= all.paths.len());
    agree(program, flags, &subject, &mut store, &pruned);
    pruned.ruled_out
}

fn agree(program: usize, flags: &[&str], subject: &Subject, store: &mut Store, found: &Exploration) {
    let mut random = StdRng::seed_from_u64(program as u64);
    for _ in 0..60 {
        let record = record(subject, &mut random);
        let mut model = model(subject, store, &record);
        settle_nans(store, &mut model);
        let mut evaluator = Evaluator::new(store, &model);
        let taken: Vec<_> = found.paths.iter().filter(|path| evaluator.holds(path.condition).unwrap()).collect();
        assert_eq!(taken.len(), 1, "program {program} {flags:?} {record:?}");
        // Without a solver there are paths that no input takes, and those may stop elsewhere.
        assert_eq!(taken[0].why, StopReason::Returned, "program {program} {flags:?} {record:?}");
        let Subject { program: ir, function, binding, signature } = subject;
        let environment = Environment::default();
        let concrete = interpret_record(ir, *function, binding, signature, &record, &environment, &Limits::default());
        let output = concrete.output.unwrap();
        let leaves = signature.output_layout().leaves;
        for (leaf, term) in leaves.iter().zip(taken[0].result.as_ref().unwrap()) {
            let expected = leaf.read(&output);
            match evaluator.value(*term).unwrap() {
                Value::Float(value) => {
                    let expected = Float::from_bits(value.format(), expected);
                    assert!(value.same_value(&expected), "program {program} {flags:?} {leaf:?} {record:?}");
                }
                other => panic!("{other:?}"),
            }
        }
        // What raised a flag concretely is among the executions of the path that was taken.
        let reached = found.executions.iter().filter(|execution| evaluator.holds(execution.path).unwrap()).count();
        assert!(reached >= concrete.events.len(), "program {program} {flags:?}");
    }
}

#[test]
fn unoptimised_paths_and_results_agree() {
    let ruled_out: usize = (0..PROGRAMS.len()).map(|program| check(program, &["-O0"])).sum();
    assert!(ruled_out > 0);
}

#[test]
fn optimised_paths_and_results_agree() {
    for program in 0..PROGRAMS.len() {
        check(program, &["-O2"]);
    }
}

#[test]
fn vectorised_paths_and_results_agree() {
    for program in 0..PROGRAMS.len() {
        check(program, &["-O3", "-march=haswell", "-fno-math-errno"]);
    }
}

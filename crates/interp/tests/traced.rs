//! What computed a float.

use labrys_float::{Environment, Flags};
use labrys_interp::{Limits, Origin, RecordCall, Soft, Substitution, TracedExecution};
use labrys_program::{LengthOptions, Program, map_parameters, parse_signature};

/// Calls `double f(double x, double y)` and keeps at most so many operations.
fn trace(ir: &str, inputs: [f64; 2], most: usize) -> TracedExecution {
    called(ir, inputs, |call, input| call.trace(Soft::new(Environment::default()), input, &Limits::default(), most))
}

/// What it returns where operations of a run have other results.
fn substituted(ir: &str, inputs: [f64; 2], run: &TracedExecution, results: &[(usize, u128)]) -> f64 {
    let substitution = Substitution { operations: &run.operations, results: results.iter().copied().collect() };
    let output = called(ir, inputs, |call, input| {
        call.substituted(Soft::new(Environment::default()), input, &Limits::default(), &substitution)
    });
    f64::from_le_bytes(output.expect("it returns")[..8].try_into().expect("eight bytes"))
}

fn called<T>(ir: &str, [x, y]: [f64; 2], run: impl FnOnce(&RecordCall<'_>, &[u8]) -> T) -> T {
    let program = Program::from_bytes(ir.as_bytes(), "f.ll").unwrap();
    let function = program.function("f").unwrap();
    let signature = parse_signature("double f(double x, double y)", &LengthOptions::default()).unwrap();
    let binding = map_parameters(&signature, &program, function).unwrap();
    let call = RecordCall { program: &program, function, binding: &binding, signature: &signature, init: None };
    let layout = signature.input_layout();
    let mut input = vec![0; layout.size];
    for (leaf, value) in layout.leaves.iter().zip([x, y]) {
        leaf.write(&mut input, u128::from(value.to_bits()));
    }
    run(&call, &input)
}

/// Operators with where their operands are from.
fn shown(run: &TracedExecution) -> Vec<(&'static str, Vec<Origin>)> {
    run.operations.iter().map(|of| (of.operator, of.operands.iter().map(|operand| operand.origin).collect())).collect()
}

const THROUGH_MEMORY: &str = "define double @f(double %x, double %y) {\n\
    %p = alloca double\n %s = fadd double %x, %y\n store double %s, ptr %p\n %i = load i64, ptr %p\n\
    %b = bitcast i64 %i to double\n %d = fdiv double %b, 3.0\n %o = fcmp olt double %d, %x\n\
    %r = select i1 %o, double %d, double %b\n ret double %r\n}";

#[test]
fn origins_go_through_memory_integers_and_choices() {
    let run = trace(THROUGH_MEMORY, [1.0, 0.5], 100);
    let [x, y] = [0, 16].map(Origin::Input);
    let [sum, quotient] = [0, 1].map(Origin::Operation);
    assert_eq!(shown(&run), [("fadd", vec![x, y]), ("fdiv", vec![sum, Origin::Value]), ("fcmp", vec![quotient, x])]);
    assert_eq!(run.origins, [quotient]);
    assert!(run.output.is_ok_and(|output| output.starts_with(&0.5f64.to_le_bytes())));
    assert_eq!((run.operations[0].flags, run.operations[2].bits), (Flags::empty(), 0));
    assert_eq!(trace(THROUGH_MEMORY, [-9.0, 0.0], 100).origins, [sum]);
}

#[test]
fn what_is_not_kept_is_known_by_its_value() {
    let run = trace(THROUGH_MEMORY, [1.0, 0.5], 1);
    assert_eq!((run.operations.len(), run.origins), (1, vec![Origin::Value]));
}

#[test]
fn operations_have_other_results_until_control_parts() {
    let run = trace(THROUGH_MEMORY, [1.0, 0.5], 100);
    let with = |results: &[(usize, u128)]| substituted(THROUGH_MEMORY, [1.0, 0.5], &run, results);
    let encoded = |value: f64| u128::from(value.to_bits());
    assert_eq!(with(&[]), 0.5);
    assert_eq!(with(&[(0, encoded(1.2))]), 1.2 / 3.0);
    assert_eq!(with(&[(1, encoded(0.25))]), 0.25);
    assert!(with(&[(0, u128::MAX)]).is_nan());
    // The comparison comes out the other way, by its order.
    assert_eq!([0, 1, 2, 3].map(|order| with(&[(2, order)])), [0.5, 1.5, 1.5, 1.5]);
    let branch = "define double @f(double %x, double %y) {\n %o = fcmp olt double %x, %y\n\
                  br i1 %o, label %a, label %b\na:\n %s = fadd double %x, %y\n ret double %s\nb:\n\
                  %p = fmul double %x, %y\n ret double %p\n}";
    let run = trace(branch, [2.0, 3.0], 100);
    let with = |results: &[(usize, u128)]| substituted(branch, [2.0, 3.0], &run, results);
    assert_eq!(with(&[(1, encoded(7.0))]), 7.0);
    assert_eq!(with(&[(0, 2), (1, encoded(7.0))]), 6.0);
}

/// The product of a sum that is one instruction with it is told from others.
#[test]
fn products_and_sums_of_one_instruction_are_parts() {
    let ir = "define double @f(double %x, double %y) {\n\
              %r = call double @llvm.fmuladd.f64(double %x, double %y, double 0.0)\n ret double %r\n}\n\
              declare double @llvm.fmuladd.f64(double, double, double)\n";
    let run = trace(ir, [3.0, 1.0], 100);
    let parts: Vec<_> = run.operations.iter().map(|of| (of.operator, of.part, of.is_identity)).collect();
    assert_eq!(parts, [("fmul", 0, true), ("fadd", 1, true)]);
    assert_eq!(run.origins, [Origin::Operation(1)]);
}

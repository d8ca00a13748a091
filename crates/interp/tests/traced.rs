//! What computed a float.

use labrys_float::{Environment, Flags};
use labrys_interp::{Limits, Origin, RecordCall, Soft, TracedExecution};
use labrys_program::{LengthOptions, Program, map_parameters, parse_signature};

/// Calls `double f(double x, double y)` and keeps at most so many operations.
fn trace(ir: &str, [x, y]: [f64; 2], most: usize) -> TracedExecution {
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
    call.trace(Soft::new(Environment::default()), &input, &Limits::default(), most)
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

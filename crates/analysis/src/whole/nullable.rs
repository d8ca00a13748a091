//! Pointer parameters that a function asks whether they are null: for these, null is an input, too.
//!
//! Who writes `if (out == NULL)` expects a test for it. Where nothing asks, null would be an error of the caller's, behind which nothing is known.

use labrys_program::{
    Constant, Function, FunctionId, InstructionKind, Operand, ParameterType, Program, Signature, Type, ValueId,
};

/// The indices of the pointer parameters that the function itself compares with null, ascending. None where the IR's parameters are not the
/// signature's one by one.
pub(crate) fn nullable(program: &Program, function: FunctionId, signature: &Signature) -> Vec<usize> {
    let Some(function) = program.functions.get(function.index()) else { return Vec::new() };
    if function.parameters.len() != signature.parameters.len() {
        return Vec::new();
    }
    let is_pointer = |index: &usize| {
        matches!(signature.parameters[*index].ty, ParameterType::Pointer { .. })
            && function.parameters[*index].ty == Type::Pointer
    };
    let asks = |index: &usize| asks_of(function, function.parameters[*index].value);
    (0..signature.parameters.len()).filter(is_pointer).filter(asks).collect()
}

/// Whether a parameter is compared with null: itself, or what is read from the variable that it is kept in.
fn asks_of(function: &Function, parameter: ValueId) -> bool {
    let instructions = || function.blocks.iter().flat_map(|block| &block.instructions);
    let is_it = |operand: &Operand| matches!(operand, Operand::Value(value) if *value == parameter);
    let kept = |variable: &Operand| {
        instructions().any(|of| {
            matches!(&of.kind, InstructionKind::Store { value, pointer, .. } if is_it(value) && pointer == variable)
        })
    };
    let is_read = |operand: &Operand| {
        let Operand::Value(value) = operand else { return false };
        let made = instructions().find(|of| of.result == Some(*value));
        made.is_some_and(|of| matches!(&of.kind, InstructionKind::Load { pointer, .. } if kept(pointer)))
    };
    let is_null = |operand: &Operand| matches!(operand, Operand::Constant(Constant::Null));
    instructions().any(|of| match &of.kind {
        InstructionKind::IntCompare(_, a, b) => {
            let of_it = |operand: &Operand| is_it(operand) || is_read(operand);
            (is_null(a) && of_it(b)) || (is_null(b) && of_it(a))
        }
        _ => false,
    })
}

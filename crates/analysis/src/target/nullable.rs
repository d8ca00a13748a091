//! Pointer parameters that a function asks whether they are null: for these, null is an input, too.
//!
//! Who writes `if (out == NULL)` expects a test for it. Where nothing asks, null would be an error of the caller's, behind which nothing is known.

use labrys_program::{
    Cast, Constant, Function, FunctionId, InstructionKind, Language, Operand, ParameterType, Program, Signature, Type,
    ValueId,
};
use rustc_hash::FxHashSet;

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

/// What calls with memory behind every pointer leave out, a sentence each.
pub(crate) fn never_null(program: &Program, function: FunctionId, signature: &Signature) -> Vec<String> {
    let of = |index: usize| {
        let name = &signature.parameters[index].name;
        format!(
            "{name} is never null here, though the function asks; labrys cover and labrys verify --entry pass null, too"
        )
    };
    nullable(program, function, signature).into_iter().map(of).collect()
}

/// What calls with an object behind each pointer, or null for some, take for granted, a sentence each. In Rust and Fortran nothing that a pointer stands
/// for can be null.
pub(crate) fn of_pointers(signature: &Signature, nullable: &[usize], language: Language) -> Vec<String> {
    let is_pointer = |index: &usize| matches!(signature.parameters[*index].ty, ParameterType::Pointer { .. });
    let pointers = || (0..signature.parameters.len()).filter(is_pointer);
    let mut said = Vec::new();
    if pointers().count() > 0 {
        said.push("pointers that are given point to different objects".to_owned());
    }
    let names: Vec<&str> = pointers()
        .filter(|index| !nullable.contains(index))
        .map(|index| signature.parameters[index].name.as_str())
        .collect();
    if let Some((last, others)) = names.split_last().filter(|_| !matches!(language, Language::Rust | Language::Fortran))
    {
        let (all, verb) = if others.is_empty() { (String::new(), "is") } else { (others.join(", ") + " and ", "are") };
        said.push(format!("{all}{last} {verb} never null, for nothing is seen to ask"));
    }
    said
}

/// Whether a parameter is compared with null, or as an integer with zero: itself, or what is read from the variable that it is kept in.
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
    let is_value = |operand: &Operand| is_it(operand) || is_read(operand);
    let as_integer: FxHashSet<ValueId> = instructions()
        .filter(|of| matches!(&of.kind, InstructionKind::Cast(Cast::PtrToInt, operand) if is_value(operand)))
        .filter_map(|of| of.result)
        .collect();
    let is_null = |operand: &Operand| match operand {
        Operand::Constant(Constant::Null | Constant::Zero(_)) => true,
        Operand::Constant(Constant::Int { value, .. }) => value.bits() == 0,
        _ => false,
    };
    instructions().any(|of| match &of.kind {
        InstructionKind::IntCompare(_, a, b) => {
            let is_integer = |operand: &Operand| matches!(operand, Operand::Value(value) if as_integer.contains(value));
            let of_it = |operand: &Operand| is_value(operand) || is_integer(operand);
            (is_null(a) && of_it(b)) || (is_null(b) && of_it(a))
        }
        _ => false,
    })
}

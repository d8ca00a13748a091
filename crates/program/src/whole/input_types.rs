//! What type the inputs have that a program names itself: that of the variable whose address it hands over.

use std::collections::BTreeMap;

use crate::{Callee, Constant, Function, FunctionId, InstructionKind, Operand, Program, Type, ValueId, VariableType};

/// The function that gives inputs their names: address, size, name.
pub(crate) const NAMING: &str = "klee_make_symbolic";

/// How the names of functions begin that return inputs.
pub(crate) const ASKING: &str = "__VERIFIER_nondet_";

/// The variable of the source that gets what a call of a function returns, where that is stored to one at once: as it is, or converted.
pub fn variable_of_call(program: &Program, function: FunctionId, call: ValueId) -> Option<String> {
    let function = program.functions.get(function.index())?;
    let instructions = || function.blocks.iter().flat_map(|block| &block.instructions);
    let is_converted =
        |of: &&crate::Instruction| matches!(of.kind, InstructionKind::Cast(_, Operand::Value(from)) if from == call);
    let converted = instructions().find(is_converted).and_then(|of| of.result);
    let pointer = instructions().find_map(|instruction| match &instruction.kind {
        InstructionKind::Store { value: Operand::Value(value), pointer, .. }
            if *value == call || Some(*value) == converted =>
        {
            Some(pointer)
        }
        _ => None,
    })?;
    match pointer {
        Operand::Value(memory) => {
            function.input_names.iter().find(|(of, _)| of == memory).map(|(_, name)| name.clone())
        }
        Operand::Constant(Constant::Global(id, 0)) => Some(program.globals.get(id.index())?.name.clone()),
        Operand::Constant(_) => None,
    }
}

/// What is known of the type of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputType {
    /// The IR's.
    pub ty: Type,
    /// The source's, where debug information tells it and all of it can be shown.
    pub variable: Option<VariableType>,
}

/// The type of each name's variable. A name that is given to variables of several types has none, nor has one that is not
/// a constant of the program.
pub fn input_types(program: &Program) -> BTreeMap<String, InputType> {
    let mut types: BTreeMap<String, Option<InputType>> = BTreeMap::new();
    for function in &program.functions {
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let InstructionKind::Call(Callee::Function(callee), arguments) = &instruction.kind else { continue };
            if program.functions[callee.index()].name != NAMING {
                continue;
            }
            let [address, _, name, ..] = &arguments[..] else { continue };
            let (Some(name), Some(ty)) = (text(program, name), pointee(program, function, address)) else { continue };
            types
                .entry(name)
                .and_modify(|known| {
                    if known.as_ref() != Some(&ty) {
                        *known = None;
                    }
                })
                .or_insert(Some(ty));
        }
    }
    types.into_iter().filter_map(|(name, ty)| Some((name, ty?))).collect()
}

/// The text of a constant string.
fn text(program: &Program, operand: &Operand) -> Option<String> {
    let Operand::Constant(Constant::Global(id, 0)) = operand else { return None };
    let Some(Constant::Aggregate(_, elements)) = &program.globals[id.index()].initializer else { return None };
    let byte = |element: &Constant| match element {
        Constant::Int { bits: 8, value } => u8::try_from(value).ok(),
        _ => None,
    };
    let bytes: Vec<u8> = elements.iter().map(byte).collect::<Option<_>>()?;
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8(bytes[..end].to_vec()).ok()
}

/// The type of the variable at an address: a local one's or a global one's.
fn pointee(program: &Program, function: &Function, operand: &Operand) -> Option<InputType> {
    match operand {
        Operand::Constant(Constant::Global(id, 0)) => {
            let global = &program.globals[id.index()];
            Some(InputType { ty: global.ty.clone(), variable: global.variable.clone() })
        }
        Operand::Constant(_) => None,
        Operand::Value(value) => match defining(function, *value)? {
            // The address of an array's first element.
            InstructionKind::PointerOffset { base: Operand::Value(base), offset: 0, scaled } if scaled.is_empty() => {
                // Operands are older than what uses them, but for phis: one step more is enough here.
                allocated(function, *base)
            }
            _ => allocated(function, *value),
        },
    }
}

fn defining(function: &Function, value: ValueId) -> Option<&InstructionKind> {
    let mut instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    Some(&instructions.find(|instruction| instruction.result == Some(value))?.kind)
}

fn allocated(function: &Function, value: ValueId) -> Option<InputType> {
    let InstructionKind::Alloca(ty, ..) = defining(function, value)? else { return None };
    let variable = function.input_variables.iter().find(|(of, _)| *of == value).map(|(_, ty)| ty.clone());
    Some(InputType { ty: ty.clone(), variable })
}

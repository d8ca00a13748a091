//! What type the inputs have that a program names itself: that of the variable whose address it hands over.

use std::collections::BTreeMap;

use crate::{Callee, Constant, Function, InstructionKind, Operand, Program, Type, ValueId};

/// The function that gives inputs their names: address, size, name.
const NAMING: &str = "klee_make_symbolic";

/// The type of each name's variable, by the IR. A name that is given to variables of several types has none, nor has one that is not
/// a constant of the program.
pub fn input_types(program: &Program) -> BTreeMap<String, Type> {
    let mut types: BTreeMap<String, Option<Type>> = BTreeMap::new();
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
fn pointee(program: &Program, function: &Function, operand: &Operand) -> Option<Type> {
    match operand {
        Operand::Constant(Constant::Global(id, 0)) => Some(program.globals[id.index()].ty.clone()),
        Operand::Constant(_) => None,
        Operand::Value(value) => allocated(function, *value),
    }
}

fn allocated(function: &Function, value: ValueId) -> Option<Type> {
    let mut instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    match &instructions.find(|instruction| instruction.result == Some(value))?.kind {
        InstructionKind::Alloca(ty, _, _) => Some(ty.clone()),
        // The address of an array's first element.
        InstructionKind::PointerOffset { base: Operand::Value(base), offset: 0, scaled } if scaled.is_empty() => {
            // Operands are older than what uses them, but for phis: one step more is enough here.
            (*base != value).then(|| alloca_type(function, *base)).flatten()
        }
        _ => None,
    }
}

fn alloca_type(function: &Function, value: ValueId) -> Option<Type> {
    let mut instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    match &instructions.find(|instruction| instruction.result == Some(value))?.kind {
        InstructionKind::Alloca(ty, _, _) => Some(ty.clone()),
        _ => None,
    }
}

//! The values that instructions read.

use labrys_program::{Callee, InstructionKind, Operand, Terminator, ValueId};

fn value(operand: &Operand, see: &mut impl FnMut(ValueId)) {
    if let Operand::Value(id) = operand {
        see(*id);
    }
}

/// Of an instruction; phis have none of their own.
pub(crate) fn of_instruction(kind: &InstructionKind, mut see: impl FnMut(ValueId)) {
    let see = &mut see;
    match kind {
        InstructionKind::FloatBinary(_, a, b)
        | InstructionKind::FloatCompare(_, a, b)
        | InstructionKind::IntCompare(_, a, b)
        | InstructionKind::IntBinary { lhs: a, rhs: b, .. }
        | InstructionKind::ExtractElement(a, b)
        | InstructionKind::ShuffleVector(a, b, _)
        | InstructionKind::InsertValue(a, b, _)
        | InstructionKind::Store { value: a, pointer: b, .. } => {
            value(a, see);
            value(b, see);
        }
        InstructionKind::FloatNegate(a)
        | InstructionKind::Cast(_, a)
        | InstructionKind::Alloca(_, a, _)
        | InstructionKind::Load { pointer: a, .. }
        | InstructionKind::ExtractValue(a, _)
        | InstructionKind::Freeze(a) => value(a, see),
        InstructionKind::Select(a, b, c) | InstructionKind::InsertElement(a, b, c) => {
            for operand in [a, b, c] {
                value(operand, see);
            }
        }
        InstructionKind::PointerOffset { base, scaled, .. } => {
            value(base, see);
            scaled.iter().for_each(|(operand, _)| value(operand, see));
        }
        InstructionKind::Call(callee, arguments) => {
            if let Callee::Indirect(operand) = callee {
                value(operand, see);
            }
            arguments.iter().for_each(|operand| value(operand, see));
        }
        InstructionKind::Phi(_) | InstructionKind::Unsupported(_) => {}
    }
}

/// Of a terminator.
pub(crate) fn of_terminator(terminator: &Terminator, mut see: impl FnMut(ValueId)) {
    match terminator {
        Terminator::Return(Some(operand))
        | Terminator::CondBranch(operand, ..)
        | Terminator::Switch { value: operand, .. } => value(operand, &mut see),
        Terminator::Return(None) | Terminator::Branch(_) | Terminator::Unreachable | Terminator::Unsupported(_) => {}
    }
}

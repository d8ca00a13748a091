//! The values that instructions and the ends of blocks read.

use crate::{Callee, InstructionKind, Operand, Terminator};

impl InstructionKind {
    /// Shows all operands, in order: of a phi the values that come in, of an indirect call its address before the arguments.
    pub fn for_each_operand<'i>(&'i self, see: impl FnMut(&'i Operand)) {
        match self {
            InstructionKind::FloatBinary(_, a, b)
            | InstructionKind::FloatCompare(_, a, b)
            | InstructionKind::IntCompare(_, a, b)
            | InstructionKind::IntBinary { lhs: a, rhs: b, .. }
            | InstructionKind::ExtractElement(a, b)
            | InstructionKind::ShuffleVector(a, b, _)
            | InstructionKind::InsertValue(a, b, _)
            | InstructionKind::Store { value: a, pointer: b, .. } => [a, b].into_iter().for_each(see),
            InstructionKind::FloatNegate(a)
            | InstructionKind::Cast(_, a)
            | InstructionKind::Alloca(_, a, _)
            | InstructionKind::Load { pointer: a, .. }
            | InstructionKind::ExtractValue(a, _)
            | InstructionKind::Freeze(a) => [a].into_iter().for_each(see),
            InstructionKind::Select(a, b, c) | InstructionKind::InsertElement(a, b, c) => {
                [a, b, c].into_iter().for_each(see);
            }
            InstructionKind::Phi(incoming) => incoming.iter().map(|(_, value)| value).for_each(see),
            InstructionKind::PointerOffset { base, scaled, .. } => {
                std::iter::once(base).chain(scaled.iter().map(|(index, _)| index)).for_each(see);
            }
            InstructionKind::Call(Callee::Indirect(address), arguments) => {
                std::iter::once(address).chain(arguments).for_each(see);
            }
            InstructionKind::Call(_, arguments) => arguments.iter().for_each(see),
            InstructionKind::Unsupported(_) => {}
        }
    }
}

impl Terminator {
    /// The one operand: what is returned, or what decides where control goes.
    pub fn operand(&self) -> Option<&Operand> {
        match self {
            Terminator::Return(operand) => operand.as_ref(),
            Terminator::CondBranch(operand, ..)
            | Terminator::Switch { value: operand, .. }
            | Terminator::Resume(operand) => Some(operand),
            Terminator::Branch(_) | Terminator::Unreachable | Terminator::Unsupported(_) => None,
        }
    }
}

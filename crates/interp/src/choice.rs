//! Branches that only choose a value: `if (w < 0) w += d;`.
//!
//! **Claim.** Where [`meeting_point`] names a block, both ways of the branch come to it through blocks without effects
//! (no store, no call but of functions that only compute, no return, no further branch that does not meet there itself),
//! so that what the branch decided is seen in that block's phis alone. A value that is defined on one of the ways does
//! not dominate the block where they meet, and is not used behind it but through a phi.
//!
//! What it does not say: whether both ways end (a loop without effects may not), and whether an access of the way that is
//! not taken would trap.

use labrys_program::{BlockId, Callee, Function, Instruction, InstructionKind, Operand, Program, Terminator, Type};

/// Blocks looked at for one branch: more than a chain of a dozen conditions has.
const MOST_BLOCKS: u32 = 64;

/// The block where both ways of a block's conditional branch meet; `None` where the branch may do more than choose.
pub(crate) fn meeting_point(program: &Program, function: &Function, block: BlockId) -> Option<BlockId> {
    let meeting = Ways { program, function, left: MOST_BLOCKS }.meet(block)?;
    (meeting != block).then_some(meeting)
}

/// The search for one branch's meeting point.
struct Ways<'p> {
    program: &'p Program,
    function: &'p Function,
    /// Blocks that may still be looked at.
    left: u32,
}

impl Ways<'_> {
    fn meet(&mut self, block: BlockId) -> Option<BlockId> {
        match self.function.blocks[block.index()].terminator {
            Terminator::CondBranch(_, a, b) => {
                let from_a = self.way(a);
                let mut at = b;
                while !from_a.contains(&at) {
                    at = self.next(at)?;
                }
                Some(at)
            }
            _ => None,
        }
    }

    /// The blocks that every run from `first` on comes through, as far as nothing has an effect.
    fn way(&mut self, first: BlockId) -> Vec<BlockId> {
        let mut way = vec![first];
        while let Some(next) = way.last().and_then(|last| self.next(*last)) {
            way.push(next);
        }
        way
    }

    /// The next block that every run from this one on comes through; `None` where this one has effects, or control ends.
    fn next(&mut self, block: BlockId) -> Option<BlockId> {
        self.left = self.left.checked_sub(1)?;
        let content = &self.function.blocks[block.index()];
        if !content.instructions.iter().all(|instruction| only_computes(self.program, self.function, instruction)) {
            return None;
        }
        match content.terminator {
            Terminator::Branch(target) => Some(target),
            _ => self.meet(block),
        }
    }
}

/// Whether an instruction has no effect but its result.
fn only_computes(program: &Program, function: &Function, instruction: &Instruction) -> bool {
    match &instruction.kind {
        InstructionKind::Store { .. }
        | InstructionKind::Alloca(..)
        | InstructionKind::Freeze(_)
        | InstructionKind::Unsupported(_) => false,
        InstructionKind::Call(Callee::Intrinsic(called), _) => called.kind().only_computes(),
        InstructionKind::Call(Callee::Function(id), operands) => {
            let known = program.functions[id.index()].known.filter(|known| known.only_computes());
            known.is_some_and(|known| !program.may_read_reports(known)) && !takes_pointer(function, operands)
        }
        InstructionKind::Call(..) => false,
        _ => true,
    }
}

/// Whether one of the operands of a call is a pointer, through which it may write.
pub(crate) fn takes_pointer(function: &Function, operands: &[Operand]) -> bool {
    operands.iter().any(|operand| function.type_of(operand).is_none_or(|ty| ty == Type::Pointer))
}

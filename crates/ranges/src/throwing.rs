//! Calls that throw: what a function does when one of them does not return.
//!
//! **Claim.** Where a call may throw, every site behind its landing pad is taken to raise all it can, and no run comes back from there.
//! **Argument.** Something throws only in a function of which nothing is known, so that a call may throw only if it can reach such a one.
//! The blocks behind the landing pad, and all functions that they can call, are recorded whole. If one of the blocks is entered otherwise,
//! too, or returns, states would come from there that nobody looked at: such a function is not analysed.

use labrys_program::{BlockId, Callee, FunctionId, InstructionKind, Terminator};
use rustc_hash::FxHashSet;

use crate::block::Place;
use crate::machine::{Activation, Machine};
use crate::stop::{Stop, unsupported};

impl Machine<'_> {
    /// What happens if a call at a place throws.
    pub fn thrown(&mut self, activation: &Activation, place: Place, callee: FunctionId) -> Result<(), Stop> {
        let program = self.program;
        let function = &program.functions[activation.function.index()];
        let block = &function.blocks[place.block as usize];
        let is_last = place.instruction as usize + 1 == block.instructions.len();
        let Some(pad) = block.unwind.filter(|_| is_last && self.may_throw(callee)) else { return Ok(()) };
        let mut behind = FxHashSet::default();
        let mut pending = vec![pad];
        while let Some(block) = pending.pop() {
            if !behind.insert(block) {
                continue;
            }
            let of = &function.blocks[block.index()];
            if matches!(of.terminator, Terminator::Return(_)) || activation.cfg.order[block.index()] != u32::MAX {
                return Err(unsupported("an exception that is caught"));
            }
            pending.extend(function.targets(of));
        }
        if self.is_recording {
            self.record_behind(activation.function, &behind);
        }
        Ok(())
    }

    /// Takes every site of some blocks, and of all that they can call, to raise all it can.
    fn record_behind(&mut self, function: FunctionId, blocks: &FxHashSet<BlockId>) {
        let program = self.program;
        self.note_anything(function);
        for block in blocks {
            self.record_block(function, *block);
            for instruction in &program.functions[function.index()].blocks[block.index()].instructions {
                let callees = match &instruction.kind {
                    InstructionKind::Call(Callee::Function(id), _) => vec![*id],
                    InstructionKind::Call(Callee::Indirect(_), _) => self.calls.callees(function).to_vec(),
                    _ => Vec::new(),
                };
                let reached: Vec<FunctionId> = callees.into_iter().flat_map(|id| self.reached(id)).collect();
                reached.into_iter().for_each(|id| self.record_all(id));
            }
        }
    }

    /// Whether a call of a function may throw: it can reach one of which nothing is known.
    fn may_throw(&mut self, function: FunctionId) -> bool {
        if let Some(&known) = self.throwing.get(&function) {
            return known;
        }
        let functions = self.calls.reachable(function).into_iter().map(|id| &self.program.functions[id.index()]);
        let may = functions.into_iter().any(|of| {
            let calls_anything = |kind: &InstructionKind| matches!(kind, InstructionKind::Call(Callee::Indirect(_), _));
            let mut kinds = of.blocks.iter().flat_map(|block| &block.instructions).map(|instruction| &instruction.kind);
            (of.blocks.is_empty() && of.known.is_none_or(|known| known.may_throw())) || kinds.any(calls_anything)
        });
        self.throwing.insert(function, may);
        may
    }
}

//! What control can still come to, by the graph of branches and calls alone.
//!
//! **Claim.** Where control stands at a call stack, it comes to no block outside [`Reach::from`] of it. **Argument.** Control goes
//! along a branch, into a function that is called, or back to a caller, which stands in a block of the call stack or in one from which the
//! call was made, and so is in the set already. A computed address calls a function whose address is taken somewhere, or none of the
//! program's; what is not defined may call those, too. `longjmp` leads to the blocks that call `setjmp`.

use labrys_program::{BlockId, CallGraph, Callee, FunctionId, InstructionKind, Program};
use smallvec::SmallVec;

use super::{Feature, FeatureSet};
use crate::control_calls::ControlCall;

/// Whether a function is the control call.
fn is_control(program: &Program, id: FunctionId, call: ControlCall) -> bool {
    ControlCall::of(&program.functions[id.index()].name) == Some(call)
}

/// The numbers of the blocks that make the control call, given the numbers of functions' first blocks.
fn blocks_with(program: &Program, first: &[usize], call: ControlCall) -> Vec<u32> {
    let makes = |kind: &InstructionKind| matches!(kind, InstructionKind::Call(Callee::Function(id), _) if is_control(program, *id, call));
    let mut found = Vec::new();
    for (function, start) in program.functions.iter().zip(first) {
        for (index, block) in function.blocks.iter().enumerate() {
            if block.instructions.iter().any(|instruction| makes(&instruction.kind)) {
                found.push((start + index) as u32);
            }
        }
    }
    found
}

/// The graph of branches and calls: blocks are numbered throughout the program.
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    /// The number of each function's first block.
    first: Vec<usize>,
    forward: Vec<SmallVec<[u32; 2]>>,
    backward: Vec<SmallVec<[u32; 2]>>,
}

impl Reach {
    pub(crate) fn of(program: &Program) -> Reach {
        let mut first = Vec::with_capacity(program.functions.len());
        let mut count = 0;
        for function in &program.functions {
            first.push(count);
            count += function.blocks.len();
        }
        let is_defined = |id: &FunctionId| !program.functions[id.index()].blocks.is_empty();
        let graph = CallGraph::new(program);
        let taken: Vec<FunctionId> = graph.address_taken().iter().copied().filter(is_defined).collect();
        let landings = blocks_with(program, &first, ControlCall::SetJump);
        let mut forward: Vec<SmallVec<[u32; 2]>> = Vec::with_capacity(count);
        for (function, &start) in program.functions.iter().zip(&first) {
            for block in &function.blocks {
                let mut to: SmallVec<[u32; 2]> =
                    function.targets(block).iter().map(|block| (start + block.index()) as u32).collect();
                for instruction in &block.instructions {
                    let InstructionKind::Call(callee, _) = &instruction.kind else { continue };
                    match callee {
                        Callee::Function(id) if is_defined(id) => to.push(first[id.index()] as u32),
                        Callee::Function(id) if is_control(program, *id, ControlCall::LongJump) => {
                            to.extend(landings.iter().copied())
                        }
                        Callee::Function(_) | Callee::Indirect(_) | Callee::InlineAsm(_) => {
                            to.extend(taken.iter().map(|id| first[id.index()] as u32));
                        }
                        Callee::Intrinsic(_) => {}
                    }
                }
                to.sort_unstable();
                to.dedup();
                forward.push(to);
            }
        }
        let mut backward = vec![SmallVec::new(); forward.len()];
        for (from, targets) in forward.iter().enumerate() {
            for &to in targets {
                backward[to as usize].push(from as u32);
            }
        }
        Reach { first, forward, backward }
    }

    /// The number of a block.
    pub(crate) fn block(&self, function: FunctionId, block: BlockId) -> usize {
        self.first.get(function.index()).map_or(0, |first| first + block.index())
    }

    /// The block in which a feature happens.
    pub(crate) fn place(&self, feature: Feature) -> usize {
        self.block(feature.function, feature.block)
    }

    /// The blocks that control can come to from some, these among them.
    pub(crate) fn from(&self, blocks: impl IntoIterator<Item = usize>) -> FeatureSet {
        let mut seen = FeatureSet::default();
        let mut pending: Vec<usize> = blocks.into_iter().filter(|block| *block < self.forward.len()).collect();
        while let Some(block) = pending.pop() {
            if seen.insert(block) {
                pending.extend(self.forward[block].iter().map(|to| *to as usize));
            }
        }
        seen
    }

    /// How many branches and calls lie at least between each block and the nearest of some; `u32::MAX` where none can be reached.
    pub(crate) fn distances(&self, targets: impl IntoIterator<Item = usize>) -> Vec<u32> {
        let mut distances = vec![u32::MAX; self.forward.len()];
        let mut wave: Vec<usize> = targets.into_iter().filter(|block| *block < distances.len()).collect();
        let mut distance = 0;
        while !wave.is_empty() {
            let mut next = Vec::new();
            for block in wave {
                if distances[block] == u32::MAX {
                    distances[block] = distance;
                    next.extend(self.backward[block].iter().map(|from| *from as usize));
                }
            }
            distance += 1;
            wave = next;
        }
        distances
    }
}

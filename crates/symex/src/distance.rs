//! How far it is from a block to the nearest site of a set, through branches and calls.
//!
//! Nodes are the blocks of all functions that the entry can call. An edge leads from a block to its successors, and to the
//! entries of the functions that it calls; returns are not edges: a state has its call stack, and each activation's
//! block has its own distance. So a set that no activation's block leads to cannot be reached: any further execution
//! continues in one of the activations' blocks, or in a function that is called from a block that they lead to.

use std::collections::VecDeque;

use labrys_program::{BlockId, CallGraph, Callee, FunctionId, Instruction, InstructionKind, Program};
use rustc_hash::FxHashMap;

/// The blocks and how they lead to one another.
#[derive(Debug)]
pub(crate) struct BlockGraph {
    /// The number of each function's entry block.
    first: FxHashMap<FunctionId, usize>,
    /// For each block those that lead to it.
    predecessors: Vec<Vec<u32>>,
}

/// For each block the number of edges to the nearest block of a set.
#[derive(Debug)]
pub(crate) struct Distances(Vec<u32>);

/// The distance of what cannot be reached.
pub(crate) const UNREACHABLE: u32 = u32::MAX;

impl BlockGraph {
    /// The graph of these functions, which are closed under calls.
    pub(crate) fn new(program: &Program, functions: &[FunctionId], calls: &CallGraph) -> BlockGraph {
        let mut first = FxHashMap::default();
        let mut count = 0;
        for &id in functions {
            let blocks = program.functions[id.index()].blocks.len();
            if blocks > 0 {
                first.insert(id, count);
                count += blocks;
            }
        }
        let mut predecessors = vec![Vec::new(); count];
        for (&id, &start) in &first {
            for (index, block) in program.functions[id.index()].blocks.iter().enumerate() {
                let from = (start + index) as u32;
                for target in program.functions[id.index()].targets(block) {
                    predecessors[start + target.index()].push(from);
                }
                for instruction in &block.instructions {
                    for callee in called(program, calls, id, instruction).filter_map(|callee| first.get(&callee)) {
                        predecessors[*callee].push(from);
                    }
                }
            }
        }
        BlockGraph { first, predecessors }
    }

    /// The distances to the blocks for which `is_target` holds.
    pub(crate) fn distances(&self, targets: impl IntoIterator<Item = (FunctionId, BlockId)>) -> Distances {
        let mut distances = vec![UNREACHABLE; self.predecessors.len()];
        let mut queue = VecDeque::new();
        for (function, block) in targets {
            if let Some(node) = self.node(function, block)
                && distances[node] != 0
            {
                distances[node] = 0;
                queue.push_back(node);
            }
        }
        while let Some(node) = queue.pop_front() {
            for &before in &self.predecessors[node] {
                let before = before as usize;
                if distances[before] == UNREACHABLE {
                    distances[before] = distances[node] + 1;
                    queue.push_back(before);
                }
            }
        }
        Distances(distances)
    }

    /// The blocks that can be entered once execution goes on at any of these instructions.
    pub(crate) fn entered_after(
        &self,
        program: &Program,
        calls: &CallGraph,
        positions: impl IntoIterator<Item = (FunctionId, BlockId, u32)>,
    ) -> Vec<(FunctionId, BlockId)> {
        let mut successors = vec![Vec::new(); self.predecessors.len()];
        for (node, before) in self.predecessors.iter().enumerate() {
            before.iter().for_each(|&before| successors[before as usize].push(node));
        }
        let mut is_ahead = vec![false; self.predecessors.len()];
        let mut pending = Vec::new();
        for (function, block, instruction) in positions {
            let of = &program.functions[function.index()];
            let block = &of.blocks[block.index()];
            // Calls before the instruction have been made.
            let rest = block.instructions.get(instruction as usize..).unwrap_or_default();
            let callees = rest.iter().flat_map(|it| called(program, calls, function, it));
            let callees = callees.map(|callee| (callee, BlockId(0)));
            let targets = of.targets(block).into_iter().map(|target| (function, target));
            pending.extend(callees.chain(targets).filter_map(|(function, block)| self.node(function, block)));
        }
        while let Some(node) = pending.pop() {
            if !std::mem::replace(&mut is_ahead[node], true) {
                pending.extend(&successors[node]);
            }
        }
        let mut starts: Vec<(usize, FunctionId)> = self.first.iter().map(|(&id, &first)| (first, id)).collect();
        starts.sort_unstable();
        let of = |node: usize| {
            // Functions without blocks have no start, so that starts are distinct.
            let at = starts.partition_point(|(first, _)| *first <= node) - 1;
            let (first, function) = starts[at];
            (function, BlockId((node - first) as u32))
        };
        (0..is_ahead.len()).filter(|&node| is_ahead[node]).map(of).collect()
    }

    fn node(&self, function: FunctionId, block: BlockId) -> Option<usize> {
        self.first.get(&function).map(|first| first + block.index())
    }

    /// The distance from a call stack, given as its activations' blocks, outermost first: the nearest from any of them,
    /// each return counting for one edge. Blocks outside the graph lead nowhere.
    pub(crate) fn of_stack(&self, distances: &Distances, stack: &[(FunctionId, BlockId)]) -> u32 {
        let ahead = stack.iter().rev().enumerate().filter_map(|(returns, &(function, block))| {
            match distances.0.get(self.node(function, block)?) {
                Some(&UNREACHABLE) | None => None,
                Some(&distance) => Some(distance.saturating_add(returns as u32)),
            }
        });
        ahead.min().unwrap_or(UNREACHABLE)
    }
}

/// The functions that an instruction of a function can call.
fn called<'a>(
    program: &Program,
    calls: &'a CallGraph,
    function: FunctionId,
    instruction: &'a Instruction,
) -> impl Iterator<Item = FunctionId> + use<'a> {
    let (callees, others): (&[FunctionId], &[FunctionId]) = match &instruction.kind {
        InstructionKind::Call(Callee::Function(callee), _) => {
            let of = &program.functions[callee.index()];
            // A function that is not known, such as qsort, calls whatever it is given, or was given before.
            let is_unknown = of.blocks.is_empty() && of.known.is_none();
            (std::slice::from_ref(callee), if is_unknown { calls.address_taken() } else { &[] })
        }
        // All that the function can call are a superset of what this pointer can be.
        InstructionKind::Call(Callee::Indirect(_), _) => (calls.callees(function), &[]),
        _ => (&[], &[]),
    };
    callees.iter().chain(others).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    const IR: &str = "
define void @leaf() { ret void }
define void @f(i1 %c) {
entry: br i1 %c, label %left, label %right
left: call void @leaf() br label %end
right: br label %end
end: ret void
}";

    /// What `qsort` is given is called there.
    #[test]
    fn functions_that_are_not_known_call_what_they_are_given() {
        let text = "declare void @qsort(ptr, i64, i64, ptr)
            define internal i32 @compare(ptr %a, ptr %b) { ret i32 0 }
            define void @sort(ptr %v) { call void @qsort(ptr %v, i64 4, i64 8, ptr @compare) ret void }";
        let program = Program::from_bytes(text.as_bytes(), "f.ll").unwrap();
        let [compare, sort] = ["compare", "sort"].map(|name| program.function(name).unwrap());
        let calls = CallGraph::new(&program);
        let graph = BlockGraph::new(&program, &calls.reachable(sort), &calls);
        let to_compare = graph.distances([(compare, BlockId(0))]);
        assert_eq!(graph.of_stack(&to_compare, &[(sort, BlockId(0))]), 1);
        let ahead = graph.entered_after(&program, &calls, [(sort, BlockId(0), 0)]);
        assert_eq!(ahead, [(compare, BlockId(0))]);
    }

    #[test]
    fn calls_and_branches_lead_to_targets_and_returns_count() {
        let program = Program::from_bytes(IR.as_bytes(), "f.ll").unwrap();
        let [leaf, f] = ["leaf", "f"].map(|name| program.function(name).unwrap());
        let calls = CallGraph::new(&program);
        let graph = BlockGraph::new(&program, &calls.reachable(f), &calls);
        let to_leaf = graph.distances([(leaf, BlockId(0))]);
        let from = |block| graph.of_stack(&to_leaf, &[(f, BlockId(block))]);
        assert_eq!([0, 1, 2, 3].map(from), [2, 1, UNREACHABLE, UNREACHABLE]);
        let mut ahead = graph.entered_after(&program, &calls, [(f, BlockId(1), 0)]);
        ahead.sort_unstable();
        assert_eq!(ahead, [(leaf, BlockId(0)), (f, BlockId(3))]);
        // Behind the call.
        assert_eq!(graph.entered_after(&program, &calls, [(f, BlockId(1), 1)]), [(f, BlockId(3))]);
        let to_end = graph.distances([(f, BlockId(3))]);
        // In the callee, one return away from a block that is one edge away.
        assert_eq!(graph.of_stack(&to_end, &[(f, BlockId(1)), (leaf, BlockId(0))]), 2);
    }
}

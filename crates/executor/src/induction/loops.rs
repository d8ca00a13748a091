//! The loops of a program's functions, and the places where an induction looks at paths: where rounds begin, and behind loops.

use labrys_program::{BlockId, Function, FunctionId, Program, ValueId};
use labrys_symex::back_edges;
use rustc_hash::{FxHashMap, FxHashSet};

/// The loops of a program.
#[derive(Debug, Default)]
pub(crate) struct Loops {
    /// By function: each header with the blocks of its loop.
    bodies: Vec<FxHashMap<BlockId, FxHashSet<BlockId>>>,
    /// By function and block: whether it is a header, or entered from a loop that it is not in.
    marks: Vec<Vec<bool>>,
}

impl Loops {
    pub(crate) fn of(program: &Program) -> Loops {
        let mut all = Loops::default();
        for function in &program.functions {
            let bodies: FxHashMap<BlockId, FxHashSet<BlockId>> = back_edges(function)
                .into_iter()
                .map(|(header, latches)| (header, body(function, header, latches)))
                .collect();
            let mut marks = vec![false; function.blocks.len()];
            for (header, body) in &bodies {
                marks[header.index()] = true;
                let targets = body.iter().flat_map(|block| function.targets(&function.blocks[block.index()]));
                targets.filter(|target| !body.contains(target)).for_each(|target| marks[target.index()] = true);
            }
            all.bodies.push(bodies);
            all.marks.push(marks);
        }
        all
    }

    /// Whether an induction looks at paths where they come to a block.
    pub(crate) fn is_marked(&self, function: FunctionId, block: BlockId) -> bool {
        self.marks.get(function.index()).is_some_and(|marks| marks.get(block.index()).is_some_and(|mark| *mark))
    }

    /// Whether a block is one where rounds of a loop begin.
    pub(crate) fn is_header(&self, function: FunctionId, block: BlockId) -> bool {
        self.bodies.get(function.index()).is_some_and(|bodies| bodies.contains_key(&block))
    }

    /// Whether a block is in the loop of a header.
    pub(crate) fn is_in(&self, function: FunctionId, header: BlockId, block: BlockId) -> bool {
        let body = self.bodies.get(function.index()).and_then(|bodies| bodies.get(&header));
        body.is_some_and(|body| body.contains(&block))
    }
}

/// The values of a function that no block among some defines.
pub(crate) fn values_outside<'f>(
    function: &'f Function,
    is_inside: impl Fn(BlockId) -> bool + 'f,
) -> impl Iterator<Item = ValueId> + 'f {
    let outside = (0..).map(BlockId).zip(&function.blocks).filter(move |(id, _)| !is_inside(*id));
    let defined = outside.flat_map(|(_, block)| block.instructions.iter().filter_map(|instruction| instruction.result));
    function.parameters.iter().map(|parameter| parameter.value).chain(defined)
}

/// The blocks from which a way leads to a back edge of a header and not through the header, and this.
fn body(function: &Function, header: BlockId, latches: Vec<BlockId>) -> FxHashSet<BlockId> {
    let mut before: Vec<Vec<BlockId>> = vec![Vec::new(); function.blocks.len()];
    for (index, block) in function.blocks.iter().enumerate() {
        for target in function.targets(block) {
            before[target.index()].push(BlockId(index as u32));
        }
    }
    let mut body = FxHashSet::from_iter([header]);
    let mut pending = latches;
    while let Some(block) = pending.pop() {
        if body.insert(block) {
            pending.extend_from_slice(&before[block.index()]);
        }
    }
    body
}

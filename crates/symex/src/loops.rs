//! Back edges of control-flow graphs.
//!
//! An edge is called a back edge if, in a depth-first search from the entry, its target is on the search's stack when
//! the edge is met. Every cycle contains one, reducible or not, which is all that bounding loops needs.

use labrys_program::{BlockId, Function};
use rustc_hash::FxHashMap;

/// For each loop header, the blocks from which back edges lead to it.
pub type BackEdges = FxHashMap<BlockId, Vec<BlockId>>;

/// For each block of a function whether its entry leads to it.
pub(crate) fn reachable_blocks(function: &Function) -> Vec<bool> {
    let mut reachable = vec![false; function.blocks.len()];
    let mut pending: Vec<BlockId> = function.blocks.first().map(|_| BlockId(0)).into_iter().collect();
    while let Some(block) = pending.pop() {
        if std::mem::replace(&mut reachable[block.index()], true) {
            continue;
        }
        pending.extend(function.targets(&function.blocks[block.index()]));
    }
    reachable
}

/// The back edges of a function.
pub fn back_edges(function: &Function) -> BackEdges {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        OnStack,
        Done,
    }
    let mut marks = vec![Mark::New; function.blocks.len()];
    let mut found = BackEdges::default();
    if function.blocks.is_empty() {
        return found;
    }
    let targets = |block: BlockId| function.targets(&function.blocks[block.index()]);
    let mut stack = vec![(BlockId(0), targets(BlockId(0)))];
    marks[0] = Mark::OnStack;
    while let Some((block, rest)) = stack.last_mut() {
        let block = *block;
        match rest.pop() {
            Some(next) => match marks[next.index()] {
                Mark::New => {
                    marks[next.index()] = Mark::OnStack;
                    stack.push((next, targets(next)));
                }
                Mark::OnStack => {
                    let latches = found.entry(next).or_default();
                    if !latches.contains(&block) {
                        latches.push(block);
                    }
                }
                Mark::Done => {}
            },
            None => {
                marks[block.index()] = Mark::Done;
                stack.pop();
            }
        }
    }
    found
}

//! Back edges of control-flow graphs.
//!
//! An edge is called a back edge if, in a depth-first search from the entry, its target is on the search's stack when
//! the edge is met. Every cycle contains one, reducible or not, which is all that bounding loops needs.

use labrys_program::{BlockId, Function, Terminator};
use rustc_hash::FxHashMap;

/// For each loop header, the blocks from which back edges lead to it.
pub(crate) type BackEdges = FxHashMap<BlockId, Vec<BlockId>>;

pub(crate) fn successors(terminator: &Terminator) -> Vec<BlockId> {
    match terminator {
        Terminator::Branch(target) => vec![*target],
        Terminator::CondBranch(_, if_true, if_false) => vec![*if_true, *if_false],
        Terminator::Switch { cases, default, .. } => {
            let mut all: Vec<BlockId> = cases.iter().map(|(_, block)| *block).collect();
            all.push(*default);
            all
        }
        Terminator::Return(_) | Terminator::Unreachable | Terminator::Unsupported(_) => Vec::new(),
    }
}

/// For each block of a function whether its entry leads to it.
pub(crate) fn reachable_blocks(function: &Function) -> Vec<bool> {
    let mut reachable = vec![false; function.blocks.len()];
    let mut pending: Vec<BlockId> = function.blocks.first().map(|_| BlockId(0)).into_iter().collect();
    while let Some(block) = pending.pop() {
        if std::mem::replace(&mut reachable[block.index()], true) {
            continue;
        }
        pending.extend(successors(&function.blocks[block.index()].terminator));
    }
    reachable
}

/// The back edges of a function.
pub(crate) fn back_edges(function: &Function) -> BackEdges {
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
    let mut stack = vec![(BlockId(0), successors(&function.blocks[0].terminator))];
    marks[0] = Mark::OnStack;
    while let Some((block, rest)) = stack.last_mut() {
        let block = *block;
        match rest.pop() {
            Some(next) => match marks[next.index()] {
                Mark::New => {
                    marks[next.index()] = Mark::OnStack;
                    stack.push((next, successors(&function.blocks[next.index()].terminator)));
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

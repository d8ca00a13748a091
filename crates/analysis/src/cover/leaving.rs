//! Functions that may be left in the middle, or entered there again: llvm-cov's counts are wrong in these.
//!
//! Clang and rustc count a part of the ways through a function only, and llvm-cov computes the others as sums and differences: what went into a branch and
//! not to one side went to the other. Where a call in the condition does not return (it ends the program, throws, panics, jumps) it went to neither,
//! and where `setjmp` returns twice there are more that leave than came.

use labrys_program::{CallGraph, Callee, Function, FunctionId, InstructionKind, Program, Terminator};
use rustc_hash::FxHashSet;

/// Calls that return again when somebody jumps there.
const RETURN_TWICE: [&str; 4] = ["setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"];

/// The functions of a program whose counts may be wrong.
#[derive(Debug, Default)]
pub(super) struct Leaving {
    /// Those that may be left in the middle: counts may be too large.
    in_the_middle: FxHashSet<FunctionId>,
    /// Those that may be entered there: too small, too.
    again: FxHashSet<FunctionId>,
}

impl Leaving {
    /// Of rustc's code checks count nothing either: a function's own panics are among them. Clang counts what is behind its own calls that never return.
    pub(super) fn of(program: &Program, is_of_rustc: bool) -> Leaving {
        let ids = || (0..program.functions.len() as u32).map(FunctionId);
        let graph = CallGraph::new(program);
        let mut ending: FxHashSet<FunctionId> = ids().filter(|id| may_end(&program.functions[id.index()])).collect();
        loop {
            let calls_one = |id: &FunctionId| graph.callees(*id).iter().any(|callee| ending.contains(callee));
            let more: Vec<FunctionId> = ids().filter(|id| !ending.contains(id) && calls_one(id)).collect();
            if more.is_empty() {
                break;
            }
            ending.extend(more);
        }
        let is_left = |id: &FunctionId| match is_of_rustc {
            true => ending.contains(id),
            false => goes_on(&program.functions[id.index()]).any(|callee| match callee {
                Callee::Function(called) => ending.contains(called),
                Callee::Indirect(_) => graph.address_taken().iter().any(|called| ending.contains(called)),
                _ => false,
            }),
        };
        let is_again = |id: &FunctionId| {
            goes_on(&program.functions[id.index()]).any(|callee| match callee {
                Callee::Function(called) => RETURN_TWICE.contains(&program.functions[called.index()].name.as_str()),
                _ => false,
            })
        };
        Leaving { in_the_middle: ids().filter(is_left).collect(), again: ids().filter(is_again).collect() }
    }

    /// Whether a count of a function may be too large.
    pub(super) fn may_be_too_large(&self, function: FunctionId) -> bool {
        self.in_the_middle.contains(&function) || self.again.contains(&function)
    }

    /// Whether one may be too small.
    pub(super) fn may_be_too_small(&self, function: FunctionId) -> bool {
        self.again.contains(&function)
    }
}

/// Whether a function may end otherwise than by returning.
fn may_end(function: &Function) -> bool {
    function.blocks.iter().any(|block| match &block.terminator {
        Terminator::Resume(_) => true,
        Terminator::Unreachable => block.instructions.iter().any(|of| matches!(of.kind, InstructionKind::Call(..))),
        _ => false,
    })
}

/// What is called where the function goes on behind it.
fn goes_on(function: &Function) -> impl Iterator<Item = &Callee> {
    let blocks = function.blocks.iter().filter(|block| !matches!(block.terminator, Terminator::Unreachable));
    blocks.flat_map(|block| &block.instructions).filter_map(|instruction| match &instruction.kind {
        InstructionKind::Call(callee, _) => Some(callee),
        _ => None,
    })
}

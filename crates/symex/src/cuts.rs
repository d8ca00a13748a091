//! What paths that were left early might still have executed.
//!
//! A path that is cut stands at an instruction of each of its activations. Whatever it would have executed is behind that
//! instruction in its block, in a block that this one leads to, or in a function called from one of these. So the executions
//! of any other site are all there, however many paths were cut: what is said about all of them holds for every input.

use labrys_interp::{PANIC, Stop};
use labrys_program::{BlockId, CallGraph, Function, FunctionId, Program, Terminator};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::distance::BlockGraph;
use crate::{Site, StopReason};

/// Where a state stands: for each activation its function, its block and the next instruction; outermost first.
pub(crate) type Position = SmallVec<[(FunctionId, BlockId, u32); 8]>;

/// The sites that paths left for one reason might still have reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Why they were left.
    pub why: StopReason,
    /// By function, for each of its blocks the first instruction that may still be executed; `None` is everything.
    ahead: Option<FxHashMap<String, FxHashMap<u32, u32>>>,
}

impl Cut {
    /// Whether the site might have been executed after the cut.
    pub fn may_reach(&self, site: &Site) -> bool {
        let Some(ahead) = &self.ahead else { return true };
        let first = ahead.get(&site.function).and_then(|blocks| blocks.get(&site.block));
        first.is_some_and(|first| site.instruction >= *first)
    }
}

/// The cuts of an exploration while it runs.
#[derive(Debug, Default)]
pub(crate) struct Cuts {
    /// By reason, in order of first appearance.
    positions: Vec<(StopReason, FxHashSet<Position>)>,
}

impl Cuts {
    /// Notes that a path was left, if it did not come to its own end.
    pub(crate) fn add(&mut self, why: &StopReason, position: Position) {
        match why {
            StopReason::Returned | StopReason::NothingOpen => return,
            // The program ends itself there. A panic may be handled.
            StopReason::Stopped(Stop::Exit(_)) => return,
            StopReason::Stopped(Stop::AssertionFailed(text)) if &**text != PANIC => return,
            StopReason::Arrived | StopReason::Stopped(_) | StopReason::Budget(_) => {}
        }
        match self.positions.iter_mut().find(|(known, _)| known == why) {
            Some((_, positions)) => {
                positions.insert(position);
            }
            None => self.positions.push((why.clone(), FxHashSet::from_iter([position]))),
        }
    }

    /// What lies ahead of each.
    pub(crate) fn finish(self, program: &Program, entry: FunctionId) -> Vec<Cut> {
        if self.positions.is_empty() {
            return Vec::new();
        }
        let calls = CallGraph::new(program);
        let graph = BlockGraph::new(program, &calls.reachable(entry), &calls);
        let ahead = |why: &StopReason, positions: &FxHashSet<Position>| {
            // A function that is not known can call any other, and a path that never began leads everywhere.
            let is_anything = matches!(why, StopReason::Stopped(Stop::UnknownFunction(_)));
            if is_anything || positions.iter().any(|position| position.is_empty()) {
                return None;
            }
            let is_panic = matches!(why, StopReason::Stopped(Stop::AssertionFailed(_)));
            let positions: Vec<Position> = match is_panic {
                true => positions.iter().map(|position| handled(program, position)).collect(),
                false => positions.iter().cloned().collect(),
            };
            let activations = || positions.iter().flatten().copied();
            let mut first: FxHashMap<String, FxHashMap<u32, u32>> = FxHashMap::default();
            let mut note = |(function, block): (FunctionId, BlockId), instruction: u32| {
                let name = &program.functions[function.index()].name;
                let blocks = match first.get_mut(name) {
                    Some(blocks) => blocks,
                    None => first.entry(name.clone()).or_default(),
                };
                let least = blocks.entry(block.0).or_insert(instruction);
                *least = (*least).min(instruction);
            };
            for (function, block, instruction) in activations() {
                note((function, block), instruction);
            }
            for block in graph.entered_after(program, &calls, activations()) {
                note(block, 0);
            }
            Some(first)
        };
        let cut = |(why, positions): &(StopReason, FxHashSet<Position>)| {
            let ahead = ahead(why, positions);
            // A panic that nothing handles ends the program.
            let is_end = ahead.as_ref().is_some_and(FxHashMap::is_empty);
            (!is_end).then(|| Cut { why: why.clone(), ahead })
        };
        self.positions.iter().filter_map(cut).collect()
    }
}

/// Where a state may go on that panics: at the landing pads of its activations, and where one of them catches, behind the calls outside.
fn handled(program: &Program, position: &Position) -> Position {
    let mut found = Position::new();
    for (depth, &(id, block, _)) in position.iter().enumerate() {
        let function = &program.functions[id.index()];
        let Some(pad) = function.blocks.get(block.index()).and_then(|block| block.unwind) else { continue };
        found.push((id, pad, 0));
        if may_return(function, pad) {
            found.extend(position[..depth].iter().copied());
        }
    }
    found
}

/// Whether control may come from a block to a return.
fn may_return(function: &Function, from: BlockId) -> bool {
    let mut seen = FxHashSet::default();
    let mut pending = vec![from];
    while let Some(block) = pending.pop() {
        let of = &function.blocks[block.index()];
        if matches!(of.terminator, Terminator::Return(_)) {
            return true;
        }
        if seen.insert(block) {
            pending.extend(function.targets(of));
        }
    }
    false
}

//! Branches whose ways meet again soon, having done no more than choose values: both are followed, and made one path.
//!
//! **Claim.** The path that [`Driver::merged`] gives stands for both ways: on each input it does what the way does that the input takes.
//!
//! **Argument.** Each way is followed under its side of the branch up to the block where they meet, the branch's nearest post-dominator in
//! its function, without an assumption, a check that is not decided, an error, an input or a call that is answered and does more than
//! compute. So what either does is a function of the state before, and the states are chosen between by the branch's condition
//! (`labrys_interp::Machine::merge`). Whether an input takes a way is not asked: what no input takes is chosen by no input. The
//! path's condition stays as it was before the branch.
//!
//! Whether states are worth merging is a guess: terms grow, paths are halved. Ways are short, few scalars may differ, and pointers may
//! not. Where it has failed often at a branch it is not tried any more.

use labrys_interp::{Halt, Split, Step};
use labrys_program::{Block, BlockId, Function, FunctionId, Instruction, InstructionKind, Terminator};
use labrys_term::TermId;
use rustc_hash::FxHashMap;

use crate::driver::Driver;
use crate::externals::{Answer, External};
use crate::inputs::Source;
use crate::state::Execution;
use crate::texts::TextCall;

/// Instructions of both ways together, nested branches included.
const MOST_INSTRUCTIONS: u32 = 600;

/// How deep branches may be nested.
const MOST_NESTED: u32 = 12;

/// Attempts at a branch that may fail before it is left alone, and how many more for each that did not.
const PATIENCE: u32 = 6;

/// Where branches' ways meet, and how often they were merged.
#[derive(Debug, Default)]
pub(crate) struct Diamonds {
    meetings: FxHashMap<FunctionId, Vec<Option<BlockId>>>,
    /// By branch: failures, less what successes make up for.
    failures: FxHashMap<(FunctionId, BlockId), u32>,
}

/// A branch that is being merged.
#[derive(Clone, Copy)]
struct Branch {
    function: FunctionId,
    block: BlockId,
    meeting: BlockId,
    depth: usize,
}

impl Diamonds {
    fn meeting(&mut self, id: FunctionId, function: &Function, block: BlockId) -> Option<BlockId> {
        self.meetings.entry(id).or_insert_with(|| meetings(function)).get(block.index()).copied().flatten()
    }

    fn is_worth_a_try(&self, branch: &Branch) -> bool {
        self.failures.get(&(branch.function, branch.block)).is_none_or(|failures| *failures < PATIENCE)
    }

    fn note(&mut self, branch: &Branch, merged: bool) {
        let failures = self.failures.entry((branch.function, branch.block)).or_default();
        *failures = if merged { failures.saturating_sub(PATIENCE) } else { *failures + 1 };
    }
}

/// How many phis a block begins with.
pub(crate) fn phis(block: &Block) -> usize {
    let is_phi = |instruction: &&Instruction| matches!(instruction.kind, InstructionKind::Phi(_));
    block.instructions.iter().take_while(is_phi).count()
}

impl<'s> Driver<'_, 's> {
    /// The path that stands for both ways of the branch at which this one is parted; `None` where they are to be followed apart.
    pub(crate) fn merged(&mut self, execution: &Execution<'s>, split: &Split<TermId>) -> Option<Execution<'s>> {
        if self.guide.is_some() || !self.merges || !matches!(self.source, Source::Symbolic) {
            return None;
        }
        let mut left = MOST_INSTRUCTIONS;
        self.meet(execution, split, 0, &mut left)
    }

    fn meet(
        &mut self,
        execution: &Execution<'s>,
        split: &Split<TermId>,
        nested: u32,
        left: &mut u32,
    ) -> Option<Execution<'s>> {
        if split.bits != 1 || nested >= MOST_NESTED || self.machine.domain.has_undefined_bits(split.symbol) {
            return None;
        }
        let frame = execution.state.frame()?;
        let (id, block) = (frame.function, frame.block);
        let function = self.program.functions.get(id.index())?;
        let content = function.blocks.get(block.index())?;
        if frame.instruction < content.instructions.len() || !matches!(content.terminator, Terminator::CondBranch(..)) {
            return None;
        }
        let meeting = self.diamonds.meeting(id, function, block)?;
        let branch = Branch { function: id, block, meeting, depth: execution.state.depth() };
        if !self.diamonds.is_worth_a_try(&branch) {
            return None;
        }
        let merged = self.follow_both(execution, split.symbol, &branch, nested, left);
        self.diamonds.note(&branch, merged.is_some());
        merged
    }

    fn follow_both(
        &mut self,
        execution: &Execution<'s>,
        symbol: TermId,
        branch: &Branch,
        nested: u32,
        left: &mut u32,
    ) -> Option<Execution<'s>> {
        let mut side = |value: u128| {
            let mut side = execution.clone();
            let condition = side.state.path.choices.condition;
            side.state.path.choices.choose(self.machine.domain.store, symbol, value, condition);
            self.follow_way(side, branch, nested, left)
        };
        let (a, b) = (side(1)?, side(0)?);
        let path = &execution.state.path;
        let mut kept = path.clone();
        kept.environment = a.state.path.environment.clone();
        if self.machine.domain.tells_apart(&a.state.path.environment, &b.state.path.environment) {
            return None;
        }
        let state = self.machine.merge(&symbol, (&a.state, &b.state), branch.meeting, kept)?;
        Some(Execution { state, merged: execution.merged + 1, ..execution.clone() })
    }

    /// Follows one way up to where it meets the other.
    fn follow_way(
        &mut self,
        mut side: Execution<'s>,
        branch: &Branch,
        nested: u32,
        left: &mut u32,
    ) -> Option<Execution<'s>> {
        let meeting = &self.program.functions.get(branch.function.index())?.blocks.get(branch.meeting.index())?;
        let behind_phis = phis(meeting);
        loop {
            *left = left.checked_sub(1)?;
            self.outcome.instructions += 1;
            match self.machine.step(&mut side.state) {
                Ok(Step::Continue) => {}
                Err(Halt::Split(split)) => side = self.meet(&side, &split, nested + 1, left)?,
                Err(Halt::Call(function)) => {
                    if !self.externals.get(&function).is_some_and(only_computes) {
                        return None;
                    }
                    let Ok(Answer::Value(value)) = self.answer(&mut side, function) else { return None };
                    self.machine.answer(&mut side.state, value);
                }
                Ok(Step::Returned(_)) | Err(Halt::Stop(_)) => return None,
            }
            let (depth, frame) = (side.state.depth(), side.state.frame()?);
            if depth < branch.depth {
                return None;
            }
            if depth == branch.depth && frame.block == branch.meeting && frame.instruction == behind_phis {
                return Some(side);
            }
            // Around a loop: ways that meet only behind it are not short.
            if depth == branch.depth && frame.block == branch.block {
                return None;
            }
        }
    }
}

/// Whether an answer is a function of the arguments.
fn only_computes(external: &External) -> bool {
    matches!(external, External::Text(TextCall::Character(_)) | External::Math(_) | External::Nothing)
}

/// For each block the nearest block that every way from it to the function's end leads through, where there is one: by dominance on the
/// reversed graph (Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm", 2001). Ways that never end are not asked.
fn meetings(function: &Function) -> Vec<Option<BlockId>> {
    let count = function.blocks.len();
    let exit = count;
    let mut next: Vec<Vec<usize>> = function
        .blocks
        .iter()
        .map(|block| block.terminator.successors().iter().map(|target| target.index()).collect::<Vec<_>>())
        .collect();
    for targets in next.iter_mut().filter(|targets| targets.is_empty()) {
        targets.push(exit);
    }
    let mut before = vec![Vec::new(); count + 1];
    for (from, targets) in next.iter().enumerate() {
        for target in targets {
            before[*target].push(from);
        }
    }
    // Postorder of the reversed graph, from the exit.
    let mut order = vec![usize::MAX; count + 1];
    let mut list = Vec::new();
    let mut seen = vec![false; count + 1];
    let mut pending = vec![(exit, 0)];
    seen[exit] = true;
    while let Some((at, index)) = pending.pop() {
        match before[at].get(index) {
            Some(&previous) => {
                pending.push((at, index + 1));
                if !std::mem::replace(&mut seen[previous], true) {
                    pending.push((previous, 0));
                }
            }
            None => {
                order[at] = list.len();
                list.push(at);
            }
        }
    }
    let mut nearest = vec![usize::MAX; count + 1];
    nearest[exit] = exit;
    let mut changed = true;
    while changed {
        changed = false;
        for &at in list.iter().rev().filter(|at| **at != exit) {
            let mut found = usize::MAX;
            for &target in next[at].iter().filter(|target| nearest[**target] != usize::MAX) {
                found = if found == usize::MAX { target } else { common(&nearest, &order, found, target) };
            }
            if nearest[at] != found {
                nearest[at] = found;
                changed = true;
            }
        }
    }
    (0..count).map(|block| Some(nearest[block]).filter(|at| *at < count).map(|at| BlockId(at as u32))).collect()
}

/// The nearest block that both lead through.
fn common(nearest: &[usize], order: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while order[a] < order[b] {
            a = nearest[a];
        }
        while order[b] < order[a] {
            b = nearest[b];
        }
    }
    a
}

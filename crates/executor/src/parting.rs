//! Paths that part: over the values of something that inputs decide and that must be known for them to go on.

use labrys_interp::{Split, Stop};
use labrys_program::{BlockId, FunctionId, Terminator};
use labrys_symex::int_facts::{self, Choice};
use labrys_symex::int_terms;
use labrys_term::{Op, TermId};

use crate::driver::Driver;
use crate::ending::{ending, innermost};
use crate::oracle::Feasible;
use crate::schedule::Goal;
use crate::state::Execution;
use crate::{CallSite, Decision};

/// Values that one path parts over at most.
const MAX_VALUES: usize = 1024;

impl<'s> Driver<'_, 's> {
    /// Parts a path by the values of a symbol. Where only one of them is possible the path is given back, else its parts wait.
    pub(crate) fn part(&mut self, mut execution: Execution<'s>, split: &Split<TermId>) -> Option<Execution<'s>> {
        if self.machine.domain.has_undefined_bits(split.symbol) {
            let ending = ending(&mut self.machine, &execution, &self.options.checks, &Stop::Undefined);
            self.end(execution, ending);
            return None;
        }
        if let Some(frame) = execution.state.frame() {
            self.schedule.enter((frame.function, frame.block));
        }
        if let Some(merged) = self.merged(&execution, split) {
            return Some(merged);
        }
        if !self.place(&mut execution, split.symbol) {
            return None;
        }
        let all = Choice { symbol: split.symbol, bits: split.bits, values: split.candidates.clone() };
        let store = self.store();
        let mut choice = int_facts::peel(store, all);
        let is_cut = choice.values.len() > MAX_VALUES;
        choice.values.truncate(MAX_VALUES);
        let is_exhaustive = !is_cut && (split.is_exhaustive || int_facts::is_exhaustive(store, &choice));
        let conditions: Vec<TermId> = choice.values.iter().map(|&value| self.condition(&choice, value)).collect();

        let mut possible = Vec::new();
        let mut is_certain = true;
        for (&value, &condition) in choice.values.iter().zip(&conditions) {
            if !self.is_of_use(&execution, (&choice, value), split.symbol) {
                is_certain = false;
                continue;
            }
            match self.ask(&execution, condition) {
                Feasible::No => {}
                Feasible::Yes(witness) => possible.push((value, condition, witness)),
                Feasible::Unknown(_) => {
                    is_certain = false;
                    possible.push((value, condition, None));
                }
            }
        }
        let has_rest = !is_exhaustive && self.part_rest(&execution, split, &conditions, is_cut);
        if possible.is_empty() && !has_rest && is_certain && execution.witness.is_some() {
            // Some value must be possible where the path is.
            self.give_up(&execution, "the solver contradicts itself".into(), false);
            return None;
        }
        // The path's condition implies the only possible value: nothing is added to it.
        let is_implied = is_exhaustive && possible.len() == 1 && is_certain;
        let mut only = None;
        for (value, condition, witness) in possible {
            let mut next = execution.clone();
            if is_implied {
                let condition = next.state.path.choices.condition;
                let store = self.store();
                next.state.path.choices.choose(store, choice.symbol, value, condition);
            } else {
                self.choose(&mut next, choice.symbol, value, condition);
                next.witness = witness;
                let site = self.site(&next);
                next.decisions.push(Decision { site, value });
            }
            next.goal = self.goal(&next, split.symbol);
            if is_implied {
                only = Some(next);
            } else {
                let goal = match next.goal {
                    Some((function, block)) => Some(Goal::Block(function, block)),
                    None if choice.bits == 1 => next
                        .state
                        .frame()
                        .map(|frame| Goal::Outcome(frame.function, frame.block, frame.instruction, value != 0)),
                    None => None,
                };
                self.wait(next, goal);
            }
        }
        only
    }

    /// The path on which a symbol has none of the values that it was parted by; whether there may be one.
    fn part_rest(
        &mut self,
        execution: &Execution<'s>,
        split: &Split<TermId>,
        conditions: &[TermId],
        is_cut: bool,
    ) -> bool {
        let store = self.store();
        let others: Vec<TermId> = conditions.iter().map(|&condition| int_terms::not(store, condition)).collect();
        let others = store.and(&others);
        let mut last = execution.clone();
        match self.ask(execution, others) {
            Feasible::No => return false,
            Feasible::Yes(witness) => last.witness = witness,
            Feasible::Unknown(_) => last.witness = None,
        }
        self.choose(&mut last, others, 1, others);
        let stop = if is_cut { Stop::SymbolicValue } else { split.otherwise.clone() };
        if stop == Stop::SymbolicValue
            && let Some(all) = self.few(&last, split.symbol, split.bits)
        {
            if let Some(only) = self.part(last, &all) {
                self.wait(only, None);
            }
            return true;
        }
        let ending = ending(&mut self.machine, &last, &self.options.checks, &stop);
        self.end(last, ending);
        true
    }

    /// The condition that a symbol has a value.
    fn condition(&mut self, choice: &Choice, value: u128) -> TermId {
        let store = self.store();
        if choice.bits == 1 {
            return if value != 0 { choice.symbol } else { int_terms::not(store, choice.symbol) };
        }
        let value = store.bv_const(choice.bits, value);
        store.mk(Op::Eq, &[choice.symbol, value])
    }

    /// The block to which a path's next step leads, where it is a conditional branch on a known symbol.
    fn goal(&self, execution: &Execution<'s>, symbol: TermId) -> Option<(FunctionId, BlockId)> {
        let frame = execution.state.frame()?;
        let block = &self.program.functions.get(frame.function.index())?.blocks.get(frame.block.index())?;
        if frame.instruction < block.instructions.len() {
            return None;
        }
        match &block.terminator {
            Terminator::CondBranch(_, if_true, if_false) => {
                let value = int_facts::value_under(self.machine.domain.store, &execution.state.path.choices, symbol)?;
                Some((frame.function, if value != 0 { *if_true } else { *if_false }))
            }
            _ => None,
        }
    }

    /// Whether it matters what a path does where a symbol has a value: not where a guide knows that nothing new lies there.
    fn is_of_use(&mut self, execution: &Execution<'s>, (choice, value): (&Choice, u128), symbol: TermId) -> bool {
        if self.guide.is_none() {
            return true;
        }
        let mut next = execution.clone();
        let condition = next.state.path.choices.condition;
        next.state.path.choices.choose(self.store(), choice.symbol, value, condition);
        let Some(goal) = self.goal(&next, symbol) else { return true };
        self.guide.as_mut().is_none_or(|guide| guide.is_block_of_use(execution, goal))
    }

    pub(crate) fn site(&self, execution: &Execution<'s>) -> CallSite {
        let innermost = innermost(self.program, execution);
        innermost.unwrap_or(CallSite { function: FunctionId(0), location: None })
    }
}

//! Terminators: branches, switches, returns.

use labrys_program::{BlockId, InstructionKind, IntPredicate, Operand, Terminator, ValueId};

use crate::machine::{HaltOf, ValueOf, int_of};
use crate::{Domain, Int, Machine, State, Step, Stop, bits};

impl<D: Domain> Machine<'_, D> {
    /// Executes a terminator.
    pub(crate) fn terminator(&mut self, state: &mut State<D>, terminator: &Terminator) -> Result<Step<D>, HaltOf<D>> {
        match terminator {
            Terminator::Branch(target) => self.enter(state, *target)?,
            Terminator::CondBranch(condition, if_true, if_false) => {
                let condition = self.scalar(state, condition)?;
                if condition.tainted && if_true != if_false {
                    return Err(Stop::Undefined.into());
                }
                let taken = match self.only_way(state, *if_true, *if_false) {
                    Some(taken) => taken,
                    None => self.decide(state, int_of(&condition)?)?,
                };
                self.enter(state, if taken { *if_true } else { *if_false })?;
            }
            Terminator::Switch { value, cases, default } => {
                let value = self.scalar(state, value)?;
                if value.tainted {
                    return Err(Stop::Undefined.into());
                }
                let value = int_of(&value)?;
                let mut target = *default;
                for (case, block) in cases {
                    let case = Int::number(value.bits(), case.clone());
                    let equal = bits::compare(&mut self.domain, IntPredicate::Eq, value, &case);
                    if self.decide(state, &equal)? {
                        target = *block;
                        break;
                    }
                }
                self.enter(state, target)?;
            }
            Terminator::Return(operand) => return self.return_from(state, operand.as_ref()),
            Terminator::Unreachable => return Err(Stop::Unreachable.into()),
            Terminator::Resume(operand) => {
                let value = self.operand(state, operand)?;
                self.resume(state, value)?;
            }
            Terminator::Unsupported(what) => return Err(Stop::Unsupported(what.clone()).into()),
        }
        Ok(Step::Continue)
    }

    /// Moves to another block of the same function; its phis all read the values from before.
    pub(crate) fn enter(&mut self, state: &mut State<D>, target: BlockId) -> Result<(), HaltOf<D>> {
        let Some(frame) = state.frame() else { return Ok(()) };
        let (function_id, from, depth) = (frame.function, frame.block, state.depth());
        let function = self.function(function_id)?;
        let mut defined = Vec::new();
        let mut phis = 0;
        for instruction in &function.blocks[target.index()].instructions {
            let InstructionKind::Phi(incoming) = &instruction.kind else { break };
            phis += 1;
            let operand = incoming.iter().find(|(block, _)| *block == from).map(|(_, operand)| operand);
            let operand = operand.ok_or_else(|| Stop::unsupported("a phi without this predecessor"))?;
            let value = self.operand(state, operand)?;
            if let Some(result) = instruction.result {
                defined.push((result, value));
            }
        }
        self.domain.edge(&mut state.path, function_id, depth, from, target)?;
        if let Some(frame) = state.frame_mut() {
            for (result, value) in defined {
                if let Some(slot) = frame.values.get_mut(result.index()) {
                    *slot = Some(value);
                }
            }
            frame.block = target;
            frame.instruction = phis;
        }
        Ok(())
    }

    /// `ret`.
    fn return_from(&mut self, state: &mut State<D>, operand: Option<&Operand>) -> Result<Step<D>, HaltOf<D>> {
        let value = match operand {
            Some(operand) => self.operand(state, operand)?,
            None => ValueOf::<D>::new(),
        };
        Ok(Self::leave(state, value))
    }

    /// Leaves the innermost function: its locals die, the caller goes on after the call.
    pub(crate) fn leave(state: &mut State<D>, value: ValueOf<D>) -> Step<D> {
        let result_to = Self::end_activation(state);
        if state.frames.is_empty() {
            return Step::Returned(value);
        }
        if let Some(result) = result_to {
            state.define(result, value);
        }
        Step::Continue
    }

    /// Ends the innermost activation, with its locals; where its caller wants the result.
    pub(crate) fn end_activation(state: &mut State<D>) -> Option<ValueId> {
        let frame = state.frame()?;
        let (locals, result_to) = (frame.locals.clone(), frame.result_to);
        state.frames.drop_last();
        for &local in &locals {
            state.memory.end(local);
        }
        result_to
    }
}

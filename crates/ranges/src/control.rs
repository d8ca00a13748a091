//! Terminators: where control goes, and what is known there.

use labrys_program::{BlockId, InstructionKind, IntPredicate, Operand, Terminator};
use num_traits::ToPrimitive;

use crate::block::define;
use crate::graph::Domain;
use crate::integer::IntDomain;
use crate::machine::{Activation, Machine, Outcome};
use crate::proof::UNREACHABLE;
use crate::refine;
use crate::snapshot::Snapshot;
use crate::stop::{Stop, unsupported};

impl Machine<'_> {
    /// Goes where a terminator leads.
    pub fn terminator(
        &mut self,
        activation: &Activation,
        from: BlockId,
        terminator: &Terminator,
        mut snapshot: Snapshot,
        outcome: &mut Outcome,
    ) -> Result<(), Stop> {
        match terminator {
            Terminator::Return(operand) => {
                let value = match operand {
                    Some(operand) => Some(self.operand(&snapshot, operand)?),
                    None => None,
                };
                snapshot.values = vec![value];
                outcome.finish(snapshot);
            }
            Terminator::Branch(target) => self.enter(activation, from, *target, snapshot, outcome)?,
            Terminator::CondBranch(condition, if_true, if_false) => {
                let condition = self.scalar(&snapshot, condition)?;
                let Domain::Int(set) = self.domain(&snapshot, condition) else {
                    return Err(unsupported("a condition that is no integer"));
                };
                match set.single() {
                    Some(0) => self.enter(activation, from, *if_false, snapshot, outcome)?,
                    Some(_) => self.enter(activation, from, *if_true, snapshot, outcome)?,
                    None => {
                        for (truth, target) in [(true, *if_true), (false, *if_false)] {
                            let mut way = snapshot.clone();
                            way.state.branch = self.graph.fork(way.state.branch);
                            if refine::assume_bit(&self.graph, &mut way.state, condition, truth) {
                                self.enter(activation, from, target, way, outcome)?;
                            }
                        }
                    }
                }
            }
            Terminator::Switch { value, cases, default } => {
                self.switch(activation, from, (value, cases, *default), snapshot, outcome)?;
            }
            Terminator::Unreachable => self.may_fail(UNREACHABLE),
            Terminator::Resume(_) => return Err(Stop::Unsupported("resume".into())),
            Terminator::Unsupported(what) => return Err(Stop::Unsupported(what.clone())),
        }
        Ok(())
    }

    fn switch(
        &mut self,
        activation: &Activation,
        from: BlockId,
        (value, cases, default): (&Operand, &[(num_bigint::BigUint, BlockId)], BlockId),
        mut snapshot: Snapshot,
        outcome: &mut Outcome,
    ) -> Result<(), Stop> {
        let value = self.scalar(&snapshot, value)?;
        for (case, target) in cases {
            let Domain::Int(set) = self.domain(&snapshot, value) else {
                return Err(unsupported("a switch on no integer"));
            };
            let case = IntDomain::only(set.bits, case.to_u128().unwrap_or_default());
            let mut way = snapshot.clone();
            way.state.branch = self.graph.fork(way.state.branch);
            if refine::assume(&self.graph, &mut way.state, value, Domain::Int(case)) {
                self.enter(activation, from, *target, way, outcome)?;
            }
            let Some((rest, _)) = IntDomain::compared(IntPredicate::Ne, &set, &case) else { return Ok(()) };
            snapshot.state.branch = self.graph.fork(snapshot.state.branch);
            if !refine::assume(&self.graph, &mut snapshot.state, value, Domain::Int(rest)) {
                return Ok(());
            }
        }
        self.enter(activation, from, default, snapshot, outcome)
    }

    /// Moves to a block: its phis all read the values from before, and values that nobody reads any more are dropped.
    fn enter(
        &mut self,
        activation: &Activation,
        from: BlockId,
        target: BlockId,
        mut snapshot: Snapshot,
        outcome: &mut Outcome,
    ) -> Result<(), Stop> {
        let program = self.program;
        let block = &program.functions[activation.function.index()].blocks[target.index()];
        let mut defined = Vec::new();
        for instruction in &block.instructions {
            let InstructionKind::Phi(incoming) = &instruction.kind else { break };
            let operand = incoming.iter().find(|(block, _)| *block == from).map(|(_, operand)| operand);
            let operand = operand.ok_or_else(|| unsupported("a phi without this predecessor"))?;
            defined.push((instruction, self.operand(&snapshot, operand)?));
        }
        for (instruction, value) in defined {
            define(&mut snapshot, instruction, value);
        }
        if activation.cfg.is_join[target.index()] {
            for (index, slot) in snapshot.values.iter_mut().enumerate() {
                if slot.is_some() && !activation.cfg.is_live(target, index) {
                    *slot = None;
                }
            }
        }
        outcome.exit(target, snapshot);
        Ok(())
    }
}

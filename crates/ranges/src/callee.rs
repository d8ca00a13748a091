//! Calls that were analysed before.
//!
//! A function with loops or calls is analysed by itself, from what it can see of its caller's state ([`crate::frozen`]), and what came of it
//! is kept: the same call from elsewhere, on another path or for another box of inputs, costs nothing. Small functions are analysed in
//! their callers, with all that is known there.
//!
//! Where one run has seen a function with many different arguments, an earlier analysis whose arguments include the new ones serves as
//! well, and if there is none, one for any floats: a call's cost is then paid once.
//!
//! **Claim.** The states after a call describe all that a run can be in after it, and what the record holds includes all that it executes.
//!
//! **Argument.** [`crate::frozen`] has it for the states. The record is that of an analysis that started from a state which describes all
//! that the caller's does; it is added whenever a caller is being recorded.

use std::rc::Rc;

use labrys_program::{Callee, FunctionId, InstructionKind};

use crate::block::is_hint;
use crate::frozen::{Exit, Frozen, Number, freeze};
use crate::graph::Value;
use crate::machine::Machine;
use crate::record::Record;
use crate::snapshot::Snapshot;
use crate::stop::Stop;
use crate::summary::Summary;

/// A summary that serves for a state.
struct Fit {
    summary: Rc<Summary>,
    /// The numbers that the summary's scalars have in the state, where they are others.
    numbers: Option<Vec<Number>>,
}

/// Functions of so many instructions are analysed by themselves even if they have neither loops nor calls.
const SMALL: usize = 64;

impl Machine<'_> {
    /// A call of a defined function: the states in which it returns, with its result as the only value.
    pub fn call_summarised(
        &mut self,
        function: FunctionId,
        arguments: &[Value],
        snapshot: Snapshot,
    ) -> Result<Vec<Snapshot>, Stop> {
        if !self.is_separate(function) {
            return self.run_function(function, arguments, snapshot);
        }
        let (entry, mut places) = freeze(&self.graph, &snapshot.state, arguments);
        let Some(Fit { summary, numbers }) = self.summary(function, entry)? else {
            return self.run_function(function, arguments, snapshot);
        };
        if let Some(numbers) = numbers {
            places = places.renumbered(&numbers);
        }
        if self.is_recording && self.record.included.insert(summary.id) {
            self.record.add(&summary);
        }
        let graph = &mut self.graph;
        Ok(summary.exits.iter().filter_map(|exit| exit.apply(graph, &snapshot.state, &places)).collect())
    }

    /// Whether a function is analysed by itself.
    fn is_separate(&mut self, function: FunctionId) -> bool {
        if let Some(known) = self.summaries.is_separate(function) {
            return known;
        }
        let program = self.program;
        let of = &program.functions[function.index()];
        let calls = |callee: &Callee| match callee {
            Callee::Function(id) => !program.functions[id.index()].blocks.is_empty(),
            Callee::Indirect(_) => true,
            _ => false,
        };
        let instructions = of.blocks.iter().flat_map(|block| &block.instructions);
        let calls = instructions.clone().any(|instruction| {
            matches!(&instruction.kind, InstructionKind::Call(callee, _) if !is_hint(callee) && calls(callee))
        });
        let is_separate = calls || instructions.count() > SMALL || !self.cfg(function).loops.is_empty();
        self.summaries.set_separate(function, is_separate);
        is_separate
    }

    /// What a call in a state does; `None` if that cannot be told without its caller.
    fn summary(&mut self, function: FunctionId, entry: Frozen) -> Result<Option<Fit>, Stop> {
        let mut key = (function, entry);
        let mut known = self.summaries.exact(&key);
        if known.is_none() && self.summaries.count(function) >= self.effort.contexts {
            if let Some((summary, numbers)) = self.summaries.including(function, &key.1) {
                return Ok(Some(Fit { summary, numbers: Some(numbers) }));
            }
            // The scalars keep their numbers.
            key.1 = key.1.with_any_floats();
            known = self.summaries.exact(&key);
        }
        let summary = match known {
            Some(known) => known,
            None => match self.summarised(function, &key.1)? {
                Some(summary) => summary,
                None => {
                    self.summaries.set_separate(function, false);
                    return Ok(None);
                }
            },
        };
        self.summaries.note(function, &summary);
        self.summaries.keep(key, &summary);
        Ok(Some(Fit { summary, numbers: None }))
    }

    /// Analyses a function in a state.
    fn summarised(&mut self, function: FunctionId, entry: &Frozen) -> Result<Option<Rc<Summary>>, Stop> {
        let next_object = &mut self.next_object;
        let (snapshot, arguments, places) = entry.thaw(&mut self.graph, || {
            *next_object += 1;
            crate::pointer::ObjectId::Dynamic(*next_object)
        });
        let before = snapshot.state.memory.clone();
        let outer = std::mem::take(&mut self.record);
        let was_recording = std::mem::replace(&mut self.is_recording, true);
        let returned = self.run_function(function, &arguments, snapshot);
        self.is_recording = was_recording;
        let record = std::mem::replace(&mut self.record, outer);
        let graph = &self.graph;
        let exits = returned?.iter().map(|after| Exit::of(graph, entry, &before, &places, after)).collect();
        let Some(exits) = exits else { return Ok(None) };
        let Record { sites, opaque, heads, failing, entered, .. } = record;
        let id = self.summaries.new_id();
        Ok(Some(Rc::new(Summary { id, entry: entry.clone(), exits, sites, opaque, heads, failing, entered })))
    }
}

//! The loops of the source, and the variables that can be named at them, from debug information.
//!
//! Clang describes a loop at the branch that goes back, by where its keyword stands. Which variables can be named there is what the scopes around
//! that place declare before it; of several of one name the innermost.

use std::collections::BTreeMap;

use super::bodies::Body;
use super::loader::Loader;
use crate::llvm::{Declaration, Metadata, Value};
use crate::{SourceLoop, SourceVariable};

impl<'m> Loader<'m> {
    /// The loops of a function, in the order of the blocks that go back.
    pub(super) fn source_loops(&mut self, body: &Body<'m>, function: Value<'m>) -> Vec<SourceLoop> {
        let mut loops: Vec<SourceLoop> = Vec::new();
        let mut declarations = None;
        for block in function.blocks() {
            let Some(last) = block.instructions().last() else { continue };
            let start = last.loop_description(self.module).and_then(|of| of.first_location(self.module));
            let (Some(start), [head]) = (start, &last.successors()[..]) else { continue };
            let Some(&head) = body.blocks.get(head) else { continue };
            let Some(location) = self.location(start).filter(|_| start.inlined_at().is_none()) else { continue };
            if loops.iter().any(|known| known.head == head) {
                continue;
            }
            let declared = declarations.get_or_insert_with(|| self.declared_in_memory(function));
            let variables = self.nameable(body, start, declared);
            loops.push(SourceLoop { head, location, variables });
        }
        loops
    }

    /// Variables that live in memory as they are.
    pub(super) fn declared_in_memory(&self, function: Value<'m>) -> Vec<Declaration<'m>> {
        let empty = self.module.empty_expression();
        let instructions = function.blocks().flat_map(|block| block.instructions());
        let all = instructions.flat_map(|instruction| instruction.declarations());
        all.filter(|of| Some(of.expression) == empty && of.location.inlined_at().is_none()).collect()
    }

    /// The variables that can be named where a loop begins.
    fn nameable(&self, body: &Body<'m>, start: Metadata<'m>, declared: &[Declaration<'m>]) -> Vec<SourceVariable> {
        let scopes = start.scope().map(|scope| scope.scopes(self.module)).unwrap_or_default();
        let mut innermost: BTreeMap<String, (usize, Option<SourceVariable>)> = BTreeMap::new();
        for Declaration { memory, variable, location, .. } in declared {
            let scope = variable.variable_scope(self.module);
            let Some(depth) = scopes.iter().position(|of| Some(*of) == scope) else { continue };
            let is_before = (location.line(), location.column()) < (start.line(), start.column());
            if !is_before && depth > 0 {
                continue;
            }
            let Some(name) = variable.variable_name(self.module) else { continue };
            let known = body.values.get(memory).copied().zip(variable.basic_type_name(self.module));
            let found = known.map(|(memory, ty)| SourceVariable {
                name: name.clone(),
                ty,
                memory,
                is_declared_within: !is_before,
            });
            match innermost.get(&name) {
                Some((known, _)) if *known <= depth => {}
                _ => drop(innermost.insert(name, (depth, found))),
            }
        }
        innermost.into_values().filter_map(|(_, variable)| variable).collect()
    }
}

//! Source locations from debug information.

use super::loader::Loader;
use crate::llvm::{Metadata, Module, Value};
use crate::{Location, LocationId, SourceFunction, SourceFunctionId};

impl<'m> Loader<'m> {
    /// Where an instruction stands.
    pub(super) fn location_of(&mut self, instruction: Value<'m>) -> Option<LocationId> {
        let innermost = instruction.debug_location()?;
        // The chain of inlining can be long in deep template code: walk it, translate from the outermost inwards.
        let mut chain = vec![innermost];
        while let Some(outer) = chain.last().and_then(|location| location.inlined_at()) {
            if self.locations.contains_key(&outer) {
                break;
            }
            chain.push(outer);
        }
        let mut found = None;
        for location in chain.into_iter().rev() {
            found = self.location(location);
        }
        found
    }

    /// Translates one DILocation whose `inlinedAt` is translated already.
    pub(super) fn location(&mut self, location: Metadata<'m>) -> Option<LocationId> {
        if let Some(&id) = self.locations.get(&location) {
            return Some(id);
        }
        let scope = location.scope()?;
        let subprogram = scope.subprogram(self.module);
        let translated = Location {
            file: self.file(scope.path()),
            line: location.line(),
            column: location.column(),
            function: self.source_function(subprogram),
            inlined_at: location.inlined_at().and_then(|outer| self.locations.get(&outer).copied()),
        };
        let next = LocationId(self.program.locations.len() as u32);
        let id = *self.unique_locations.entry(translated).or_insert(next);
        if id == next {
            self.program.locations.push(translated);
        }
        self.locations.insert(location, id);
        Some(id)
    }

    fn file(&mut self, name: String) -> u32 {
        let next = self.program.files.len() as u32;
        let id = *self.files.entry(name.clone()).or_insert(next);
        if id == next {
            self.program.files.push(name);
        }
        id
    }

    /// Translates a DISubprogram, or that there is none.
    fn source_function(&mut self, subprogram: Option<Metadata<'m>>) -> SourceFunctionId {
        if let Some(&id) = self.subprograms.get(&subprogram) {
            return id;
        }
        let text = |of: fn(Metadata<'m>, &'m Module) -> Option<String>| of(subprogram?, self.module);
        let function = SourceFunction {
            name: text(Metadata::subprogram_name).unwrap_or_default(),
            symbol: text(Metadata::subprogram_symbol),
        };
        let next = SourceFunctionId(self.program.source_functions.len() as u32);
        let id = *self.source_functions.entry(function.clone()).or_insert(next);
        if id == next {
            self.program.source_functions.push(function);
        }
        self.subprograms.insert(subprogram, id);
        id
    }
}

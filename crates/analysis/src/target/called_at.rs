//! The user's lines from which a finding's witness comes to code of others.
//!
//! `Add::add`, `Iterator::sum` and `std::accumulate` are functions of a language's library: where a finding is about an operation in them,
//! its own place tells a user nothing, and without optimisation no chain of inlining leads from it to the line that counts. The
//! IR of the build that was observed is executed with the witness instead ([`RecordCall::reached`]).
//!
//! What code generation makes a call of, such as the remainder of two floats, is one operation there: where an exception is raised in a function that the IR does not have, it
//! is sought at the operations and calls that raise it and whose code the IR does not have.

use std::path::Path;

use labrys_float::Flags;
use labrys_interp::{Limits, RecordCall, Soft};
use labrys_native::StartupState;
use labrys_program::{Callee, CrateFunction, FloatBinary, FunctionId, InstructionKind, LocationId, Program, Signature};
use labrys_report::{SourcePlace, StackEntry};
use rustc_hash::FxHashSet;

use super::analysed::Analysed;
use super::runtimes::name_of;
use crate::observation::interpreted::environment_of;
use crate::run::record::{absolute, place_of_location};

/// Instructions that a witness is followed for, as those of a trace.
const INSTRUCTIONS: u64 = 2_000_000;

/// How the files begin that no user writes: of rustc's library, of the system's headers and libraries.
const ROOTS: [&str; 4] = ["/rustc/", "/usr/include/", "/usr/local/include/", "/usr/lib/"];

/// What is in the paths of others': of crates from a registry or repository, of rustc's library where its source is installed.
const FOLDERS: [&str; 3] = ["/.cargo/registry/", "/.cargo/git/", "/lib/rustlib/src/rust/"];

/// How the functions are called that labrys writes, to call those of a crate.
const GLUE: &str = "labrys_";

/// A call that was observed.
pub struct Witnessed<'a> {
    /// The IR of the build.
    pub analysed: &'a Analysed,
    /// The function, where it is a crate's: what is outside of its workspace is of others.
    pub of_crate: Option<&'a CrateFunction>,
    /// How the function is called.
    pub signature: &'a Signature,
    /// The function that is called before it.
    pub init: Option<&'a str>,
    /// What the build starts with.
    pub startup: StartupState,
    /// The input.
    pub record: &'a [u8],
}

impl Witnessed<'_> {
    /// The user's lines from which the call comes to a place in code of others, each once; those from which it raises an exception there,
    /// where one is asked for. None for a place of the user's.
    pub fn called_at(&self, place: &SourcePlace, exception: Option<Flags>) -> Vec<StackEntry> {
        let Analysed { program, function, binding } = self.analysed;
        let Some(file) = place.file.as_deref().filter(|file| self.is_of_others(file)) else { return Vec::new() };
        let is_users_file: Vec<bool> = program.files.iter().map(|file| !self.is_of_others(file)).collect();
        let init = match self.init.map(|symbol| program.function(symbol)) {
            None => None,
            Some(Some(init)) => Some(init),
            Some(None) => return Vec::new(),
        };
        let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        // Debug information writes paths of one file in different ways.
        let is_sought = |id: LocationId| {
            let there = place_of_location(program, Some(id));
            (there.line, there.column) == (place.line, place.column)
                && there.file.is_some_and(|of| last(&of) == last(file))
        };
        let sought: Vec<bool> = (0..program.locations.len()).map(|id| is_sought(LocationId(id as u32))).collect();
        let is_sought = |id: LocationId| sought.get(id.index()) == Some(&true);
        let call = RecordCall { program, function: *function, binding, signature: self.signature, init };
        let limits = Limits { instructions: INSTRUCTIONS, ..Limits::default() };
        let domain = Soft::new(environment_of(self.startup));
        let is_told = |id| is_users(program, &is_users_file, id);
        let mut reached = call.reached(domain.clone(), self.record, &limits, &is_sought, &is_told);
        if let Some(exception) = exception.filter(|_| reached.is_empty() && !has_place(program, place)) {
            let elsewhere = made_elsewhere(program);
            reached = call.reached(domain, self.record, &limits, &|id| elsewhere.contains(&id), &is_told);
            reached.retain(|of| of.raised.intersects(exception));
        }
        if let Some(exception) = exception
            && reached.iter().any(|of| of.raised.intersects(exception))
        {
            reached.retain(|of| of.raised.intersects(exception));
        }
        reached.iter().map(|of| entry(program, of.from)).collect()
    }

    /// Whether a file is not the user's.
    fn is_of_others(&self, file: &str) -> bool {
        let of_dependency = |of: &CrateFunction| of.is_of_dependency(Path::new(&absolute(file)));
        is_of_no_user(file) || self.of_crate.is_some_and(of_dependency)
    }
}

/// Whether a program has code at a place.
fn has_place(program: &Program, place: &SourcePlace) -> bool {
    (0..program.locations.len()).any(|id| {
        let there = place_of_location(program, Some(LocationId(id as u32)));
        (&there.file, there.line, there.column) == (&place.file, place.line, place.column)
    })
}

/// Where a program has operations and calls whose code it does not have.
fn made_elsewhere(program: &Program) -> FxHashSet<LocationId> {
    let is_bodiless = |id: &FunctionId| program.functions.get(id.index()).is_none_or(|of| of.blocks.is_empty());
    let instructions = program.functions.iter().flat_map(|of| &of.blocks).flat_map(|block| &block.instructions);
    let is_elsewhere = |kind: &InstructionKind| match kind {
        InstructionKind::FloatBinary(FloatBinary::Rem, ..) | InstructionKind::Call(Callee::Intrinsic(_), _) => true,
        InstructionKind::Call(Callee::Function(id), _) => is_bodiless(id),
        _ => false,
    };
    instructions.filter(|of| is_elsewhere(&of.kind)).filter_map(|of| of.location).collect()
}

/// Whether a file is, by its path, of a language's library, the system or a registry.
fn is_of_no_user(file: &str) -> bool {
    ROOTS.iter().any(|root| file.starts_with(root)) || FOLDERS.iter().any(|folder| file.contains(folder))
}

/// Whether a line is the user's: in one of the files that are.
fn is_users(program: &Program, is_users_file: &[bool], id: LocationId) -> bool {
    let Some(location) = program.locations.get(id.index()).filter(|location| location.line > 0) else { return false };
    let is_glue = program.source_functions.get(location.function.index()).is_some_and(|of| of.name.starts_with(GLUE));
    is_users_file.get(location.file as usize) == Some(&true) && !is_glue
}

/// A line as reports have it.
fn entry(program: &Program, id: LocationId) -> StackEntry {
    let function = program.locations.get(id.index()).and_then(|of| program.source_functions.get(of.function.index()));
    let function = function.map(|function| name_of(&function.name)).unwrap_or_default();
    StackEntry { function, place: place_of_location(program, Some(id)) }
}

#[cfg(test)]
mod tests {
    use super::is_of_no_user;

    #[test]
    fn files_of_others_are_told_by_their_folders() {
        let others = [
            "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/ops/arith.rs",
            "/home/u/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/num-traits-0.2.19/src/float.rs",
            "/usr/include/c++/12/bits/stl_numeric.h",
        ];
        others.iter().for_each(|file| assert!(is_of_no_user(file), "{file}"));
        ["src/lib.rs", "/home/u/usr/include/f.c", "/work/f.c"]
            .iter()
            .for_each(|file| assert!(!is_of_no_user(file), "{file}"));
    }
}

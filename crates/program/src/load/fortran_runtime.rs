//! What a module needs of flang's runtime, as IR: whole arrays are assigned, added and multiplied there.

use std::path::Path;

use rustc_hash::FxHashSet;

use super::LoadError;
use crate::KnownFunction;
use crate::llvm::{Module, ParseError};

/// What functions of flang's runtime are called.
const PREFIX: &str = "_FortranA";
/// Those of input and output: printing is known to compute nothing, and nothing is read.
const IO: &str = "_FortranAio";

/// Whether a function is one of flang's runtime that is executed as IR.
fn is_executed(name: &str) -> bool {
    name.starts_with(PREFIX) && !name.starts_with(IO) && KnownFunction::named(name).is_none()
}

/// A module with the functions of flang's runtime that it needs, from bitcode with the C library's (`scripts/libc`), and what these need. All
/// else that the module needs stays as it is; so does the module where there is no library.
pub(crate) fn with_fortran_runtime(mut module: Module, library: Option<&Path>) -> Result<Module, LoadError> {
    let Some(library) = library else { return Ok(module) };
    let undefined: FxHashSet<String> =
        module.functions().filter(|function| !function.is_defined()).map(|function| function.name()).collect();
    if !undefined.iter().any(|name| is_executed(name)) {
        return Ok(module);
    }
    let name = library.display().to_string();
    let bytes = std::fs::read(library).map_err(|source| LoadError::Read { name: name.clone(), source })?;
    let is_left_out =
        |symbol: &str| KnownFunction::named(symbol).is_some() || undefined.contains(symbol) && !is_executed(symbol);
    let linked = module.link_library_but(&bytes, &name, &is_left_out, &|_| None, &|_| false);
    match linked {
        Ok(()) => Ok(module),
        Err(ParseError::Malformed(message) | ParseError::Invalid(message)) => Err(LoadError::Invalid { name, message }),
    }
}

//! What a module needs of libraries that is analysed as IR: flang's runtime, where whole arrays are assigned, added and multiplied, and functions of C's
//! library that call back, are made of others or take encodings apart.

use std::path::Path;

use rustc_hash::FxHashSet;

use super::LoadError;
use crate::KnownFunction;
use crate::llvm::{Module, ParseError};

/// What functions of flang's runtime are called.
const FORTRAN: &str = "_FortranA";
/// Those of input and output: printing is known to compute nothing, and nothing is read.
const FORTRAN_IO: &str = "_FortranAio";

/// Functions of C's library, those of complex numbers and remainders with `f` or `l` behind them, too.
const SORTING: [&str; 3] = ["qsort", "qsort_r", "bsearch"];
const COMPLEX: [&str; 20] = [
    "abs", "acos", "acosh", "arg", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log", "log10", "pow",
    "proj", "sin", "sinh", "sqrt", "tan", "tanh",
];
const REMAINDER: &str = "remquo";
/// Products and quotients of complex numbers, which compilers call.
const HELPERS: [&str; 6] = ["__divdc3", "__divsc3", "__divxc3", "__muldc3", "__mulsc3", "__mulxc3"];

/// Functions that take encodings apart, with `f` behind them, too.
const ENCODINGS: [&str; 3] = ["nextafter", "ilogb", "logb"];
/// Their IR.
const ENCODINGS_IR: &str = include_str!("encodings.ll");

/// Whether a function is one that takes encodings apart.
fn is_of_encodings(name: &str) -> bool {
    ENCODINGS.contains(&name.strip_suffix('f').unwrap_or(name))
}

/// Whether a function that is only declared is executed as IR.
fn is_executed(name: &str) -> bool {
    if name.starts_with(FORTRAN) {
        return !name.starts_with(FORTRAN_IO) && KnownFunction::named(name).is_none();
    }
    let double = name.strip_suffix(['f', 'l']).filter(|plain| is_of_floats(plain)).unwrap_or(name);
    SORTING.contains(&name) || HELPERS.contains(&name) || is_of_floats(double)
}

/// Whether it is one of C's functions on doubles.
fn is_of_floats(name: &str) -> bool {
    name == REMAINDER || name.strip_prefix('c').is_some_and(|of| COMPLEX.contains(&of))
}

/// A module with the code that it needs of libraries, from bitcode (`scripts/libc`), and what that needs. All
/// else that the module needs stays as it is; so does the module where there is no bitcode.
pub(crate) fn with_library_code(mut module: Module, library: Option<&Path>) -> Result<Module, LoadError> {
    let Some(library) = library else { return Ok(module) };
    let undefined: FxHashSet<String> =
        module.functions().filter(|function| !function.is_defined()).map(|function| function.name()).collect();
    if undefined.iter().any(|name| is_of_encodings(name)) {
        let name = "encodings.ll";
        let is_defined = module.functions().filter(|function| function.is_defined()).map(|function| function.name());
        let defined: FxHashSet<String> = is_defined.collect();
        if let Err(ParseError::Malformed(message) | ParseError::Invalid(message)) = module.link_library_but(
            ENCODINGS_IR.as_bytes(),
            name,
            &|symbol| defined.contains(symbol),
            &|_| None,
            &|_| false,
        ) {
            return Err(LoadError::Link { name: name.to_owned(), message });
        }
    }
    if !undefined.iter().any(|name| is_executed(name)) {
        return Ok(module);
    }
    let name = library.display().to_string();
    let bytes = std::fs::read(library).map_err(|source| LoadError::Read { name: name.clone(), source })?;
    let is_left_out = |symbol: &str| match is_executed(symbol) {
        true => false,
        false => KnownFunction::named(symbol).is_some() || undefined.contains(symbol),
    };
    if let Err(ParseError::Malformed(message) | ParseError::Invalid(message)) =
        module.link_library_but(&bytes, &name, &is_left_out, &|_| None, &|_| false)
    {
        return Err(LoadError::Link { name, message });
    }
    // What is asked of the executor by a name of its own has C's here.
    module.rename_declarations(&|symbol| (symbol == "labrys_errno").then(|| "__errno_location".to_owned()));
    Ok(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_executed_is_known_by_name() {
        for name in ["qsort", "cabs", "cabsf", "carg", "cexpl", "remquof", "__divdc3", "_FortranASumReal8"] {
            assert!(is_executed(name), "{name}");
        }
        for name in
            ["cos", "cosf", "ceil", "cbrt", "exp", "qsortf", "remquofl", "cabsff", "_FortranAioBeginExternalListOutput"]
        {
            assert!(!is_executed(name), "{name}");
        }
    }
}

//! What the functions are called that sites stand in.
//!
//! **Rule.** A site stands in the innermost function of the source that debug information says of its operation, inlined functions included:
//! optimisers of the IR and code generation inline different ones, so that the functions around tell nothing. Both sides know
//! that function by its symbol, which is one for the IR and the machine's code, and the symbol has one name here. Where debug information is silent,
//! the function is the one whose code it is, by the name that [`name_of`] makes of its symbol.

use labrys_native::SourceFrame;
use labrys_program::{Program, SourceFunction};
use labrys_symex::Site;
use rustc_hash::{FxHashMap, FxHashSet};

use super::runtimes::name_of;

/// Functions' names, as users know them, by symbol.
#[derive(Clone, Debug, Default)]
pub struct FunctionNames {
    by_symbol: FxHashMap<String, String>,
}

impl FunctionNames {
    /// Names by symbols that are known, and those that the IR's debug information adds: of functions that are inlined everywhere.
    pub fn new(known: impl IntoIterator<Item = (String, String)>, program: Option<&Program>) -> FunctionNames {
        let mut by_symbol: FxHashMap<String, String> = known.into_iter().collect();
        for SourceFunction { name, symbol } in program.iter().flat_map(|program| &program.source_functions) {
            if let Some(symbol) = symbol {
                by_symbol.entry(symbol.clone()).or_insert_with(|| name.clone());
            }
        }
        FunctionNames { by_symbol }
    }

    /// The name behind a symbol, where one is known.
    pub fn get(&self, symbol: &str) -> Option<&str> {
        self.by_symbol.get(symbol).map(String::as_str)
    }

    /// The function of a site of the IR.
    pub fn of_site(&self, program: &Program, site: &Site) -> String {
        let location = site.location.and_then(|id| program.locations.get(id.index()));
        let function = location.and_then(|location| program.source_functions.get(location.function.index()));
        match function.filter(|function| !function.name.is_empty()) {
            Some(function) => self.of(function.symbol.as_ref().unwrap_or(&function.name), &function.name),
            None => self.of(&site.function, &site.function),
        }
    }

    /// The functions that a program's debug information has code of.
    pub fn of_program(&self, program: &Program) -> FxHashSet<String> {
        let named = program.source_functions.iter().filter(|function| !function.name.is_empty());
        named.map(|of| self.of(of.symbol.as_ref().unwrap_or(&of.name), &of.name)).collect()
    }

    /// The function of a place in the machine's code.
    pub fn of_frame(&self, frame: &SourceFrame) -> String {
        self.of(&frame.symbol, &frame.function)
    }

    fn of(&self, symbol: &str, function: &str) -> String {
        self.get(symbol).or_else(|| self.get(function)).map_or_else(|| name_of(function), str::to_owned)
    }
}

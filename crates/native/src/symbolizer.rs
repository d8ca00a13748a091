//! From addresses to source positions and operators.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, SymbolKind};

use crate::{Event, NativeError, processor};

/// What is known of an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceFrame {
    /// The address, relative to the library.
    pub address: u64,
    /// The source file as the debug information names it.
    pub file: Option<String>,
    /// Line, from 1; 0 where unknown.
    pub line: u32,
    /// Column, from 1; 0 where unknown.
    pub column: u32,
    /// The innermost function, inlined ones included; empty where unknown.
    pub function: String,
    /// That function's symbol, mangled where the language mangles; empty where unknown.
    pub symbol: String,
    /// The operator in LLVM's words (`fadd`, `fdiv`, `fcmp`, `fconvert`, …), `call` for a library function, else the
    /// instruction's mnemonic.
    pub operator: String,
    /// Whether the instruction adds a register to itself, as code generators multiply by 2.
    pub doubles: bool,
    /// For an event in a library function that the build called: that function's symbol (`log`); `None` where
    /// the call does not tell.
    pub library: Option<String>,
}

/// Reads one library's debug information and code.
pub struct Symbolizer {
    loader: addr2line::Loader,
    /// Executable sections: address and bytes.
    code: Vec<(u64, Vec<u8>)>,
    /// Functions of the symbol table: address, size, name; sorted.
    functions: Vec<(u64, u64, String)>,
    /// Imported functions by the address of the slot that holds their address.
    imports: HashMap<u64, String>,
}

impl Symbolizer {
    /// Reads the library.
    ///
    /// # Errors
    ///
    /// Where it is no object file.
    pub fn new(library: &Path) -> Result<Symbolizer, NativeError> {
        let unreadable = |reason: String| NativeError::Object { library: PathBuf::from(library), reason };
        let bytes = std::fs::read(library).map_err(|error| unreadable(error.to_string()))?;
        let file = object::File::parse(&*bytes).map_err(|error| unreadable(error.to_string()))?;
        let mut code = Vec::new();
        for section in file.sections().filter(|section| section.kind() == object::SectionKind::Text) {
            code.push((section.address(), section.data().map(<[u8]>::to_vec).unwrap_or_default()));
        }
        let mut functions: Vec<(u64, u64, String)> = file
            .symbols()
            .chain(file.dynamic_symbols())
            .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition())
            .map(|symbol| (symbol.address(), symbol.size(), symbol.name().unwrap_or_default().to_owned()))
            .collect();
        functions.sort();
        let loader = addr2line::Loader::new(library).map_err(|error| unreadable(error.to_string()))?;
        Ok(Symbolizer { loader, code, functions, imports: imports(&file) })
    }

    /// Where an event stands. An instruction outside the library has the position of the call that led to it and the
    /// operator `call`.
    pub fn locate_event(&self, event: &Event) -> SourceFrame {
        let mut frame = self.locate(event.address);
        if event.outside.is_some() {
            frame.operator = "call".to_owned();
            frame.doubles = false;
            frame.library = processor::callee(|address| self.bytes_at(address), &self.imports, event.address);
        }
        frame
    }

    /// What is known of an address relative to the library.
    pub fn locate(&self, address: u64) -> SourceFrame {
        let code = self.bytes_at(address);
        let operator = code.map(|code| processor::operator(code, address)).unwrap_or_default();
        let doubles = code.is_some_and(|code| processor::doubles(code, address));
        let mut found = SourceFrame { address, operator, doubles, ..SourceFrame::default() };
        if let Ok(mut frames) = self.loader.find_frames(address)
            && let Ok(Some(frame)) = frames.next()
        {
            if let Some(location) = frame.location {
                found.file = location.file.map(str::to_owned);
                found.line = location.line.unwrap_or(0);
                found.column = location.column.unwrap_or(0);
            }
            if let Some(function) = frame.function {
                found.function = function.demangle().map(|name| name.into_owned()).unwrap_or_default();
                found.symbol = function.raw_name().map(|name| name.into_owned()).unwrap_or_default();
            }
        }
        if found.function.is_empty() {
            found.function = self.function_at(address);
            found.symbol.clone_from(&found.function);
        }
        found
    }

    /// The activations at an address relative to the library, the innermost first: more than one where functions are inlined.
    pub fn frames(&self, address: u64) -> Vec<SourceFrame> {
        let mut found = Vec::new();
        let Ok(mut frames) = self.loader.find_frames(address) else { return found };
        while let Ok(Some(frame)) = frames.next() {
            let name = frame.function.as_ref();
            let location = frame.location.as_ref();
            found.push(SourceFrame {
                address,
                file: location.and_then(|location| location.file).map(str::to_owned),
                line: location.and_then(|location| location.line).unwrap_or(0),
                column: location.and_then(|location| location.column).unwrap_or(0),
                function: name.and_then(|name| Some(name.demangle().ok()?.into_owned())).unwrap_or_default(),
                symbol: name.and_then(|name| Some(name.raw_name().ok()?.into_owned())).unwrap_or_default(),
                ..SourceFrame::default()
            });
        }
        found
    }

    fn function_at(&self, address: u64) -> String {
        let after = self.functions.partition_point(|(start, _, _)| *start <= address);
        let nearest = self.functions[..after].last();
        let inside = nearest.filter(|(start, size, _)| *size == 0 || address < start + size);
        inside.map(|(_, _, name)| name.clone()).unwrap_or_default()
    }

    /// The code from an address to its section's end.
    fn bytes_at(&self, address: u64) -> Option<&[u8]> {
        let section = self.code.iter().find(|(start, bytes)| (*start..start + bytes.len() as u64).contains(&address));
        section.map(|(start, bytes)| &bytes[(address - start) as usize..])
    }
}

/// The slots that the dynamic linker fills with functions of other libraries.
fn imports(file: &object::File<'_>) -> HashMap<u64, String> {
    let (Some(relocations), Some(symbols)) = (file.dynamic_relocations(), file.dynamic_symbol_table()) else {
        return HashMap::new();
    };
    let named = |(slot, relocation): (u64, object::Relocation)| {
        let object::RelocationTarget::Symbol(index) = relocation.target() else { return None };
        let symbol = symbols.symbol_by_index(index).ok()?;
        let name = symbol.name().ok().filter(|name| symbol.is_undefined() && !name.is_empty())?;
        Some((slot, name.to_owned()))
    };
    relocations.filter_map(named).collect()
}

//! From addresses to source positions and operators.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, SymbolKind};

use crate::{Event, NativeError};

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
            frame.library = self.callee(event.address);
        }
        frame
    }

    /// What is known of an address relative to the library.
    pub fn locate(&self, address: u64) -> SourceFrame {
        let mut found = SourceFrame { address, operator: self.operator(address), ..SourceFrame::default() };
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

    fn function_at(&self, address: u64) -> String {
        let after = self.functions.partition_point(|(start, _, _)| *start <= address);
        let nearest = self.functions[..after].last();
        let inside = nearest.filter(|(start, size, _)| *size == 0 || address < start + size);
        inside.map(|(_, _, name)| name.clone()).unwrap_or_default()
    }

    fn operator(&self, address: u64) -> String {
        self.bytes_at(address).map(|bytes| operator_at(bytes, address)).unwrap_or_default()
    }

    /// The code from an address to its section's end.
    fn bytes_at(&self, address: u64) -> Option<&[u8]> {
        let section = self.code.iter().find(|(start, bytes)| (*start..start + bytes.len() as u64).contains(&address));
        section.map(|(start, bytes)| &bytes[(address - start) as usize..])
    }

    /// The imported function that an instruction calls or jumps to: through its slot, or through a stub of the procedure
    /// linkage table. `address` is the last byte of a call, or the first of a call or jump.
    #[cfg(target_arch = "x86_64")]
    fn callee(&self, address: u64) -> Option<String> {
        // FF 15, FF 25: a call, a jump through a slot; E8, E9: a direct one.
        const THROUGH: [&[u8]; 2] = [&[0xff, 0x15], &[0xff, 0x25]];
        const DIRECT: [&[u8]; 2] = [&[0xe8], &[0xe9]];
        let end = address.checked_add(1)?;
        let starts = |at: u64, forms: [&[u8]; 2]| forms.iter().any(|form| self.starts_with(at, form));
        let first_of = |length: u64, forms: [&[u8]; 2]| {
            let call = end.checked_sub(length).filter(|at| self.starts_with(*at, forms[0]));
            call.or(Some(address)).filter(|at| starts(*at, forms))
        };
        if let Some(slot) = first_of(6, THROUGH).and_then(|at| self.displacement(at, 6))
            && let Some(name) = self.imports.get(&slot)
        {
            return Some(name.clone());
        }
        let stub = self.displacement(first_of(5, DIRECT)?, 5)?;
        // A stub is, after an optional ENDBR64 and BND prefix, FF 25: a jump through a slot.
        let after = stub + if self.starts_with(stub, &[0xf3, 0x0f, 0x1e, 0xfa]) { 4 } else { 0 };
        let jump = after + u64::from(self.starts_with(after, &[0xf2]));
        let slot = self.displacement(Some(jump).filter(|at| self.starts_with(*at, THROUGH[1]))?, 6)?;
        self.imports.get(&slot).cloned()
    }

    /// What an instruction of that length with a final 32-bit displacement refers to.
    #[cfg(target_arch = "x86_64")]
    fn displacement(&self, address: u64, length: u64) -> Option<u64> {
        let bytes = self.bytes_at(address)?.get(length as usize - 4..length as usize)?;
        let four: [u8; 4] = bytes.try_into().ok()?;
        Some((address + length).wrapping_add_signed(i64::from(i32::from_le_bytes(four))))
    }

    #[cfg(target_arch = "x86_64")]
    fn starts_with(&self, address: u64, bytes: &[u8]) -> bool {
        self.bytes_at(address).is_some_and(|code| code.starts_with(bytes))
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn callee(&self, _last: u64) -> Option<String> {
        None
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

#[cfg(target_arch = "x86_64")]
fn operator_at(bytes: &[u8], address: u64) -> String {
    let mut decoder = iced_x86::Decoder::with_ip(64, bytes, address, iced_x86::DecoderOptions::NONE);
    let mnemonic = format!("{:?}", decoder.decode().mnemonic()).to_lowercase();
    family(mnemonic.strip_prefix('v').unwrap_or(&mnemonic)).map_or(mnemonic.clone(), str::to_owned)
}

/// The operator of an x86 mnemonic without the `v` of its AVX form, SSE and x87 alike.
#[cfg(target_arch = "x86_64")]
fn family(mnemonic: &str) -> Option<&'static str> {
    // By prefix: the first that fits.
    const FAMILIES: [(&str, &str); 39] = [
        ("addsub", "fadd"),
        ("add", "fadd"),
        ("hadd", "fadd"),
        ("fadd", "fadd"),
        ("fiadd", "fadd"),
        ("sub", "fsub"),
        ("hsub", "fsub"),
        ("fsub", "fsub"),
        ("fisub", "fsub"),
        ("mul", "fmul"),
        ("dp", "fmul"),
        ("fmul", "fmul"),
        ("fimul", "fmul"),
        ("div", "fdiv"),
        ("fdiv", "fdiv"),
        ("fidiv", "fdiv"),
        ("sqrt", "fsqrt"),
        ("fsqrt", "fsqrt"),
        ("fmadd", "fma"),
        ("fmsub", "fma"),
        ("fnmadd", "fma"),
        ("fnmsub", "fma"),
        ("fprem", "frem"),
        ("cvt", "fconvert"),
        ("fst", "fconvert"),
        ("fist", "fconvert"),
        ("fld", "fconvert"),
        ("fild", "fconvert"),
        ("ucomis", "fcmp"),
        ("comis", "fcmp"),
        ("cmp", "fcmp"),
        ("fcom", "fcmp"),
        ("ficom", "fcmp"),
        ("fucom", "fcmp"),
        ("ftst", "fcmp"),
        ("min", "fmin"),
        ("max", "fmax"),
        ("round", "fround"),
        ("rndscale", "fround"),
    ];
    match mnemonic {
        "frndint" => Some("fround"),
        // Stores of control and status words convert nothing.
        "fstcw" | "fstsw" | "fstenv" | "fldcw" | "fldenv" => None,
        _ => FAMILIES.iter().find(|(prefix, _)| mnemonic.starts_with(prefix)).map(|(_, family)| *family),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn operator_at(_bytes: &[u8], _address: u64) -> String {
    String::new()
}

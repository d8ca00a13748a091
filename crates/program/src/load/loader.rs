//! The translation of a module: its state, and the order in which it is done.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::error::LoadError;
use super::library_code::with_library_code;
use super::probe;
use crate::changing_globals::forget_constructed;
use crate::llvm::{Metadata, Module, ParseError, TypeRef, Value, on_large_stack};
use crate::whole::NAMING;
use crate::{FunctionId, Global, GlobalId, LocationId, Program, SourceFunction, SourceFunctionId, Type, namesakes};

/// The state of one translation.
pub(super) struct Loader<'m> {
    pub(super) module: &'m Module,
    pub(super) program: Program,
    pub(super) functions: FxHashMap<Value<'m>, FunctionId>,
    pub(super) globals: FxHashMap<Value<'m>, GlobalId>,
    /// Types translated so far.
    pub(super) types: FxHashMap<TypeRef<'m>, Type>,
    /// DILocations translated so far.
    pub(super) locations: FxHashMap<Metadata<'m>, LocationId>,
    /// [`Program::locations`] by content: LLVM keeps equal ones apart where they were inlined twice.
    pub(super) unique_locations: FxHashMap<crate::Location, LocationId>,
    pub(super) files: FxHashMap<String, u32>,
    /// DISubprograms translated so far.
    pub(super) subprograms: FxHashMap<Option<Metadata<'m>>, SourceFunctionId>,
    /// [`Program::source_functions`] by content.
    pub(super) source_functions: FxHashMap<SourceFunction, SourceFunctionId>,
    /// Whether an initial value of a global is being translated: there an address may stand as a number.
    pub(super) is_initial: bool,
    /// Whether the program makes inputs of variables: types of the source are read for nothing else.
    pub(super) makes_inputs: bool,
}

impl Program {
    /// Reads a bitcode file that a compiler has just written.
    pub fn from_bitcode_file(path: &Path) -> Result<Program, LoadError> {
        let (bytes, name) = read(path)?;
        // Bitcode's magic number, and that of the wrapper some linkers expect.
        if !bytes.starts_with(b"BC\xC0\xDE") && !bytes.starts_with(&[0xDE, 0xC0, 0x17, 0x0B]) {
            return Err(LoadError::NotBitcode { name });
        }
        Program::from_bytes(&bytes, &name)
    }

    /// Reads a file of textual IR or bitcode, whichever it holds, that may be damaged in any way: clang reads it first,
    /// in a process of its own.
    pub fn from_ir_file(path: &Path) -> Result<Program, LoadError> {
        Program::from_ir_file_with(path, None)
    }

    /// As [`Program::from_ir_file`], with the code that the module needs of C's library and flang's runtime, of which `library` has the IR.
    pub fn from_ir_file_with(path: &Path, library: Option<&Path>) -> Result<Program, LoadError> {
        let name = path.display().to_string();
        let loaded = on_large_stack(|| load(&with_library_code(parse_file(path)?, library)?, &name));
        loaded.unwrap_or_else(|source| Err(LoadError::Read { name: name.clone(), source }))
    }

    /// Reads textual IR or bitcode; `name` stands in messages. Bitcode with single bits flipped can end the process:
    /// [`Program::from_ir_file`] guards against that.
    ///
    /// ```
    /// use labrys_program::Program;
    ///
    /// let text = "define double @twice(double %x) { %y = fadd double %x, %x ret double %y }";
    /// let program = Program::from_bytes(text.as_bytes(), "twice.ll").unwrap();
    /// assert!(program.function("twice").is_some());
    /// ```
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Program, LoadError> {
        load(&parse(bytes, name)?, name)
    }
}

fn read(path: &Path) -> Result<(Vec<u8>, String), LoadError> {
    let name = path.display().to_string();
    match std::fs::read(path) {
        Ok(bytes) => Ok((bytes, name)),
        Err(source) => Err(LoadError::Read { name, source }),
    }
}

/// The verified module in a file that may be damaged in any way.
pub(crate) fn parse_file(path: &Path) -> Result<Module, LoadError> {
    let (bytes, name) = read(path)?;
    reject_empty(&bytes, &name)?;
    probe::probe(path)?;
    parse(&bytes, &name)
}

/// The verified module in a file that a compiler has just written.
pub(crate) fn parse_trusted_file(path: &Path) -> Result<Module, LoadError> {
    let (bytes, name) = read(path)?;
    parse(&bytes, &name)
}

/// LLVM takes empty text for an empty module.
fn reject_empty(bytes: &[u8], name: &str) -> Result<(), LoadError> {
    if bytes.iter().all(u8::is_ascii_whitespace) { Err(LoadError::Empty { name: name.to_owned() }) } else { Ok(()) }
}

/// A verified module of a target that [`Program`] can express.
pub(crate) fn parse(bytes: &[u8], name: &str) -> Result<Module, LoadError> {
    reject_empty(bytes, name)?;
    let name = name.to_owned();
    let module = match Module::parse(bytes, &name) {
        Ok(module) => module,
        Err(ParseError::Malformed(message)) => return Err(LoadError::Malformed { name, message }),
        Err(ParseError::Invalid(message)) => return Err(LoadError::Invalid { name, message }),
    };
    if !module.is_little_endian_64() {
        return Err(LoadError::Target { name, triple: module.triple() });
    }
    Ok(module)
}

pub(crate) fn load(module: &Module, name: &str) -> Result<Program, LoadError> {
    let functions: Vec<_> = module.functions().filter(|function| function.intrinsic_name().is_none()).collect();
    let mut loader = Loader {
        module,
        program: Program { triple: module.triple(), ..Program::default() },
        functions: FxHashMap::default(),
        globals: FxHashMap::default(),
        types: FxHashMap::default(),
        locations: FxHashMap::default(),
        unique_locations: FxHashMap::default(),
        files: FxHashMap::default(),
        subprograms: FxHashMap::default(),
        source_functions: FxHashMap::default(),
        is_initial: true,
        makes_inputs: functions.iter().any(|function| function.name() == NAMING),
    };
    for (index, &function) in functions.iter().enumerate() {
        loader.functions.insert(function, FunctionId(index as u32));
    }
    for alias in module.aliases() {
        // An alias of an alias is followed to the end; LLVM rejects cycles.
        let target = std::iter::successors(Some(alias), |value| value.aliasee()).last();
        if let Some(&function) = target.and_then(|target| loader.functions.get(&target)) {
            loader.program.aliases.push((alias.name(), function));
        }
    }
    for (index, global) in module.globals().enumerate() {
        loader.globals.insert(global, GlobalId(index as u32));
    }
    let weak = |value: &Value<'_>| value.is_weak_definition();
    loader.program.weak_functions = functions.iter().filter(|of| weak(of)).map(|of| loader.functions[of]).collect();
    loader.program.weak_globals = module.globals().filter(weak).map(|of| loader.globals[&of]).collect();
    for global in module.globals() {
        let global = loader.global(global);
        loader.program.globals.push(global);
    }
    loader.is_initial = false;
    for &function in &functions {
        let broken = |what| LoadError::Internal { name: name.to_owned(), function: function.name(), what };
        let function = loader.function(function).map_err(broken)?;
        loader.program.functions.push(function);
    }
    forget_constructed(&mut loader.program);
    namesakes::resolve(&mut loader.program);
    Ok(loader.program)
}

impl<'m> Loader<'m> {
    fn global(&mut self, global: Value<'m>) -> Global {
        let value_type = global.value_type();
        let ty = self.ty(value_type);
        let size = if value_type.is_sized() { value_type.alloc_size(self.module) } else { 0 };
        let align = match global.alignment() {
            0 if value_type.is_sized() => value_type.align(self.module),
            0 => 1,
            align => align,
        };
        Global {
            name: global.name(),
            ty,
            size,
            align,
            is_constant: global.is_global_constant(),
            initializer: global.initializer().map(|value| self.constant(value)),
            variable: self.global_variable_type(global),
        }
    }
}

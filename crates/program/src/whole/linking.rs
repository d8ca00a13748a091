//! The sources as one program.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::executable::{Change, changed};
use super::fortran::make_module;
use super::hash_maps::hash_order;
use super::rust::{
    ARGUMENTS, CAUGHT_PANIC, RESUME_UNWIND, START, catches_unwinding, has_several_crates, is_left_out, is_unoptimised,
    makes_texts_of_floats, rust_bitcode, rust_path, standard_library, tell_library_apart,
};
use super::startup::flushing;
use super::{WholeError, WholeSpec, gcc};
use crate::compile::{check_source, emit_one};
use crate::llvm::{Module, ParseError, on_large_stack};
use crate::load::{load, parse_file, parse_trusted_file};
use crate::passes::is_optimised;
use crate::{Callee, CompilerKind, FunctionId, InstructionKind, IntrinsicKind, Language, LoadError, Program};

/// Has clang mark where the lives of local variables begin and end, as it does for AddressSanitizer, and keep the names of values as it does there.
/// AddressSanitizer itself is not asked for: sources can see that, by `__has_feature`.
const MARKS_SCOPES: [&str; 5] =
    ["-Xclang", "-fsanitize-address-use-after-scope", "-fno-discard-value-names", "-Xclang", "-disable-llvm-passes"];

/// A program that can be executed from its entry.
#[derive(Debug)]
pub struct WholeProgram {
    /// All sources, linked.
    pub program: Program,
    /// The function that is entered.
    pub entry: FunctionId,
    /// The compilers and their versions, each once.
    pub compilers: Vec<String>,
    /// What compilers said about flags.
    pub notes: Vec<String>,
    /// What the program has that no execution of it shows, in words: assembly beside its functions, start-up code.
    pub unmodelled: Vec<String>,
}

/// Compiles the sources in `folder` and links them.
///
/// # Errors
///
/// See [`WholeError`].
pub fn build_whole(spec: &WholeSpec, folder: &Path, deadline: Instant) -> Result<WholeProgram, WholeError> {
    let (mut files, mut compilers, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    let (mut standard, mut otherwise) = (Vec::new(), Vec::new());
    let mut is_gccs = false;
    if has_several_crates(spec.languages().map(|(_, language)| language)) {
        return Err(WholeError::SeveralCrates);
    }
    make_module(spec, folder, deadline)?;
    for (index, source) in spec.sources.iter().enumerate() {
        let language = Language::of(source)?;
        check_source(source)?;
        match language {
            Language::C | Language::Cpp | Language::Fortran => {
                let build = spec.of(language);
                let compiler = build.find_compiler(language, deadline)?;
                if !compilers.contains(&compiler.version) {
                    compilers.push(compiler.version.clone());
                }
                let mut words = MARKS_SCOPES.to_vec();
                if compiler.kind == CompilerKind::Gcc && language != Language::Fortran {
                    words.extend(gcc::CALLED);
                    is_gccs = true;
                }
                if language != Language::Fortran {
                    words.extend(spec.checks.iter().map(String::as_str));
                }
                let (bitcode, said) = emit_one(&format!("program-{index}"), &build, &words, source, folder, deadline)?;
                otherwise.extend(gcc::doubts((&compiler, &build), (source, language), &said, deadline));
                notes.extend(said);
                let bitcode = match (language, spec.aside.as_deref()) {
                    (Language::Fortran, aside @ Some(_)) => changed(
                        &bitcode,
                        Change { aside, ..Change::default() },
                        folder,
                        &format!("program-{index}-aside"),
                    )?,
                    _ => bitcode,
                };
                files.push((source.clone(), bitcode));
            }
            Language::Ir => {
                spec.of(language).check(language)?;
                files.push((source.clone(), source.clone()));
            }
            Language::Rust => {
                let build = spec.of(language);
                let compiler = build.find_compiler(language, deadline)?;
                let name = format!("program-{index}");
                files.push((
                    source.clone(),
                    rust_bitcode((spec, &build), &compiler, source, (folder, &name), deadline)?,
                ));
                standard = standard_library(&compiler, deadline)?;
                compilers.push(compiler.version);
            }
            Language::SharedObject => {
                return Err(WholeError::Language { path: source.clone(), language: language.name() });
            }
        }
    }
    notes.dedup();
    let linked = on_large_stack(|| link(&files, &standard, spec.library.as_deref()));
    let name = files.first().map(|(source, _)| source.display().to_string()).unwrap_or_default();
    let (mut program, mut unmodelled) =
        linked.unwrap_or_else(|source| Err(WholeError::Load(LoadError::Read { name, source })))?;
    otherwise.dedup();
    unmodelled.extend(otherwise);
    if is_gccs {
        unmodelled.extend(gcc::namesakes(&program));
    }
    if program.has_floats() {
        let start_up = spec.sources.iter().find_map(|source| flushing(spec, source, deadline).transpose());
        unmodelled.extend(start_up.transpose()?);
    }
    tell_library_apart(&mut program);
    if is_optimised(&spec.flags) {
        leave_to_optimisers(&mut program);
    }
    unmodelled.extend(hash_order(&program, is_unoptimised(spec)));
    let entry = find_entry(&program, spec)?;
    Ok(WholeProgram { program, entry, compilers, notes, unmodelled })
}

/// Reads the modules, each verified and of this target, into one. Files that users hand over may be damaged in any way.
/// `standard` is Rust's standard library, `library` C's.
fn link(
    files: &[(PathBuf, PathBuf)],
    standard: &[(String, Vec<u8>)],
    library: Option<&Path>,
) -> Result<(Program, Vec<String>), WholeError> {
    let mut linked: Option<Module> = None;
    let mut unmodelled = Vec::new();
    for (source, bitcode) in files {
        let module = if source == bitcode { parse_file(bitcode)? } else { parse_trusted_file(bitcode)? };
        check_target(&module, source)?;
        if !module.inline_assembly().trim().is_empty() {
            unmodelled.push(format!("{} has assembly beside its functions", source.display()));
        }
        match &mut linked {
            None => linked = Some(module),
            Some(whole) => {
                let name = source.display().to_string();
                let bytes = std::fs::read(bitcode).map_err(|source| LoadError::Read { name: name.clone(), source })?;
                whole.link(&bytes, &name, &|_| None).map_err(|error| match error {
                    ParseError::Malformed(reason) | ParseError::Invalid(reason) => {
                        WholeError::Link { path: source.clone(), reason }
                    }
                })?;
            }
        }
    }
    let name = files.first().map(|(source, _)| source.display().to_string()).unwrap_or_default();
    let Some(mut module) = linked else { return Err(LoadError::Empty { name }.into()) };
    let refused = |name: &str, error| {
        let (ParseError::Malformed(reason) | ParseError::Invalid(reason)) = error;
        WholeError::Link { path: name.into(), reason }
    };
    let rename = |name: &str| {
        let path = rust_path(name)?;
        let known = [ARGUMENTS, RESUME_UNWIND].into_iter().find(|(of, _)| *of == path);
        known.map(|(_, symbol)| symbol.to_string_lossy().into_owned())
    };
    if !standard.is_empty() {
        module.rename_declarations(&rename);
        module.declare(ARGUMENTS.1);
        if catches_panics(&module) {
            module.declare(RESUME_UNWIND.1);
            module.declare(CAUGHT_PANIC);
        }
    }
    for (name, bytes) in standard {
        module
            .link_library_but(bytes, name, &is_left_out, &rename, &makes_texts_of_floats)
            .map_err(|error| refused(name, error))?;
    }
    if !standard.is_empty() {
        module.rename_declarations(&|name| (rust_path(name)? == START.0).then(|| START.1.to_owned()));
    }
    if let Some(library) = library {
        let bytes =
            std::fs::read(library).map_err(|source| LoadError::Read { name: library.display().to_string(), source })?;
        let name = library.display().to_string();
        module
            .link_library_but(&bytes, &name, &|_| false, &|_| None, &|_| false)
            .map_err(|error| refused(&name, error))?;
    }
    unmodelled.extend(module.weak_declarations().map(|name| format!("{name} is a weak symbol that no source defines")));
    module.verify().map_err(|message| LoadError::Invalid { name: name.clone(), message })?;
    Ok((load(&module, &name)?, unmodelled))
}

/// Makes what an optimiser would know, and nobody else, unknown in the program's own functions, which are executed unoptimised.
fn leave_to_optimisers(program: &mut Program) {
    let own = program.functions.iter_mut().filter(|function| !function.is_library);
    for instruction in own.flat_map(|function| &mut function.blocks).flat_map(|block| &mut block.instructions) {
        if let InstructionKind::Call(Callee::Intrinsic(intrinsic), _) = &instruction.kind
            && intrinsic.kind() == IntrinsicKind::IsConstant
        {
            let why = "what an optimiser knows to be constant (__builtin_constant_p)";
            instruction.kind = InstructionKind::Unsupported(why.into());
        }
    }
}

/// Whether a module has what takes panics.
fn catches_panics(module: &Module) -> bool {
    let mut names = module.functions().map(|function| function.name());
    names.any(|name| name.contains("catch_unwind") && rust_path(&name).is_some_and(|path| catches_unwinding(&path)))
}

/// Whether a module is for this processor; one that names none is taken to be.
fn check_target(module: &Module, source: &Path) -> Result<(), WholeError> {
    let triple = module.triple();
    let architecture = triple.split('-').next().unwrap_or_default();
    let host = std::env::consts::ARCH;
    let is_host = architecture.is_empty() || architecture == host || (architecture == "amd64" && host == "x86_64");
    let is_linux = triple.is_empty() || triple.contains("linux");
    match is_host && is_linux {
        true => Ok(()),
        false => Err(WholeError::Target { path: source.to_owned(), triple, host }),
    }
}

/// The function that is entered.
fn find_entry(program: &Program, spec: &WholeSpec) -> Result<FunctionId, WholeError> {
    let is_defined = |id: &FunctionId| !program.functions[id.index()].blocks.is_empty();
    let by_symbol = program.function(&spec.entry).filter(is_defined);
    let of_name = |(index, function): (usize, &crate::Function)| {
        (function.source_name.as_deref() == Some(&spec.entry)).then_some(FunctionId(index as u32))
    };
    let mut by_name = program.functions.iter().enumerate().filter_map(of_name).filter(is_defined);
    let found = by_symbol.or_else(|| by_name.next());
    let Some(id) = found else {
        let files: Vec<String> = spec.sources.iter().map(|source| source.display().to_string()).collect();
        return Err(WholeError::NoEntry {
            entry: spec.entry.clone(),
            files: files.join(", "),
            advice: advice(program, spec),
        });
    };
    let function = &program.functions[id.index()];
    // flang's `main` hands the environment on, and nobody looks at it.
    let is_fortran = program.functions.iter().any(|function| function.name == "_QQmain");
    if function.name == "main" && function.parameters.len() > 2 && !is_fortran {
        return Err(WholeError::MainParameters(function.parameters.len()));
    }
    Ok(id)
}

/// A function of a like name, or how to name another one.
fn advice(program: &Program, spec: &WholeSpec) -> String {
    let entry = spec.entry.as_str();
    let defined = program.functions.iter().filter(|function| !function.blocks.is_empty());
    let names = defined.map(|function| function.source_name.as_deref().unwrap_or(&function.name));
    // What is set aside has its own name for the user.
    let names = names.map(|name| if Some(name) == spec.aside.as_deref() { "main" } else { name });
    let near = names.filter(|name| strsim::jaro_winkler(name, entry) > 0.85).min();
    match near {
        Some(name) => format!("; did you mean `{name}`?"),
        None if entry == "main" => "; --entry names a function to begin with".to_owned(),
        None => String::new(),
    }
}

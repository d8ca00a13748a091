//! The sources as an executable.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::WholeSpec;
use super::coverage::COUNTS;
use super::fortran::{link_words, make_module, module_words};
use super::rust::{CrateType, SYSTEM_LIBRARIES, native_command, rust_archive};
use crate::compile::{bounded, check_product, check_source, no_flag, output_file};
use crate::llvm::on_large_stack;
use crate::load::parse_file;
use crate::{BuildError, BuildSpec, Compiler, CompilerKind, Language};

/// What is added to a program when it is compiled.
#[derive(Clone, Debug, Default)]
pub struct Instrumentation {
    /// Flags of every compilation and of the link: `-fsanitize=address`.
    pub flags: Vec<String>,
    /// What LLVM calls a function to which a sanitizer is applied (`sanitize_address`): front ends write it, bitcode that is
    /// given need not have it.
    pub attribute: Option<&'static str>,
}

/// Compiles the sources with debug information, and with them `runtime`, a C file; `folder/NAME` is the executable.
///
/// # Errors
///
/// A source does not compile, a compiler is missing, the linker refuses, or the deadline passed.
pub fn build_executable(
    spec: &WholeSpec,
    instrumentation: &Instrumentation,
    runtime: &Path,
    (folder, name): (&Path, &str),
    deadline: Instant,
) -> Result<PathBuf, BuildError> {
    let mut objects = Vec::new();
    let mut crate_root = None;
    make_module(spec, folder, deadline)?;
    for (index, (source, language)) in spec.languages().enumerate() {
        let build = spec.of(language);
        check_source(source)?;
        if language == Language::Rust && spec.aside.is_some() {
            let name = format!("{name}-{index}");
            objects.push(rust_archive(spec, source, instrumentation, (folder, &name), deadline)?);
            continue;
        }
        if language == Language::Rust {
            crate_root = Some(source);
            continue;
        }
        if language == Language::Fortran {
            let name = format!("{name}-{index}");
            objects.push(fortran_object(spec, source, instrumentation, (folder, &name), deadline)?);
            continue;
        }
        let marked = match (language, instrumentation.attribute) {
            (Language::Ir, Some(_)) => {
                let change = Change { attribute: instrumentation.attribute, ..Change::default() };
                Some(changed(source, change, folder, &format!("{name}-{index}"))?)
            }
            _ => None,
        };
        let mut words: Vec<String> = build.user_flags();
        words.extend(["-g", "-fno-omit-frame-pointer"].map(str::to_owned));
        if language == Language::Ir {
            words.push("-Wno-override-module".to_owned());
        }
        let object = Object { source: marked.as_deref().unwrap_or(source), words, name: format!("{name}-{index}") };
        objects.push(object.compile(&build, language, instrumentation, folder, deadline)?);
    }
    let c = spec.of(Language::C);
    let words = ["-O1", "-x", "c"].map(str::to_owned).to_vec();
    let object = Object { source: runtime, words, name: format!("{name}-runtime") };
    objects.push(object.compile(&c, Language::C, instrumentation, folder, deadline)?);
    match crate_root {
        Some(source) => link_crate(spec, source, instrumentation, &objects, (folder, name), deadline),
        None => link(spec, instrumentation, &objects, (folder, name), deadline),
    }
}

/// The object of a Fortran source. flang has no sanitizers: clang makes it of flang's bitcode, and instruments what it has marked.
fn fortran_object(
    spec: &WholeSpec,
    source: &Path,
    instrumentation: &Instrumentation,
    (folder, name): (&Path, &str),
    deadline: Instant,
) -> Result<PathBuf, BuildError> {
    let build = spec.of(Language::Fortran);
    let compiler = build.find_compiler(Language::Fortran, deadline)?;
    let is_flang = compiler.kind != CompilerKind::Gcc;
    let product = output_file(folder, name, if is_flang { "bc" } else { "o" })?;
    let mut command = Command::new(&compiler.executable);
    command.arg("-c").args(build.user_flags()).args(module_words(&compiler, folder)).arg("-g");
    match is_flang {
        true => drop(command.arg("-emit-llvm")),
        false => drop(command.arg("-fno-omit-frame-pointer").args(&instrumentation.flags)),
    }
    command.arg(no_flag(source)).arg("-o").arg(&product);
    let finished = build.run(&mut command, &compiler.name, deadline)?;
    check_product(&finished, &product, &build, &compiler, source)?;
    if !is_flang {
        return Ok(product);
    }
    let change =
        Change { attribute: instrumentation.attribute, aside: spec.aside.as_deref(), counts: spec.coverage.is_some() };
    let bitcode = match change {
        Change { attribute: None, aside: None, counts: false } => product,
        change => changed(&product, change, folder, &format!("{name}-changed"))?,
    };
    let mut words = ["-O0", "-g", "-fno-omit-frame-pointer", "-Wno-override-module"].map(str::to_owned).to_vec();
    words.extend(change.counts.then(|| COUNTS.to_owned()));
    let object = Object { source: &bitcode, words, name: name.to_owned() };
    object.compile(&spec.of(Language::Ir), Language::Ir, instrumentation, folder, deadline)
}

/// The executable of a crate of Rust's and of objects beside it. rustc has AddressSanitizer, as an unstable option, and its runtime is clang's.
fn link_crate(
    spec: &WholeSpec,
    source: &Path,
    instrumentation: &Instrumentation,
    objects: &[PathBuf],
    (folder, name): (&Path, &str),
    deadline: Instant,
) -> Result<PathBuf, BuildError> {
    let build = spec.of(Language::Rust);
    let compiler = build.find_compiler(Language::Rust, deadline)?;
    let language =
        if spec.languages().any(|(_, language)| language == Language::Cpp) { Language::Cpp } else { Language::C };
    let linker = spec.of(language).find_compiler(language, deadline)?;
    let product = output_file(folder, name, "exe")?;
    let mut command = native_command(spec, (&compiler, CrateType::Program), instrumentation);
    command.arg("-C").arg(format!("linker={}", linker.executable.display()));
    let counts = spec.coverage.map(|_| COUNTS);
    for word in instrumentation.flags.iter().map(String::as_str).chain(counts) {
        command.arg("-C").arg(format!("link-arg={word}"));
    }
    for object in objects {
        command.arg("-C").arg(format!("link-arg={}", object.display()));
    }
    command.args(["-C", "link-arg=-lm"]).arg(no_flag(source)).arg("-o").arg(&product);
    let finished = build.run(&mut command, &compiler.name, deadline)?;
    check_product(&finished, &product, &build, &compiler, source)?;
    Ok(product)
}

/// One object to be compiled.
struct Object<'a> {
    source: &'a Path,
    words: Vec<String>,
    name: String,
}

impl Object<'_> {
    fn compile(
        &self,
        build: &BuildSpec,
        language: Language,
        instrumentation: &Instrumentation,
        folder: &Path,
        deadline: Instant,
    ) -> Result<PathBuf, BuildError> {
        let compiler = build.find_compiler(language, deadline)?;
        let product = output_file(folder, &self.name, "o")?;
        let mut command = Command::new(&compiler.executable);
        command.arg("-c").args(&self.words).args(&instrumentation.flags);
        command.arg(no_flag(self.source)).arg("-o").arg(&product);
        let finished = build.run(&mut command, &compiler.name, deadline)?;
        check_product(&finished, &product, build, &compiler, self.source)?;
        Ok(product)
    }
}

/// Links the objects by the driver of the sources' languages.
fn link(
    spec: &WholeSpec,
    instrumentation: &Instrumentation,
    objects: &[PathBuf],
    (folder, name): (&Path, &str),
    deadline: Instant,
) -> Result<PathBuf, BuildError> {
    let has = |wanted: Language| spec.languages().any(|(_, language)| language == wanted);
    let fortran = match has(Language::Fortran) {
        true => Some(spec.of(Language::Fortran).find_compiler(Language::Fortran, deadline)?),
        false => None,
    };
    let is_flang = fortran.as_ref().is_some_and(|compiler| compiler.kind != CompilerKind::Gcc);
    let language = match has(Language::Cpp) {
        true => Language::Cpp,
        false if fortran.is_some() && !is_flang => Language::Fortran,
        false => Language::C,
    };
    let build = spec.of(language);
    let compiler: Compiler = build.find_compiler(language, deadline)?;
    let product = output_file(folder, name, "exe")?;
    let mut command = Command::new(&compiler.executable);
    // Fortran's flags are not C's.
    if !is_flang || has(Language::C) || has(Language::Cpp) {
        command.args(build.user_flags());
    }
    command.args(&instrumentation.flags).args(objects);
    if fortran.is_some() {
        command.args(link_words(&compiler, is_flang, deadline)?);
    }
    if has(Language::Rust) {
        command.args(SYSTEM_LIBRARIES);
    }
    command.args(spec.coverage.map(|_| COUNTS));
    command.args(["-lm", "-o"]).arg(&product);
    let finished = build.run(&mut command, &compiler.name, deadline)?;
    if !finished.status.success() {
        return Err(BuildError::Refused {
            compiler: compiler.version,
            path: spec.sources.first().cloned().unwrap_or_default(),
            role: "executable".to_owned(),
            words: bounded(&finished.stderr),
        });
    }
    Ok(product)
}

/// What a copy of bitcode has otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Change<'a> {
    /// An attribute of all functions.
    pub(super) attribute: Option<&'a str>,
    /// Another name of its `main`.
    pub(super) aside: Option<&'a str>,
    /// Counters of what is executed.
    pub(super) counts: bool,
}

/// A changed copy of bitcode or textual IR.
pub(super) fn changed(source: &Path, change: Change<'_>, folder: &Path, name: &str) -> Result<PathBuf, BuildError> {
    let product = output_file(folder, name, "bc")?;
    let unreadable =
        |reason: String| BuildError::Source { path: source.to_owned(), source: std::io::Error::other(reason) };
    let written = on_large_stack(|| {
        let mut module = parse_file(source).map_err(|error| error.to_string())?;
        if change.counts {
            module.add_counters();
        }
        if let Some(attribute) = change.attribute {
            module.add_to_functions(attribute);
        }
        if let Some(aside) = change.aside {
            module.rename_defined("main", aside);
        }
        let path = std::ffi::CString::new(product.display().to_string()).map_err(|error| error.to_string())?;
        if module.write_bitcode(&path) { Ok(()) } else { Err("its copy cannot be written".to_owned()) }
    });
    written.unwrap_or_else(|error| Err(error.to_string())).map_err(unreadable)?;
    Ok(product)
}

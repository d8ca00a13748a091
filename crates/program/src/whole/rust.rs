//! Rust programs: the crate's bitcode, and that of the standard library, which rustc's own libraries keep beside their machine code.
//!
//! A program of Rust's is one source, which names its modules itself. It is compiled with `panic=abort` unless the user says otherwise, so that a
//! panic ends it where it is: what the executor and the native run look for. Where the source has `catch_unwind` in it, panics unwind. Of the standard library everything is executed but what
//! [`is_left_out`] names: how panics are told, what is printed, how programs start, where keys of hash maps come from.

use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection};

use super::executable::Instrumentation;
use super::hash_maps::HASH_KEYS;
use super::spec::WholeSpec;
use crate::compile::process;
use crate::compile::{check_product, no_flag, output_file};
use crate::known::is_rust_runtime;
use crate::{BuildError, BuildSpec, Compiler, Language, Program};

/// Where rustc's libraries say that their sources lie.
const STANDARD_SOURCES: &str = "/rustc/";

/// The parts of the standard library, each before those that it uses. What they share of generic code lies in any of them.
const LIBRARIES: [&str; 11] = [
    "libstd-",
    "libpanic_unwind-",
    "libaddr2line-",
    "libgimli-",
    "libobject-",
    "libminiz_oxide-",
    "libhashbrown-",
    "libmemchr-",
    "librustc_demangle-",
    "liballoc-",
    "libcore-",
];

/// What starts a program, by its path, and the symbol of what takes its place (`scripts/libc/rust.c`).
pub(crate) const START: (&str, &str) = ("std::rt::lang_start_internal", "labrys_rust_start");

/// What `println` calls, by its path.
pub const PRINT: &str = "std::io::stdio::_print";
/// What `eprintln` calls.
pub const PRINT_ERROR: &str = "std::io::stdio::_eprint";
/// What a main that returns an error reports it by.
pub const REPORT_ERROR: &str = "std::io::stdio::attempt_print_to_stderr";

/// What tells the standard library the program's arguments, by its path, and the symbol by which what starts the program calls it. Natively the
/// dynamic linker calls it.
pub(crate) const ARGUMENTS: (&str, &CStr) =
    ("std::sys::args::unix::imp::ARGV_INIT_ARRAY::init_wrapper", c"labrys_rust_arguments");

/// What begins to unwind with a payload, by its path, and the symbol by which a panic that is caught calls it (`scripts/libc/rust_panics.c`).
pub(crate) const RESUME_UNWIND: (&str, &CStr) = ("std::panic::resume_unwind", c"labrys_rust_resume_unwind");
/// A panic that is caught, without what it was given.
pub const CAUGHT_PANIC: &CStr = c"labrys_rust_panic";

/// What has the program told of panics.
pub const SET_HOOK: &str = "std::panicking::set_hook";

/// Whether a path is of what takes panics where programs are compiled to unwind.
pub fn catches_unwinding(path: &str) -> bool {
    ["std::panic::catch_unwind", "std::panicking::catch_unwind"].iter().any(|name| path.starts_with(name))
}

/// Whether a source of Rust's among a program's has what catches panics.
fn names_catching(spec: &WholeSpec) -> bool {
    let has = |(source, language): (&Path, Language)| {
        language == Language::Rust && std::fs::read_to_string(source).is_ok_and(|text| text.contains("catch_unwind"))
    };
    spec.languages().any(has)
}

/// Whether a program's sources are all Rust's, and are compiled without inlining what can be told apart by its name.
pub(super) fn is_unoptimised(spec: &WholeSpec) -> bool {
    let is_rust = |(_, language)| language == Language::Rust;
    spec.languages().all(is_rust) && !spec.flags.iter().any(|flag| flag.contains("opt-level") || flag.starts_with("-O"))
}

/// What is made of a crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CrateType {
    /// A program.
    Program,
    /// Functions to be called from elsewhere, for execution: the crate alone. All that is not generic is kept.
    Functions,
    /// The same natively, with the standard library.
    Archive,
}

/// The words for rustc that say what is made, the user's, and what they leave open.
pub(super) fn rust_words(spec: &WholeSpec, ty: CrateType) -> Vec<String> {
    let flags = spec.of(Language::Rust).user_flags();
    let says = |option: &str| flags.iter().any(|flag| flag.strip_prefix("-C").unwrap_or(flag).starts_with(option));
    let name = match ty {
        CrateType::Program => "bin",
        CrateType::Functions => "lib",
        CrateType::Archive => "staticlib",
    };
    let mut words = ["--crate-type", name, "-C", "codegen-units=1", "-C", "debuginfo=2"].map(str::to_owned).to_vec();
    if ty != CrateType::Program {
        words.extend(["-C", "link-dead-code"].map(str::to_owned));
    }
    if spec.coverage.is_some() {
        // What counts has these names.
        words.extend(RUST_NAMES.map(str::to_owned));
    }
    if !flags.iter().any(|flag| flag.starts_with("--edition")) {
        words.push("--edition=2021".to_owned());
    }
    if !says("opt-level") && !flags.iter().any(|flag| flag == "-O") {
        words.extend(["-C", "opt-level=0"].map(str::to_owned));
    }
    if !says("panic") && !names_catching(spec) {
        words.extend(["-C", "panic=abort"].map(str::to_owned));
    }
    words.extend(flags);
    words
}

/// The names that functions have in programs that count what they execute.
pub const RUST_NAMES: [&str; 2] = ["-C", "symbol-mangling-version=v0"];

/// Words that have rustc count what is executed, conditions too: an unstable option. What writes the counts is clang's.
const COUNTING: [&str; 4] =
    ["-Cinstrument-coverage", "-Zcoverage-options=branch", "-Zno-profiler-runtime", "-Cdefault-linker-libraries=yes"];

/// What the standard library calls.
pub(super) const SYSTEM_LIBRARIES: [&str; 5] = ["-lgcc_s", "-lrt", "-lpthread", "-ldl", "-lm"];

/// rustc, told how to make something that runs: with what it counts and with sanitizers.
pub(super) fn native_command(
    spec: &WholeSpec,
    (compiler, ty): (&Compiler, CrateType),
    instrumentation: &Instrumentation,
) -> Command {
    let mut command = Command::new(&compiler.executable);
    command.args(rust_words(spec, ty));
    if spec.coverage.is_some() {
        command.env("RUSTC_BOOTSTRAP", "1").args(COUNTING);
    }
    if instrumentation.attribute == Some("sanitize_address") {
        command.env("RUSTC_BOOTSTRAP", "1").args(["-Zsanitizer=address", "-Zexternal-clangrt"]);
    }
    command
}

/// The crate as an archive `folder/NAME.a`, for clang to link.
///
/// # Errors
///
/// It does not compile, or the deadline passed.
pub(super) fn rust_archive(
    spec: &WholeSpec,
    source: &Path,
    instrumentation: &Instrumentation,
    (folder, name): (&Path, &str),
    deadline: Instant,
) -> Result<PathBuf, BuildError> {
    let build = spec.of(Language::Rust);
    let compiler = build.find_compiler(Language::Rust, deadline)?;
    let product = output_file(folder, name, "a")?;
    let mut command = native_command(spec, (&compiler, CrateType::Archive), instrumentation);
    command.arg(no_flag(source)).arg("-o").arg(&product);
    let finished = build.run(&mut command, &compiler.name, deadline)?;
    check_product(&finished, &product, &build, &compiler, source)?;
    Ok(product)
}

/// The crate as bitcode `folder/NAME.bc`.
///
/// # Errors
///
/// It does not compile, or the deadline passed.
pub(super) fn rust_bitcode(
    (spec, build): (&WholeSpec, &BuildSpec),
    compiler: &Compiler,
    source: &Path,
    (folder, name): (&Path, &str),
    deadline: Instant,
) -> Result<PathBuf, BuildError> {
    let product = output_file(folder, name, "bc")?;
    let mut command = Command::new(&compiler.executable);
    let ty = if spec.aside.is_some() { CrateType::Functions } else { CrateType::Program };
    command.args(rust_words(spec, ty)).arg("--emit=llvm-bc").arg(no_flag(source)).arg("-o").arg(&product);
    let finished = build.run(&mut command, &compiler.name, deadline)?;
    check_product(&finished, &product, build, compiler, source)?;
    Ok(product)
}

/// Bitcode of the standard library that a compiler links programs with, each part before those that it uses; nothing where its libraries have none.
///
/// # Errors
///
/// The compiler does not say where its libraries are.
pub(super) fn standard_library(compiler: &Compiler, deadline: Instant) -> Result<Vec<(String, Vec<u8>)>, BuildError> {
    let mut command = Command::new(&compiler.executable);
    command.args(["--print", "target-libdir"]).current_dir("/");
    let finished = process::run(&mut command, &compiler.name, deadline)?;
    let folder = PathBuf::from(finished.stdout.trim());
    let failed = |source| BuildError::Run { name: compiler.name.clone(), source };
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder).map_err(failed)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let mut modules = Vec::new();
    for prefix in LIBRARIES {
        let named = |file: &&PathBuf| {
            let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with(prefix) && name.ends_with(".rlib")
        };
        let Some(file) = files.iter().find(named) else { continue };
        let bytes = std::fs::read(file).map_err(failed)?;
        modules.extend(embedded_bitcode(&bytes).into_iter().map(|module| (file.display().to_string(), module)));
    }
    Ok(modules)
}

/// The bitcode in the objects of an archive.
pub(crate) fn embedded_bitcode(archive: &[u8]) -> Vec<Vec<u8>> {
    const SECTION: &str = ".llvmbc";
    let Ok(members) = ArchiveFile::parse(archive) else { return Vec::new() };
    let bitcode = |member: object::Result<object::read::archive::ArchiveMember<'_>>| {
        let data = member.ok()?.data(archive).ok()?;
        let object = object::File::parse(data).ok()?;
        let bytes = object.section_by_name(SECTION)?.data().ok()?.to_vec();
        (!bytes.is_empty()).then_some(bytes)
    };
    members.members().filter_map(bitcode).collect()
}

/// The path of a symbol of Rust's, without hashes; `None` for other symbols.
pub fn rust_path(symbol: &str) -> Option<String> {
    Some(format!("{:#}", rustc_demangle::try_demangle(symbol).ok()?))
}

/// Whether a function of the standard library is not executed: what is known of it by its name alone ([`crate::KnownFunction`]), and what prints.
pub(crate) fn is_left_out(symbol: &str) -> bool {
    if is_rust_runtime(symbol) {
        return true;
    }
    rust_path(symbol)
        .is_some_and(|path| matches!(path.as_str(), PRINT | PRINT_ERROR | REPORT_ERROR | HASH_KEYS) || path == START.0)
}

/// Whether a function of the standard library makes a text of a float, or a float of a text's digits.
pub(super) fn makes_texts_of_floats(symbol: &str) -> bool {
    const PRINTS: &str = "core::fmt::float::float_to_";
    const READS: &str = "core::num::dec2flt::lemire::compute_float";
    symbol.contains("float")
        && rust_path(symbol).is_some_and(|path| path.starts_with(PRINTS) || path.starts_with(READS))
}

/// Functions of the standard library that were compiled with the program are the library's; places in them that were inlined are those that they
/// were inlined into. What goes wrong in them is where the program calls them, which is where a panic says that it is.
pub(super) fn tell_library_apart(program: &mut Program) {
    let is_standard: Vec<bool> = program.files.iter().map(|file| file.starts_with(STANDARD_SOURCES)).collect();
    if !is_standard.contains(&true) {
        return;
    }
    let in_library = |location: &crate::Location| is_standard.get(location.file as usize) == Some(&true);
    for function in &mut program.functions {
        let mut locations = function.blocks.iter().flat_map(|block| {
            block.instructions.iter().map(|of| of.location).chain([block.terminator_location]).flatten()
        });
        let own = locations.find_map(|id| {
            let location = program.locations.get(id.index())?;
            location.inlined_at.is_none().then(|| in_library(location))
        });
        function.is_library |= own == Some(true);
    }
    let seen = |start: &crate::Location| {
        let mut at = *start;
        while in_library(&at) {
            match at.inlined_at.and_then(|id| program.locations.get(id.index())) {
                Some(outer) => at = *outer,
                None => return *start,
            }
        }
        at
    };
    program.locations = program.locations.iter().map(seen).collect();
}

/// Whether a program has a source of Rust's among others of it.
pub(super) fn has_several_crates(languages: impl Iterator<Item = Language>) -> bool {
    languages.filter(|language| *language == Language::Rust).count() > 1
}

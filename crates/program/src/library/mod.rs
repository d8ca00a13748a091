//! A whole library: every source that a compilation database names, as one shared object that runs and one program that is
//! analysed, and the functions in both.
//!
//! What is built stays in the output folder: `units/` has an object and the bitcode of each source, `library.so` and
//! `library.bc` are those linked. A second build compiles only what has changed (the compiler, its words, the source or
//! a header it reads) and links again only where something was compiled.
//!
//! A source that does not compile is left out with a note, and so is one that defines again what another defines: a
//! project's test programs, each with its `main`. Calls into what was left out end the process that makes them, which
//! is an observation like any other.

mod error;
mod filter;
mod first_use;
mod functions;
mod merge;
mod unit;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::compile::{check_source, link_objects};
use crate::{BuildError, BuildSpec, CompilationDatabase, Language, LengthOptions, Origin, Program, ProjectFlags};
use merge::Selection;
use unit::{Compiled, FileHashes, Unit};

pub use error::LibraryError;
pub use filter::FunctionFilter;
pub use functions::{LibraryFunction, with_directions};

/// How a library is built.
#[derive(Clone, Debug)]
pub struct LibraryOptions {
    /// The compiler of all sources, a name or a path; `None` for the default one of each source's language.
    pub compiler: Option<String>,
    /// Flags that come last and therefore win over the database's. `-O0` by default.
    pub flags: Vec<String>,
    /// Flags that stand between the database's and these.
    pub common_flags: Vec<String>,
    /// Objects and libraries that are linked in.
    pub link: Vec<PathBuf>,
    /// How much memory is behind pointers, for functions that have parameters of such names.
    pub lengths: LengthOptions,
    /// When everything must have been built.
    pub deadline: Instant,
    /// How many compilers run at a time; at least one.
    pub jobs: usize,
    /// Who wrote all this.
    pub origin: Origin,
}

impl LibraryOptions {
    /// `-O0`, one compiler at a time.
    pub fn new(deadline: Instant) -> LibraryOptions {
        LibraryOptions {
            compiler: None,
            flags: vec!["-O0".to_owned()],
            common_flags: Vec::new(),
            link: Vec::new(),
            lengths: LengthOptions::default(),
            deadline,
            jobs: 1,
            origin: Origin::User,
        }
    }
}

/// A library that was built.
#[derive(Debug)]
pub struct LibraryBuild {
    /// The shared object, with debug information.
    pub library: PathBuf,
    /// The IR of all sources, linked, local variables promoted to values as [`Program::from_bytes_promoted`] does.
    pub program: Program,
    /// The functions that both have, by file and line.
    pub functions: Vec<LibraryFunction>,
    /// The sources that went in.
    pub sources: Vec<PathBuf>,
    /// The compilers and their versions.
    pub compilers: Vec<String>,
    /// What was left out and why, and what compilers said about flags.
    pub notes: Vec<String>,
    /// How many sources were compiled in this build; the others had not changed.
    pub compiled: usize,
}

/// Builds the library of a compilation database (`compile_commands.json` or its folder) in `folder`.
///
/// # Errors
///
/// The database cannot be read, no source compiles, the linker or LLVM refuses, `folder` cannot be written, or the deadline
/// passed.
pub fn build_library(database: &Path, options: &LibraryOptions, folder: &Path) -> Result<LibraryBuild, LibraryError> {
    let sources = CompilationDatabase::load(database)?.sources()?;
    let folder = writable(folder)?;
    let mut notes = Vec::new();
    let units = units(sources, options, &folder, &mut notes)?;
    let (compiled, count) = compile(&units, options, &mut notes)?;
    let selection = merge::select(compiled);
    notes.extend(selection.notes.iter().cloned());
    notes.extend(selection.units.iter().flat_map(|unit| &unit.notes).cloned());
    let (library, bitcode) = link(&selection, options, &folder, &mut notes)?;
    let name = bitcode.display().to_string();
    let bytes = fs::read(&bitcode).map_err(|source| crate::LoadError::Read { name: name.clone(), source })?;
    let program = Program::from_bytes_promoted(&bytes, &name)?;
    let functions = functions::collect(&library, &program, &selection, &options.lengths)?;
    notes.sort();
    notes.dedup();
    let mut compilers = Vec::new();
    for compiled in &selection.units {
        let Unit { spec, language, .. } = &compiled.unit;
        let version = spec.find_compiler(*language, options.deadline)?.version;
        if !compilers.contains(&version) {
            compilers.push(version);
        }
    }
    let sources = selection.units.into_iter().map(|compiled| compiled.unit.source).collect();
    Ok(LibraryBuild { library, program, functions, sources, compilers, notes, compiled: count })
}

/// The folder by its absolute path, made if there is none.
fn writable(folder: &Path) -> Result<PathBuf, LibraryError> {
    let refused = |source| BuildError::OutputFolder { path: folder.to_owned(), source };
    fs::create_dir_all(folder.join("units")).map_err(refused)?;
    Ok(folder.canonicalize().map_err(refused)?)
}

/// One unit for each source whose language has objects that can be linked with the others.
fn units(
    sources: Vec<(PathBuf, ProjectFlags)>,
    options: &LibraryOptions,
    folder: &Path,
    notes: &mut Vec<String>,
) -> Result<Vec<Unit>, LibraryError> {
    let labels = labels(sources.iter().map(|(source, _)| source.as_path()));
    let mut units = Vec::new();
    for ((source, project), label) in sources.into_iter().zip(labels) {
        let language = match Language::of(&source) {
            Ok(language @ (Language::C | Language::Cpp)) => language,
            Ok(other) => {
                notes.push(format!("{label} is left out: libraries of {} are not supported", other.name()));
                continue;
            }
            Err(error) => {
                notes.push(format!("{label} is left out: {error}"));
                continue;
            }
        };
        if let Err(error) = check_source(&source) {
            notes.push(format!("{label} is left out: {error}"));
            continue;
        }
        // Two sources of one name are told apart by their paths.
        let hash = unit::hex(source.as_os_str().as_encoded_bytes());
        let stem = source.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let spec = BuildSpec {
            role: format!("{stem}_{}", &hash[..8]).replace(|c: char| !c.is_ascii_alphanumeric(), "_"),
            compiler: options.compiler.clone().unwrap_or_else(|| language.default_compiler().to_owned()),
            flags: options.flags.clone(),
            common_flags: project.flags.iter().chain(&options.common_flags).cloned().collect(),
            link: Vec::new(),
            origin: options.origin,
        };
        notes.extend(project.notes);
        units.push(Unit { source, language, label, spec, folder: folder.join("units") });
    }
    if units.is_empty() { Err(LibraryError::NoSources { notes: notes.clone() }) } else { Ok(units) }
}

/// The shortest ends of paths, in whole components, that differ from each other.
fn labels<'s>(sources: impl Iterator<Item = &'s Path> + Clone) -> Vec<String> {
    let tail = |path: &Path, count: usize| -> String {
        let parts: Vec<_> =
            path.components().rev().take(count).map(|part| part.as_os_str().to_string_lossy()).collect();
        parts.into_iter().rev().collect::<Vec<_>>().join("/")
    };
    let mut lengths: Vec<usize> = sources.clone().map(|_| 1).collect();
    loop {
        let labels: Vec<String> = sources.clone().zip(&lengths).map(|(path, count)| tail(path, *count)).collect();
        let mut users: BTreeMap<&String, Vec<usize>> = BTreeMap::new();
        for (index, label) in labels.iter().enumerate() {
            users.entry(label).or_default().push(index);
        }
        let mut grown = false;
        for (index, path) in sources.clone().enumerate() {
            let is_shared = users.get(&labels[index]).is_some_and(|users| users.len() > 1);
            if is_shared && lengths[index] < path.components().count() {
                lengths[index] += 1;
                grown = true;
            }
        }
        if !grown {
            return labels;
        }
    }
}

/// Compiles the units, several at a time, and counts those that had changed.
fn compile(
    units: &[Unit],
    options: &LibraryOptions,
    notes: &mut Vec<String>,
) -> Result<(Vec<Compiled>, usize), LibraryError> {
    let (hashes, next) = (FileHashes::default(), AtomicUsize::new(0));
    let results: Mutex<Vec<(usize, Result<Compiled, BuildError>)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.clamp(1, units.len()) {
            scope.spawn(|| {
                while let Some((index, unit)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|index| Some((index, units.get(index)?)))
                {
                    let result = unit.compile(&hashes, options.deadline);
                    results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    let (mut compiled, mut failure, mut count) = (Vec::new(), None, 0);
    for (index, result) in results {
        match result {
            Ok(unit) => {
                count += usize::from(unit.is_new);
                compiled.push(unit);
            }
            Err(error @ BuildError::Refused { .. }) => {
                notes.push(format!("{} is left out: {}", units[index].label, first_error(&error)));
                failure = failure.or(Some(error));
            }
            Err(error) => return Err(error.into()),
        }
    }
    match failure {
        Some(error) if compiled.is_empty() => Err(error.into()),
        _ => Ok((compiled, count)),
    }
}

/// The first error in a compiler's words, else their first line.
fn first_error(error: &BuildError) -> String {
    let words = match error {
        BuildError::Refused { words, .. } => words.clone(),
        other => other.to_string(),
    };
    let mut lines = words.lines();
    lines.clone().find(|line| line.contains("error")).or_else(|| lines.next()).unwrap_or("no message").trim().to_owned()
}

/// Links the units, unless the same ones were linked last.
fn link(
    selection: &Selection,
    options: &LibraryOptions,
    folder: &Path,
    notes: &mut Vec<String>,
) -> Result<(PathBuf, PathBuf), LibraryError> {
    let has_cpp = selection.units.iter().any(|compiled| compiled.unit.language == Language::Cpp);
    let language = if has_cpp { Language::Cpp } else { Language::C };
    let spec = BuildSpec {
        role: "library".to_owned(),
        compiler: options.compiler.clone().unwrap_or_else(|| language.default_compiler().to_owned()),
        flags: options.flags.clone(),
        common_flags: options.common_flags.clone(),
        link: options.link.clone(),
        origin: options.origin,
    };
    let (library, bitcode, stamp) =
        (folder.join("library.so"), folder.join("library.bc"), folder.join("library.stamp"));
    // Who asks for it changes nothing in what is made.
    let BuildSpec { role, compiler, flags, common_flags, link, origin: _ } = &spec;
    let mut identity = format!("{role} {compiler} {flags:?} {common_flags:?} {link:?} {language:?}\n");
    for file in &options.link {
        identity.push_str(&fs::read(file).map(|bytes| unit::hex(&bytes)).unwrap_or_default());
    }
    selection.units.iter().for_each(|compiled| identity.push_str(&format!("\n{}", compiled.identity)));
    let before = fs::read_to_string(&stamp).ok();
    if let Some(told) = before.as_ref().and_then(|before| before.strip_prefix(&identity))
        && library.exists()
        && bitcode.exists()
    {
        notes.extend(told.lines().filter(|line| !line.is_empty()).map(str::to_owned));
        return Ok((library, bitcode));
    }
    let _ = fs::remove_file(&stamp);
    let objects: Vec<PathBuf> = selection.units.iter().map(|compiled| compiled.object.clone()).collect();
    let library = link_objects(&spec, language, &objects, folder, options.deadline)?;
    let left_out = merge::link_bitcode(selection, &bitcode)?;
    left_out.iter().for_each(|note| identity.push_str(&format!("\n{}", note.replace('\n', " "))));
    let unwritable = |source| BuildError::OutputFolder { path: stamp.clone(), source };
    unit::write_whole(&stamp, identity.as_bytes()).map_err(unwritable)?;
    notes.extend(left_out);
    Ok((library, bitcode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_as_short_as_can_be() {
        let paths = ["/p/a/x.c", "/p/b/x.c", "/p/b/y.c", "/q/b/y.c"].map(Path::new);
        assert_eq!(labels(paths.into_iter()), ["a/x.c", "b/x.c", "p/b/y.c", "q/b/y.c"]);
    }
}

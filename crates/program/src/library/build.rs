//! The way from a compilation database to a library.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::error::LibraryError;
use super::functions::{self, LibraryFunction};
use super::merge::{self, Selection};
use super::options::LibraryOptions;
use super::remade::LibraryUnit;
use super::sources::units;
use super::unit::{self, Compiled, FileHashes, Unit};
use crate::compile::link_objects;
use crate::dwarf::{nearest, scoped_name};
use crate::{BuildError, BuildSpec, CompilationDatabase, Language, Program};

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
    pub units: Vec<LibraryUnit>,
    /// How they are linked.
    pub(super) linking: (BuildSpec, Vec<Language>),
    /// The compilers and their versions.
    pub compilers: Vec<String>,
    /// What was left out and why, and what compilers said about flags.
    pub notes: Vec<String>,
    /// How many sources were compiled in this build; the others had not changed.
    pub compiled: usize,
}

impl LibraryBuild {
    /// The names of functions that are most like one that none has.
    pub fn near_names(&self, wanted: &str) -> Vec<String> {
        nearest(self.functions.iter().map(|function| scoped_name(&function.name)), wanted)
    }

    /// The flags by which the project compiles its sources, in a sentence: those of which what is computed may depend. `None` where there are none.
    pub fn own_flags_in_words(&self) -> Option<String> {
        let own = |unit: &LibraryUnit| {
            let words = unit.project_flags().iter().map(String::as_str);
            words.filter(|word| may_change_results(word)).collect::<Vec<_>>().join(" ")
        };
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        self.units.iter().for_each(|unit| *kinds.entry(own(unit)).or_default() += 1);
        let shown = |(flags, count): (&String, &usize)| match flags.as_str() {
            "" => format!("none of {count}"),
            flags => format!("{flags} of {count}"),
        };
        let words = match kinds.len() {
            1 => kinds.keys().next().cloned().filter(|flags| !flags.is_empty())?,
            count if count <= KINDS_SHOWN => kinds.iter().map(shown).collect::<Vec<_>>().join(", "),
            0 => return None,
            count => format!("{count} different sets"),
        };
        Some(format!("the sources' own flags, which stand before others: {words}"))
    }
}

/// Sets of flags of which all are told.
const KINDS_SHOWN: usize = 3;

/// Whether what code computes may depend on a word of a command line.
pub fn may_change_results(word: &str) -> bool {
    const LAYOUT: [&str; 10] = [
        "-fPI",
        "-fpi",
        "-fdiagnostics",
        "-fvisibility",
        "-fstack",
        "-fcolor",
        "-ffile-prefix",
        "-fdebug",
        "-fdata-sections",
        "-ffunction-sections",
    ];
    ["-O", "-f", "-m"].iter().any(|kind| word.starts_with(kind)) && !LAYOUT.iter().any(|of| word.starts_with(of))
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
    let _held = held(&folder, options.deadline)?;
    let mut notes = Vec::new();
    let units = units(sources, options, &folder, &mut notes)?;
    let (compiled, count) = compile(&units, options, &mut notes)?;
    let selection = merge::select(compiled);
    notes.extend(selection.notes.iter().cloned());
    notes.extend(selection.units.iter().flat_map(|unit| &unit.notes).cloned());
    let (library, bitcode) = link(&selection, options, &folder, &mut notes)?;
    let name = bitcode.display().to_string();
    let bytes = fs::read(&bitcode).map_err(|source| crate::LoadError::Read { name: name.clone(), source })?;
    let program = Program::from_bytes_promoted_with(&bytes, &name, options.runtime.as_deref())?;
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
    let linking = linking(&selection, options);
    let units = selection.units.into_iter().map(LibraryUnit::from).collect();
    Ok(LibraryBuild { library, program, functions, units, linking, compilers, notes, compiled: count })
}

/// The folder by its absolute path, made if there is none.
fn writable(folder: &Path) -> Result<PathBuf, LibraryError> {
    let refused = |source| BuildError::OutputFolder { path: folder.to_owned(), source };
    fs::create_dir_all(folder.join("units")).map_err(refused)?;
    Ok(folder.canonicalize().map_err(refused)?)
}

/// How often it is tried to hold a folder.
const PATIENCE: Duration = Duration::from_millis(50);

/// Keeps other processes from building in a folder until the file is dropped: several may share it, and the first one builds. Where no
/// file can be made, nobody builds.
fn held(folder: &Path, deadline: Instant) -> Result<Option<File>, LibraryError> {
    let path = folder.join("building.lock");
    let Ok(file) = File::options().create(true).truncate(false).write(true).open(&path) else { return Ok(None) };
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => std::thread::sleep(PATIENCE),
            Err(TryLockError::WouldBlock) => {
                let source = std::io::Error::other("another process is building there");
                return Err(BuildError::OutputFolder { path: folder.to_owned(), source }.into());
            }
            // File systems without locks: whoever shares one builds first.
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
}

/// Compiles the units, several of a wave at a time, and counts those that had changed.
fn compile(
    units: &[Unit],
    options: &LibraryOptions,
    notes: &mut Vec<String>,
) -> Result<(Vec<Compiled>, usize), LibraryError> {
    let hashes = FileHashes::default();
    let results: Mutex<Vec<(usize, Result<Compiled, BuildError>)>> = Mutex::default();
    let last = units.iter().map(|unit| unit.wave).max().unwrap_or(0);
    for wave in 0..=last {
        let here: Vec<usize> = (0..units.len()).filter(|index| units[*index].wave == wave).collect();
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..options.jobs.clamp(1, here.len().max(1)) {
                scope.spawn(|| {
                    while let Some(&index) = here.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let result = units[index].compile(&hashes, options.deadline);
                        results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, result));
                    }
                });
            }
        });
    }
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
                notes.push(format!("{} is left out: {}", units[index].label, error.first_error()));
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

/// The words that link the units, and their languages, of which the first one's compiler links: it knows its own runtime libraries.
fn linking(selection: &Selection, options: &LibraryOptions) -> (BuildSpec, Vec<Language>) {
    let has = |language| selection.units.iter().any(|compiled| compiled.unit.language == language);
    let languages: Vec<Language> =
        [Language::Fortran, Language::Cpp, Language::C].into_iter().filter(|language| has(*language)).collect();
    let language = languages.first().copied().unwrap_or(Language::C);
    let spec = BuildSpec {
        role: "library".to_owned(),
        compiler: options.compiler.clone().unwrap_or_else(|| language.default_compiler().to_owned()),
        flags: options.flags.clone(),
        common_flags: options.common_flags.clone(),
        link: options.link.clone(),
        origin: options.origin,
        of_crate: None,
    };
    (spec, languages)
}

/// Links the units, unless the same ones were linked last.
fn link(
    selection: &Selection,
    options: &LibraryOptions,
    folder: &Path,
    notes: &mut Vec<String>,
) -> Result<(PathBuf, PathBuf), LibraryError> {
    let (spec, languages) = linking(selection, options);
    let (library, bitcode, stamp) =
        (folder.join("library.so"), folder.join("library.bc"), folder.join("library.stamp"));
    // Who asks for it changes nothing in what is made.
    let BuildSpec { role, compiler, flags, common_flags, link, origin: _, of_crate: _ } = &spec;
    let mut identity = format!("{role} {compiler} {flags:?} {common_flags:?} {link:?} {languages:?}\n");
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
    let library = link_objects(&spec, &languages, (&objects, false), folder, options.deadline)?;
    let left_out = merge::link_bitcode(selection, &bitcode)?;
    left_out.iter().for_each(|note| identity.push_str(&format!("\n{}", note.replace('\n', " "))));
    let unwritable = |source| BuildError::OutputFolder { path: stamp.clone(), source };
    unit::write_whole(&stamp, identity.as_bytes()).map_err(unwritable)?;
    notes.extend(left_out);
    Ok((library, bitcode))
}

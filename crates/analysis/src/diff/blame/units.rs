//! Builds of a library to be tried: some of its sources compiled otherwise, linked with the baseline's objects of the others.
//!
//! One source, that of the function or that of the operation which differs first, is to blame for most divergences. Where neither is, all that the function can
//! reach are made otherwise at once, and those that are not needed go.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use labrys_program::{CompilerKind, Language, LibraryFunction, address_in, parse_build};
use labrys_report::Cause;
use rustc_hash::FxHashMap;

use super::{Maker, Making, TrialBuild};
use crate::AnalysisError;
use crate::diff::builds::{BUILD_LIMIT, Prepared};
use crate::library::build::Library;
use crate::run::clock::Clock;

/// Of more sources than these, all that a function can reach are not made otherwise.
const MOST_UNITS: usize = 12;

/// An object by unit and flags: where it is and what the compiler said, or why there is none.
type Objects = FxHashMap<(usize, String), Result<(PathBuf, String), String>>;

/// Objects that were made to be tried, for all functions of a source.
pub struct Shelf {
    folder: PathBuf,
    objects: Mutex<Objects>,
    count: AtomicUsize,
}

impl Shelf {
    /// An empty one, which keeps objects in `folder`.
    pub fn new(folder: PathBuf) -> Shelf {
        Shelf { folder, objects: Mutex::default(), count: AtomicUsize::new(0) }
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        // Those of a run may be thousands.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A shelf for each source whose functions' findings are blamed: it goes when the last of these is done.
pub struct Shelves {
    folder: PathBuf,
    /// By source, how many functions are to come, and the shelf from the first of them on.
    of: Mutex<FxHashMap<Option<usize>, Awaited>>,
}

/// A shelf that so many functions are still to have.
type Awaited = (usize, Option<Arc<Shelf>>);

impl Shelves {
    /// Shelves in `folder` for functions of these sources.
    pub fn new(folder: &Path, functions: impl Iterator<Item = Option<usize>>) -> Shelves {
        let mut of: FxHashMap<_, (usize, _)> = FxHashMap::default();
        functions.for_each(|unit| of.entry(unit).or_default().0 += 1);
        Shelves { folder: folder.to_owned(), of: Mutex::new(of) }
    }

    /// That of a source, for one of its functions.
    pub fn of(&self, unit: Option<usize>) -> Arc<Shelf> {
        let mut of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        let (left, shelf) = of.entry(unit).or_default();
        let name = unit.map_or("shelf".to_owned(), |unit| format!("shelf-{unit}"));
        let shared = Arc::clone(shelf.get_or_insert_with(|| Arc::new(Shelf::new(self.folder.join(name)))));
        *left = left.saturating_sub(1);
        if *left == 0 {
            *shelf = None;
        }
        shared
    }
}

/// Makes a library otherwise for one of its functions.
pub struct OfLibrary<'a> {
    /// The baseline.
    pub library: &'a Library,
    /// The function, in the baseline.
    pub of: &'a LibraryFunction,
    /// The builds that were compared.
    pub prepared: &'a Prepared,
    /// Objects that were made before.
    pub shelf: &'a Shelf,
    /// When to stop.
    pub clock: &'a Clock,
}

impl OfLibrary<'_> {
    /// The object of a unit by these words.
    fn object(&self, unit: usize, text: &str) -> Result<(PathBuf, String), AnalysisError> {
        let key = (unit, text.to_owned());
        let known = self.shelf.objects.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        let made = match known {
            Some(made) => made,
            None => {
                let number = self.shelf.count.fetch_add(1, Ordering::Relaxed);
                let made = self.made(unit, text, &self.shelf.folder.join(number.to_string()));
                match made {
                    // That there was no time is not how it ends the next time.
                    Err(error) if error.is_time_up() => return Err(error),
                    made => {
                        let made = made.map_err(|error| match error {
                            AnalysisError::Build(error) => error.in_a_line(),
                            error => error.to_string(),
                        });
                        let mut objects = self.shelf.objects.lock().unwrap_or_else(PoisonError::into_inner);
                        objects.insert(key, made.clone());
                        made
                    }
                }
            }
        };
        made.map_err(AnalysisError::Usage)
    }

    fn made(&self, unit: usize, text: &str, folder: &Path) -> Result<(PathBuf, String), AnalysisError> {
        let of = self.library.build.units.get(unit).ok_or(AnalysisError::Internal("a library has no such unit"))?;
        let with = parse_build(text, of.language())?;
        Ok(of.made_with(&with, folder, self.clock.deadline(BUILD_LIMIT))?)
    }

    /// The units of all code that the function can reach, its own first.
    fn reachable(&self) -> Vec<usize> {
        let Library { graph, build, .. } = self.library;
        let reached: BTreeSet<_> = graph.reachable(self.of.function).into_iter().collect();
        let units: BTreeSet<usize> =
            build.functions.iter().filter(|of| reached.contains(&of.function)).filter_map(|of| of.unit).collect();
        let own = self.of.unit;
        own.into_iter().chain(units.into_iter().filter(|unit| Some(*unit) != own)).collect()
    }
}

impl Maker for OfLibrary<'_> {
    fn language(&self) -> Language {
        Language::C
    }

    fn compiled_language(&self) -> Language {
        let own = self.of.unit.and_then(|unit| self.library.build.units.get(unit));
        own.map_or(self.language(), |unit| unit.language())
    }

    fn kind(&self, named: CompilerKind) -> CompilerKind {
        let is_fortran = self.compiled_language() == Language::Fortran;
        if is_fortran && named == CompilerKind::Clang { CompilerKind::Flang } else { named }
    }

    fn project_flags(&self) -> Vec<String> {
        let own = self.of.unit.and_then(|unit| self.library.build.units.get(unit));
        own.map(|unit| unit.project_flags().to_vec()).unwrap_or_default()
    }

    fn candidates(&self, cause: Option<&Cause>) -> Vec<Vec<usize>> {
        let file = cause.and_then(|cause| cause.place.file.as_deref()).map(Path::new).and_then(Path::file_name);
        let units = self.library.build.units.iter();
        let of_cause = units.enumerate().find(|(_, unit)| file.is_some() && unit.source.file_name() == file);
        let of_cause = of_cause.map(|(index, _)| index);
        let mut candidates: Vec<Vec<usize>> = self.of.unit.into_iter().chain(of_cause).map(|unit| vec![unit]).collect();
        let all = self.reachable();
        if (2..=MOST_UNITS).contains(&all.len()) {
            candidates.push(all);
        }
        candidates.dedup();
        candidates
    }

    fn names(&self, units: &[usize]) -> Vec<String> {
        units.iter().filter_map(|unit| self.library.build.units.get(*unit)).map(|unit| unit.label.clone()).collect()
    }

    fn make(&self, making: &Making, folder: &Path) -> Result<TrialBuild, AnalysisError> {
        let mut objects = Vec::with_capacity(making.units.len());
        let mut words = String::new();
        for (number, &unit) in making.units.iter().enumerate() {
            if let Some(places) = &making.strict_at {
                let of =
                    self.library.build.units.get(unit).ok_or(AnalysisError::Internal("a library has no such unit"))?;
                let with = parse_build(&making.text, of.language())?;
                let (folder, deadline) = (folder.join(number.to_string()), self.clock.deadline(BUILD_LIMIT));
                objects.push((unit, of.made_strict_at(&with, places, &folder, deadline)?));
                continue;
            }
            let (object, said) = self.object(unit, &making.text)?;
            words.push_str(&said);
            objects.push((unit, object));
        }
        let with = parse_build(&making.text, Language::C)?;
        let build = &self.library.build;
        let library = build.linked_with(&objects, &with, folder, self.clock.deadline(BUILD_LIMIT))?;
        let source = self.of.unit.and_then(|unit| build.units.get(unit)).map(|unit| unit.source.as_path());
        let source = source.unwrap_or(Path::new(&self.of.file));
        let address = address_in(&library, &self.of.symbol, self.of.is_public, source);
        let gone = || AnalysisError::Usage(format!("{} is not in it, or more than once", self.of.symbol));
        let like = &self.prepared.builds[0].build;
        Ok(TrialBuild {
            build: labrys_program::Build { library, ..like.clone() },
            address: Some(address.ok_or_else(gone)?),
            words,
        })
    }
}

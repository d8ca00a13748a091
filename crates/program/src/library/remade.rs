//! A library made again with some of its units compiled otherwise, to be run and not analysed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use object::{Object, ObjectSymbol, SymbolKind};

use super::build::LibraryBuild;
use super::unit::{self, Compiled};
use crate::compile::{emit_object, link_objects};
use crate::{
    BuildError, BuildSpec, CompilerKind, Language, OperationPlace, Product, VariantError, build_without_flags_at,
};

/// One source of a library that was built, and its object.
#[derive(Clone, Debug)]
pub struct LibraryUnit {
    /// The source.
    pub source: PathBuf,
    /// What tells it from the others in names: its file name, with as many folders as that takes.
    pub label: String,
    language: Language,
    pub(super) spec: BuildSpec,
    pub(super) object: PathBuf,
    /// The folder of its products.
    pub(super) folder: PathBuf,
    /// The files that it was made from.
    pub(super) read: Vec<PathBuf>,
    /// It is compiled after all units of smaller waves.
    pub(super) wave: usize,
}

impl From<Compiled> for LibraryUnit {
    fn from(compiled: Compiled) -> LibraryUnit {
        let Compiled { unit, object, read, .. } = compiled;
        let unit::Unit { source, label, language, spec, folder, wave, .. } = unit;
        LibraryUnit { source, label, language, spec, object, folder, read, wave }
    }
}

impl LibraryUnit {
    /// The source's language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The flags by which the project compiles it.
    pub fn project_flags(&self) -> &[String] {
        &self.spec.common_flags
    }

    /// Its object in `folder` by the compiler and the flags of `with`, behind the project's own flags; and what the compiler said.
    ///
    /// # Errors
    ///
    /// As [`crate::build_shared`].
    pub fn made_with(
        &self,
        with: &BuildSpec,
        folder: &Path,
        deadline: Instant,
    ) -> Result<(PathBuf, String), BuildError> {
        let made = emit_object(&self.spec_with(with, deadline)?, &self.source, folder, deadline)?;
        Ok((made.path, made.words))
    }

    /// The same, but that no flag lets operations at these places change.
    ///
    /// # Errors
    ///
    /// As [`build_without_flags_at`].
    pub fn made_strict_at(
        &self,
        with: &BuildSpec,
        places: &[OperationPlace],
        folder: &Path,
        deadline: Instant,
    ) -> Result<PathBuf, VariantError> {
        let spec = self.spec_with(with, deadline)?;
        build_without_flags_at(&spec, (&self.source, Product::Object), places, folder, deadline)
    }

    /// How it is compiled by the compiler and the flags of another specification, behind the project's own flags.
    fn spec_with(&self, with: &BuildSpec, deadline: Instant) -> Result<BuildSpec, BuildError> {
        let mut spec = BuildSpec { compiler: with.compiler.clone(), flags: with.flags.clone(), ..self.spec.clone() };
        if self.language == Language::Fortran {
            // Modules that it uses lie where the library was built, gfortran's apart.
            let is_gnu = spec.find_compiler(self.language, deadline)?.kind == CompilerKind::Gcc;
            let modules = if is_gnu { self.folder.join("gnu") } else { self.folder.clone() };
            spec.common_flags.insert(0, format!("-I{}", modules.display()));
        }
        Ok(spec)
    }
}

impl LibraryBuild {
    /// The shared object in `folder` of this library's units, some by the objects that are given with their places; linked by the compiler and
    /// the flags of `with`, without debug information.
    ///
    /// # Errors
    ///
    /// The compiler is missing, or the linker refuses.
    pub fn linked_with(
        &self,
        given: &[(usize, PathBuf)],
        with: &BuildSpec,
        folder: &Path,
        deadline: Instant,
    ) -> Result<PathBuf, BuildError> {
        let mut objects: Vec<PathBuf> = self.units.iter().map(|unit| unit.object.clone()).collect();
        for (index, object) in given {
            if let Some(slot) = objects.get_mut(*index) {
                slot.clone_from(object);
            }
        }
        let (spec, languages) = &self.linking;
        let spec = BuildSpec { compiler: with.compiler.clone(), flags: with.flags.clone(), ..spec.clone() };
        link_objects(&spec, languages, (&objects, true), folder, deadline)
    }
}

/// The address of a function in a shared object, by its symbol: of a static one that of `source`, for several files may have one of its name.
pub fn address_in(library: &Path, symbol: &str, is_public: bool, source: &Path) -> Option<u64> {
    let bytes = fs::read(library).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let own_file = source.file_name()?.to_string_lossy();
    let mut in_own_file = false;
    let mut found = Vec::new();
    for of in file.symbols() {
        match (of.kind(), of.name()) {
            // Local symbols stand behind the name of the file that they are of.
            (SymbolKind::File, Ok(name)) => {
                in_own_file = Path::new(name).file_name().is_some_and(|name| name.to_string_lossy() == own_file);
            }
            // What other sources can call is local, too, where it is hidden from other libraries.
            (SymbolKind::Text, Ok(name))
                if name == symbol && of.is_definition() && (is_public || (in_own_file && !of.is_global())) =>
            {
                found.push(of.address());
            }
            _ => {}
        }
    }
    match found.as_slice() {
        [address] => Some(*address),
        _ => None,
    }
}

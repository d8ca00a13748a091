//! A function of a crate, ready to be built with any flags.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::compiled::{Compiled, Source};
use super::glue::{GLUE_CRATE, Glue, SYMBOL};
use super::path::FunctionPath;
use super::question::Asker;
use super::resolve::Resolver;
use super::{CargoOptions, CrateError, CratePart, PassLimit, member, sources};
use crate::dwarf::demangled;

/// A function of a crate and the glue that calls it.
#[derive(Clone, Debug)]
pub struct CrateFunction {
    path: FunctionPath,
    pub(super) source: Source,
    glue: Glue,
    /// Where its source begins it: the file and the line.
    place: Option<(PathBuf, u32)>,
    /// Where not all optimisation passes run.
    pub(super) limit: Option<PassLimit>,
}

/// A path of a function of a crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CratePath {
    /// As users of the crate write it, where they can.
    pub path: String,
    /// With the modules of the file that it is in, and those within.
    pub written: String,
}

impl CrateFunction {
    /// Finds a function by its path, and how it is called: the crate is built with `flags` for that. `lengths` are the user's
    /// words on slices: `x=8`, `y=x_len`.
    ///
    /// # Errors
    ///
    /// There is no such crate or function, or it cannot be called: see [`CrateError`].
    pub fn find(
        path: &str,
        options: CargoOptions,
        flags: &[String],
        lengths: &[String],
        deadline: Instant,
    ) -> Result<CrateFunction, CrateError> {
        let path = FunctionPath::parse(path)?;
        let member = member::choose(&options, path.crate_name(), deadline)?;
        let source = Source::new(member, options, deadline)?;
        let compiled = source.compile(flags, &[], deadline)?;
        let first = compiled.sources.iter().find(|(name, _)| name == path.crate_name()).map(|(_, source)| source);
        let known = sources::functions(first.unwrap_or(&source.member.source));
        let asker = Asker { compiled: &compiled, flags, deadline };
        let callable = Resolver::new(asker, &path, &source.member.library, &known).callable()?;
        let glue = Glue::new(&path, &callable, lengths)?;
        let place = sources::meant(&known, &path.names()).map(|of| (of.file.clone(), of.line));
        Ok(CrateFunction { path, source, glue, place, limit: None })
    }

    /// The paths of a crate's public functions, as its sources have them: which of these can be called is for [`CrateFunction::find`] to say. `name` is the
    /// crate's in paths, where a workspace has several. Whether functions are there that macros may make, the compiler is asked, for which the crate is built
    /// with `flags`; where it does not build, they are left out.
    ///
    /// # Errors
    ///
    /// There is no such crate.
    pub fn all(
        name: &str,
        options: CargoOptions,
        flags: &[String],
        deadline: Instant,
    ) -> Result<Vec<CratePath>, CrateError> {
        let member = member::choose(&options, name, deadline)?;
        let (maybe, mut found): (Vec<_>, Vec<_>) =
            sources::public_paths(&member.source, &member.library).into_iter().partition(|of| of.is_made);
        if !maybe.is_empty() {
            let source = Source::new(member, options, deadline)?;
            if let Ok(compiled) = source.compile(flags, &[], deadline) {
                let asker = Asker { compiled: &compiled, flags, deadline };
                let paths: Vec<&str> = maybe.iter().map(|of| of.path.as_str()).collect();
                let are_there = asker.are_functions(&paths)?;
                found.extend(maybe.iter().zip(are_there).filter(|(_, is_there)| *is_there).map(|(of, _)| of.clone()));
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found.into_iter().map(|of| CratePath { path: of.path, written: of.written }).collect())
    }

    /// Builds the crate with other flags, so that this need not be done when time counts.
    ///
    /// # Errors
    ///
    /// It does not build.
    pub fn build_ahead(&self, flags: &[String], deadline: Instant) -> Result<(), CrateError> {
        self.source.compile(flags, &[], deadline).map(drop)
    }

    /// From now on builds with flags that were not seen yet are only tried: they are removed when the function is let go of, and when the
    /// process is interrupted.
    pub fn tries_builds(&self) {
        self.source.tries();
    }

    /// The same function in builds to be tried in which no more optimisation passes run than a limit says.
    pub fn limited(&self, limit: PassLimit) -> CrateFunction {
        CrateFunction { limit: Some(limit), ..self.clone() }
    }

    /// The path as the user wrote it.
    pub fn path(&self) -> &str {
        &self.path.text
    }

    /// Its own name.
    pub(super) fn own_name(&self) -> &str {
        self.path.name()
    }

    /// The symbol that calls it.
    pub fn symbol(&self) -> &'static str {
        SYMBOL
    }

    /// The path where a symbol is of the glue, or of what stands in it.
    pub fn named(&self, symbol: &str) -> Option<String> {
        let inside = || {
            demangled(symbol).is_some_and(|name| name.trim_start_matches('<').split("::").next() == Some(GLUE_CRATE))
        };
        (symbol == SYMBOL || inside()).then(|| self.path.text.clone())
    }

    /// Lengths of slices that the glue has parameters for, `x=x_len`.
    pub fn lengths(&self) -> &[String] {
        &self.glue.lengths
    }

    /// The library's first source, from the current folder where it is below it.
    pub fn crate_source(&self) -> PathBuf {
        from_here(&self.source.member.source)
    }

    /// The file and the line that begin the function, as far as its sources tell; the file as [`CrateFunction::crate_source`].
    pub fn source_place(&self) -> (PathBuf, Option<u32>) {
        match &self.place {
            Some((file, line)) => (from_here(file), Some(*line)),
            None => (self.crate_source(), None),
        }
    }

    /// Whether a source, by its whole path, is of a package outside of the workspace.
    pub fn is_of_dependency(&self, file: &Path) -> bool {
        self.source.member.is_of_dependency(file)
    }

    /// The package's folder.
    pub fn package_folder(&self) -> &Path {
        self.source.member.manifest.parent().unwrap_or(Path::new("."))
    }

    /// A module of Rust that defines [`CrateFunction::symbol`] by a call of the function, for tests of the crate.
    pub fn test_module(&self) -> String {
        self.glue.module()
    }

    /// The command that runs the test `name` of the crate with these flags, for a shell.
    pub fn test_command(&self, flags: &[String], name: &str) -> String {
        let mut words = vec!["cargo".to_owned(), "test".to_owned()];
        words.extend(self.source.options.words());
        words.extend(["--test".to_owned(), name.to_owned()]);
        let quoted =
            words.iter().map(|word| shlex::try_quote(word).map_or_else(|_| word.clone(), |word| word.into_owned()));
        let command = quoted.collect::<Vec<_>>().join(" ");
        match flags.is_empty() {
            true => command,
            false => format!("RUSTFLAGS=\"{}\" {command}", flags.join(" ")),
        }
    }

    /// The glue's source for builds.
    pub(super) fn text(&self) -> String {
        self.glue.text()
    }

    /// The folder where the glue's source is kept, so that it can be compiled again without labrys.
    pub(super) fn glue_folder(&self) -> PathBuf {
        self.source.folder().join("glue")
    }

    pub(super) fn compile(&self, flags: &[String], deadline: Instant) -> Result<Compiled, CrateError> {
        self.source.compile(flags, &self.limited_words(CratePart::Crate), deadline)
    }

    /// Words for rustc where a part is compiled whose passes are limited.
    pub(super) fn limited_words(&self, part: CratePart) -> Vec<String> {
        self.limit.map_or_else(Vec::new, |limit| limit.words(part))
    }
}

/// A path from the current folder where it is below it.
fn from_here(path: &Path) -> PathBuf {
    let here = std::env::current_dir().and_then(|folder| folder.canonicalize()).unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).to_owned()
}

//! What an analysis of one build is asked about.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::unit::UnitRequest;
use crate::run::options::{RunOptions, of_option};

/// What is analysed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// One function of a source (or IR) file.
    Source(PathBuf),
    /// The functions of a library whose names match a pattern.
    Library {
        /// The folder of `compile_commands.json`.
        database: PathBuf,
        /// The patterns; `*` and `?` as in a shell.
        entries: Vec<String>,
    },
}

impl Subject {
    /// Which functions of what are asked for.
    fn asked(&self) -> String {
        match self {
            Subject::Source(path) => path.display().to_string(),
            Subject::Library { database, entries } => functions_of(database, entries),
        }
    }
}

/// Functions of a library by the patterns that choose them, as options are kept and shown.
pub(crate) fn functions_of(database: &Path, entries: &[String]) -> String {
    format!("{entries:?} of {database:?}")
}

/// The build that is analysed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildRequest {
    /// Of what.
    pub subject: Subject,
    /// Its flags, compiler first; `None`: the language's default without optimisation.
    pub flags: Option<String>,
    /// A function that is called once before the one under test.
    pub init: Option<String>,
}

impl BuildRequest {
    /// How one function of a source file is built.
    pub fn unit<'a>(&'a self, run: &'a RunOptions) -> UnitRequest<'a> {
        UnitRequest { run, flags: self.flags.as_deref(), init: self.init.as_deref() }
    }

    /// The source file, or the library's folder.
    pub fn path(&self) -> &Path {
        match &self.subject {
            Subject::Source(path) | Subject::Library { database: path, .. } => path,
        }
    }

    /// Adds what results depend on.
    pub fn enter(&self, options: &mut BTreeMap<&'static str, String>) {
        // A new option is to be added here, or does not compile.
        let BuildRequest { subject, flags, init } = self;
        options.insert("build", of_option(flags));
        options.insert("entries", subject.asked());
        options.insert("init", of_option(init));
    }
}
